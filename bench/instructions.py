#!/usr/bin/env python3
"""Where the time of a message goes, in instructions, by function and by source file.

Runs one of Basin's workloads of bench/compare under callgrind, which counts the same every
time, and divides by the messages sent. The program must carry debug information, since
inlined code is told apart by its lines:

    cmake --preset release -B build/profile -DCMAKE_CXX_FLAGS=-g
    cmake --build build/profile --target compare_basin
    bench/instructions.py --basin build/profile --workload D
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile


class Names:
    """Callgrind writes a name once, as "(3) name", and then "(3)"."""

    def __init__(self):
        self.by_number = {}

    def read(self, text):
        number, name = re.fullmatch(r"\((\d+)\)(?: (.*))?", text).groups()
        if name is not None:
            self.by_number[number] = name
        return self.by_number[number]


def self_costs(profile):
    """Instructions by (function, source file) of the lines of a callgrind output file."""
    functions, files = Names(), Names()
    costs = collections.Counter()
    function = file = ""
    cost_is_of_call = False
    for line in profile:
        key, _, value = line.rstrip("\n").partition("=")
        if key == "fn":
            function = functions.read(value)
        elif key == "cfn":
            functions.read(value)
        elif key in ("fl", "fi", "fe"):
            file = files.read(value)
        elif key in ("cfi", "cfl"):
            files.read(value)
        elif key == "calls":
            cost_is_of_call = True
        elif re.match(r"[+*\-\d]", line):
            if not cost_is_of_call:
                costs[function, file] += int(line.split()[1])
            cost_is_of_call = False
    return costs


def short_function(name):
    """Without the arguments of templates and calls."""
    while True:
        shorter = re.sub(r"<[^<>]*>|\([^()]*\)", "", name)
        if shorter == name:
            return name.split(" [")[0].strip()
        name = shorter


def source_of(path):
    if path.startswith("/usr/include/c++"):
        return "the standard library, inlined"
    parts = pathlib.PurePath(path).parts
    return "/".join(parts[-2:])


def write_table(title, costs, messages, least):
    print(f"| {title} | instructions a message |\n|---|---|")
    rest = 0.0
    for name, cost in costs.most_common():
        if cost / messages >= least:
            print(f"| {name} | {cost / messages:.0f} |")
        else:
            rest += cost / messages
    print(f"| the rest | {rest:.0f} |")
    print(f"| all | {sum(costs.values()) / messages:.0f} |\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--basin", default="build/profile", type=pathlib.Path)
    parser.add_argument("--workload", default="D")
    parser.add_argument("--messages", default=400_000, type=int)
    arguments = parser.parse_args()
    program = arguments.basin / "bench/compare/compare_basin"
    if not program.exists():
        parser.error(f"{program} is not there: build it as said below --help")
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", program,
             arguments.workload, str(arguments.messages), "1"],
            capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(run.stderr)
        messages = json.loads(run.stdout)["count"]
        with profile.open(encoding="utf-8") as lines:
            costs = self_costs(lines)
    by_function, by_source = collections.Counter(), collections.Counter()
    for (function, file), cost in costs.items():
        by_function[f"`{short_function(function)}`"] += cost
        by_source[source_of(file)] += cost
    write_table("function", by_function, messages, least=5)
    write_table("source", by_source, messages, least=10)


if __name__ == "__main__":
    main()
