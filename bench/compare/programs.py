"""What takes part: a program and how it is started; Basin's own; tools to build others."""
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

class Unavailable(Exception):
    pass


@dataclass(frozen=True)
class Program:
    key: str
    name: str
    version: str
    start: list[str]  # the command before WORKLOAD N SEED
    end: list[str] = field(default_factory=list)  # and after
    variables: dict[str, str] = field(default_factory=dict)
    build: str = ""  # compiler and flags, or the interpreter

    def command(self, workload, n, seed):
        return [*self.start, workload, str(n), str(seed), *self.end]

    def environment(self):
        return {**os.environ, **self.variables}


@dataclass(frozen=True)
class Place:
    """Where checkouts lie (or None) and where to build."""

    peers: Path | None
    work: Path

    def checkout(self, *names, holds):
        """The first of these checkouts that holds the file `holds`."""
        for name in names:
            if self.peers is not None and (self.peers / name / holds).exists():
                return self.peers / name
        raise Unavailable(f"no checkout {' or '.join(names)}")

    def folder(self, name):
        folder = self.work / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def run_tool(*command, cwd=None, variables=None):
    """Output of a tool; Unavailable with its last error line if it fails."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, cwd=cwd, env={**os.environ, **(variables or {})},
                              capture_output=True, text=True)
    except OSError as error:
        raise Unavailable(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines()
        worst = [line for line in lines if "error" in line.lower()] or lines or ["failed"]
        raise Unavailable(f"{Path(command[0]).name}: {worst[0].strip()}")
    return done.stdout


def version_of(checkout):
    try:
        return run_tool("git", "-C", checkout, "describe", "--tags", "--always").strip()
    except Unavailable:
        return "unknown"


def compiler_version(compiler):
    return run_tool(compiler, "--version").splitlines()[0]


# --- Basin


def basin(build):
    """Basin's own program, from a finished build."""
    program = build / "bench" / "compare" / "compare_basin"
    if not program.exists():
        raise Unavailable(f"{program} is not built")
    cache = {}
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        name, separator, value = line.partition("=")
        if separator:
            cache[name.split(":")[0]] = value
    kind = cache.get("CMAKE_BUILD_TYPE", "")
    flags = cache.get(f"CMAKE_CXX_FLAGS_{kind.upper()}", "")
    if kind == "Release":
        flags = "-O3"  # which the project sets itself
    return [Program("basin", "Basin", "", [str(program)],
                    build=f"{compiler_version(cache['CMAKE_CXX_COMPILER'])}, {kind},"
                          f" {flags} -ffp-contract=off")]
