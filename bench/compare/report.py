"""The comparison as a page of Markdown."""
import datetime
import os
import platform
import subprocess
from math import isfinite
from pathlib import Path
from statistics import mean, median


def cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def revision():
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--tags"],
                          cwd=Path(__file__).parent, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def machine_lines(load_at_start):
    return [
        f"- Date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
        f"- Machine: {cpu_model()}, {os.cpu_count()} cores, load at start"
        f" {load_at_start:.2f}",
        f"- Basin: {revision()}",
    ]


def program_lines(programs, absent):
    names = {}
    for program in programs.values():
        names.setdefault((program.version, program.build), []).append(program.name)
    lines = [f"- {'; '.join(n)}{' ' * bool(version)}{version}: {build}"
             for (version, build), n in names.items()]
    return lines + [f"- Not run: {name}: {reason}" for name, reason in absent.items()]


def table(header, rows):
    return ["| " + " | ".join(header) + " |",
            "|" + "|".join("---" for _ in header) + "|",
            *("| " + " | ".join(row) + " |" for row in rows)]


def number(value):
    if value != 0 and abs(value) < 0.01:
        return f"{value:.2e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def median_ratio(over, under):
    """Median of the per-round ratios of two rows' rates."""
    pairs = zip(over.rates, under.rates)
    return median(a / b for a, b in pairs)


def checks_of(section, row, measured, results):
    """[(quantity, found, exact, tolerance, right)] of a row; means over the rounds."""
    checks = []
    for expected in section.expected(row):
        exact = expected.value
        if expected.of is not None:
            exact = mean(results[expected.of].answers[expected.quantity])
        found = mean(measured.answers[expected.quantity])
        right = isfinite(found) and abs(found - exact) <= expected.tolerance
        checks.append((expected.quantity, found, exact, expected.tolerance, right))
    return checks


def answers_text(section, checks, measured):
    if not checks:
        return f"{section.answer} {number(mean(measured.answers['answer']))}"
    parts = []
    for quantity, found, exact, tolerance, right in checks:
        name = section.answer if quantity == "answer" else quantity
        text = f"{name} {number(found)} ({number(exact)} ± {number(tolerance)})"
        parts.append(text if right else f"**off:** {text}")
    return "; ".join(parts)


def section_lines(section, programs, results, all_results):
    reference = results[section.rows[0]]
    header = ["program", "version", f"{section.unit}", "median M/s", "min", "max",
              section.ratio, "peak MB", "answer (exact ± tolerance)"]
    if section.backlog:
        header += ["completions, median M/s", "bytes a waiting message"]
    rows, wrong = [], []
    for row, measured in results.items():
        program = programs[row.program]
        name = row.label or program.name
        if measured.failure:
            rows.append([name, program.version, f"{row.n:,}", f"failed: {measured.failure}"]
                        + [""] * (len(header) - 4))
            wrong.append(f"{section.title}: {name}: {measured.failure}")
            continue
        checks = checks_of(section, row, measured, results)
        wrong += [f"{section.title}: {name}: {quantity} {found} is not {exact} ± {tolerance}"
                  for quantity, found, exact, tolerance, right in checks if not right]
        millions = [rate / 1e6 for rate in measured.rates]
        # Against the first row of the same size, if there is one.
        same_size = [results[r] for r in section.rows
                     if r.program == section.rows[0].program
                     and r.workload == section.rows[0].workload and r.n == row.n]
        against = reference if section.key == "growth" else (same_size or [reference])[0]
        cells = [name, program.version, f"{measured.count:,}",
                 f"{median(millions):.4g}", f"{min(millions):.4g}", f"{max(millions):.4g}",
                 f"{median_ratio(against, measured):.3g}",
                 f"{max(measured.megabytes):.0f}",
                 answers_text(section, checks, measured)]
        if section.backlog:
            shares = (done / measured.count for done in measured.answers["completions"])
            completions = median(rate * s for rate, s in zip(millions, shares))
            depth = max(measured.answers["peak depth"])
            cells += [f"{completions:.4g}", f"{max(measured.megabytes) * 2**20 / depth:.0f}"]
        rows.append(cells)
    lines = ["", f"## {section.title}", "", *table(header, rows)]
    for sentence, over, under in section.notes:
        if over in all_results and under in all_results:
            ratio = median_ratio(all_results[over], all_results[under])
            lines += ["", f"{sentence}: {ratio:.3g} times the rate."]
    for one, other in section.same_bits:
        if one in results and other in results:
            same = results[one].answers["answer"] == results[other].answers["answer"]
            lines += ["", f"{one.label} and {other.label} give the very same answers, bit for"
                      " bit." if same else "**off:** their answers differ."]
            if not same:
                wrong.append(f"{section.title}: answers differ in their bits")
    return lines, wrong


def sweep_lines(seconds, cells):
    """`seconds` is {threads: [wall time a round]}."""
    one, two = (seconds[threads] for threads in sorted(seconds))
    ratio = median(a / b for a, b in zip(one, two))
    rows = [[str(threads), f"{median(times):.2f}", f"{min(times):.2f}", f"{max(times):.2f}"]
            for threads, times in sorted(seconds.items())]
    return ["", f"## Sweep: {cells}", "",
            *table(["threads", "median s", "min", "max"], rows), "",
            f"Two threads are {ratio:.3g} times as fast as one."]
