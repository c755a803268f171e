"""Runs programs in turn, round after round, each in a process of its own on one core."""
import json
import os
import subprocess
import threading
from dataclasses import dataclass, field

TIMEOUT = 600  # seconds


@dataclass
class Measured:
    """What one row's program said, a value a round."""

    rates: list[float] = field(default_factory=list)  # per second
    megabytes: list[float] = field(default_factory=list)
    answers: dict[str, list[float]] = field(default_factory=dict)
    count: int = 0
    failure: str = ""


@dataclass(frozen=True)
class Finished:
    output: str
    megabytes: float  # the most that was resident


def run_process(command, environment, cores):
    """Runs `command` on `cores`; raises RuntimeError with its last words if it fails."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    output = process.stdout.read().decode()
    reader.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watchdog.cancel()
    process.stdout.close()
    process.stderr.close()
    if process.returncode != 0:
        words = errors[0].decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"ended with {process.returncode}: {words[-1] if words else ''}")
    return Finished(output, usage.ru_maxrss / 1024)


def run_row(row, program, seed, cores, measured):
    command = program.command(row.workload, row.n, seed)
    try:
        finished = run_process(command, program.environment(), cores)
        said = json.loads(finished.output)
        measured.rates.append(said["count"] / said["seconds"])
        measured.megabytes.append(finished.megabytes)
        measured.count = said["count"]
        for quantity, value in {"answer": said["answer"], **said.get("also", {})}.items():
            measured.answers.setdefault(quantity, []).append(value)
    except (OSError, RuntimeError, ValueError, KeyError, ZeroDivisionError) as error:
        measured.failure = str(error)


def run_rounds(section, programs, rounds, cores, say):
    """Measurements of the section's rows whose programs are there: {row: Measured}."""
    rows = [row for row in section.rows if row.program in programs]
    results = {row: Measured() for row in rows}
    for seed in range(1, rounds + 1):
        for row in rows:
            if not results[row].failure:
                program = programs[row.program]
                say(f"{row.workload}, round {seed} of {rounds}: {program.name}, {row.n:,}")
                run_row(row, program, seed, cores, results[row])
    return results
