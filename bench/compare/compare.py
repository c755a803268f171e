#!/usr/bin/env python3
"""Runs Basin and the other simulators on this machine on the same work, side by side.

    bench/compare/compare.py --peers ~/checkouts -o table.md

Every program is a process of its own on one core, and they run in turn, round after
round, so that what else the machine does falls on all alike. A program times its own
loop. The table has the exact value beside each program's answer: a fast wrong program
shows. With --quick it is a test of itself: tiny sizes, one round, and the exit status
says whether the answers are right.
"""
import argparse
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

import builds  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402
from programs import Place, Unavailable  # noqa: E402
from workloads import SECTIONS, SWEEP_THREADS  # noqa: E402

HERE = Path(__file__).resolve().parent
SWEEP_SCENARIO = "retry-storm"  # of Basin's library; 108 cells


def arguments():
    keys = [*dict.fromkeys(section.key for section in SECTIONS), "sweep"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=Path, metavar="DIR",
                        help="where the checkouts of other simulators lie")
    parser.add_argument("--basin", type=Path, metavar="BUILD_DIR",
                        default=HERE.parent.parent / "build" / "release")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workload", nargs="+", choices=keys, default=keys, metavar="W",
                        help=f"of {' '.join(keys)}; all if not said")
    parser.add_argument("--only", nargs="*", choices=[*builds.PEERS], metavar="PEER",
                        help=f"of {' '.join(builds.PEERS)}; all if not said")
    parser.add_argument("--work", type=Path, metavar="DIR",
                        help="build here and keep it; a temporary folder if not said")
    parser.add_argument("--quick", action="store_true",
                        help="tiny sizes, one round; fails where an answer is wrong")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE",
                        help="the table; standard output if not said")
    return parser.parse_args()


def say(words):
    print(words, file=sys.stderr, flush=True)


def quick_section(section):
    """The section at tiny sizes."""
    def small(row):
        return replace(row, n=min(row.n, section.quick_n))

    return replace(
        section,
        rows=list(dict.fromkeys(map(small, section.rows))),
        notes=[],
        same_bits=[(small(one), small(other)) for one, other in section.same_bits])


def run_sweep(build, work, round_count, quick):
    """Wall seconds of one sweep on each number of threads: {threads: [a round]}."""
    command = [str(build / "experiments" / "basin"), "sweep", SWEEP_SCENARIO, "--quiet",
               "--replications", "1" if quick else "4"]
    if quick:
        command += ["--sweep", "arrivals.rate=100/s,280/s"]
    cores = os.sched_getaffinity(0)
    seconds = {threads: [] for threads in SWEEP_THREADS}
    for number in range(1, round_count + 1):
        for threads in SWEEP_THREADS:
            say(f"sweep, round {number} of {round_count}: {threads} threads")
            output = work / f"sweep{threads}.h5"
            output.unlink(missing_ok=True)
            start = time.perf_counter()
            rounds.run_process([*command, "--threads", str(threads), "-o", str(output)],
                               dict(os.environ), cores)
            seconds[threads].append(time.perf_counter() - start)
    return seconds


def compare(options, work):
    """The page, and a sentence for each answer that is wrong."""
    load = os.getloadavg()[0]
    place = Place(options.peers, work)
    peers = list(builds.PEERS) if options.only is None else options.only
    programs, absent = builds.gather(options.basin, place, peers, say)
    cores = {max(os.sched_getaffinity(0))}
    round_count = 1 if options.quick else options.rounds
    lines = ["# Basin and other simulators", "", *report.machine_lines(load),
             *report.program_lines(programs, absent), "",
             f"Rounds: {round_count}, interleaved, one process at a time on one core. The"
             " ratio is the median of the rounds' ratios, against Basin's row of the same"
             " size where there is one. Answers are means over the rounds; **off** marks"
             " what is further from the exact value than the tolerance. The peak memory of"
             " a small program reads as that of this script, some 13 MB."]
    wrong, all_results = [], {}
    for section in SECTIONS:
        if section.key in options.workload:
            section = quick_section(section) if options.quick else section
            results = rounds.run_rounds(section, programs, round_count, cores, say)
            all_results |= results
            text, off = report.section_lines(section, programs, results, all_results)
            lines += text
            wrong += off
    if "sweep" in options.workload:
        seconds = run_sweep(options.basin, work, round_count, options.quick)
        lines += report.sweep_lines(seconds, f"`basin sweep {SWEEP_SCENARIO}`")
    return "\n".join(lines) + "\n", wrong


def main():
    options = arguments()
    try:
        if options.work:
            options.work.mkdir(parents=True, exist_ok=True)
            page, wrong = compare(options, options.work.resolve())
        else:
            with tempfile.TemporaryDirectory(prefix="basin-compare-") as work:
                page, wrong = compare(options, Path(work))
    except (Unavailable, RuntimeError) as error:
        sys.exit(f"compare.py: {error}")
    if options.output:
        options.output.write_text(page)
    else:
        print(page, end="")
    for sentence in wrong:
        say(f"off: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
