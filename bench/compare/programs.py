"""The programs that take part: Basin, and the adapter of each peer that is there.

A peer's checkout is only read: what is built from it goes to the work folder. A peer that
is not there, or does not build, raises Unavailable with the reason.
"""
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parent / "peers"


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


# --- cimba

CIMBA_FLAGS = (
    "-O3 -std=c2x -D_POSIX_C_SOURCE=200809L -DNDEBUG -DNLOGINFO -DNASSERT -DNMXCSR"
    " -ftls-model=initial-exec -flto=auto -fuse-linker-plugin"
).split()
# GCC 12's C23 lacks the keywords bool and static_assert.
CIMBA_KEYWORDS = ["-include", "stdbool.h", "-include", "assert.h"]


def cimba(place):
    """Its benchmark build (no checks, link-time optimization), plain and with a profile."""
    source = place.checkout("cimba", holds="include/cimba.h")
    work = place.folder("cimba")
    version = version_of(source)
    views = {"events": ["A", "B", "C25"], "processes": ["A", "C25"]}

    def library(folder, option):
        build = work / folder
        if not build.exists():
            run_tool("meson", "setup", "--buildtype=release", "--default-library=static",
                     "-Db_staticpic=false", "-Denable_docs=false",
                     "-Denable_cuda_tutorials=false",
                     f"-Dc_args={' '.join(CIMBA_KEYWORDS)}", build, source)
        run_tool("meson", "configure", f"-Dbenchopt={option}", build)
        run_tool("ninja", "-C", build, "src/libcimba.a")
        return build / "src" / "libcimba.a"

    def adapter(view, folder, archive, *options):
        program = work / folder / view
        # The profile is found by the object's name, so both builds go through one.
        run_tool("gcc", *CIMBA_FLAGS, *CIMBA_KEYWORDS, *options, f"-I{source}/include",
                 f"-I{source}/src", "-c", "-o", f"{program}.o",
                 ADAPTERS / "cimba" / f"{view}.c")
        run_tool("gcc", *CIMBA_FLAGS, *options, "-o", program, f"{program}.o", archive,
                 "-lm", "-lpthread")
        return program

    flags = "gcc " + " ".join(CIMBA_FLAGS)
    programs = []
    archive = library("plain", "use")  # without a profile: the flags alone
    for view in views:
        programs.append(Program(f"cimba_{view}", f"cimba, {view}", version,
                                [str(adapter(view, "plain", archive))], build=flags))

    shutil.rmtree(work / "profiled", ignore_errors=True)
    archive = library("profiled", "generate")
    for view, workloads in views.items():
        trained = adapter(view, "profiled", archive, "-fprofile-generate")
        for workload in workloads:
            run_tool(trained, workload, 300_000, 1)
    archive = library("profiled", "use")
    for view in views:
        program = adapter(view, "profiled", archive, "-fprofile-use")
        programs.append(Program(f"cimba_{view}_profiled", f"cimba, {view}, profile-guided",
                                version, [str(program)],
                                build=f"{flags} -fprofile-use (trained on A, B, C25)"))
    return programs


# --- C++ libraries


def simcpp20(place):
    source = place.checkout("simcpp20", holds="include/fschuetz04/simcpp20.hpp")
    program = place.folder("simcpp20") / "processes"
    flags = ["-std=c++20", "-O3", "-DNDEBUG"]
    run_tool("g++", *flags, f"-I{source}/include", "-o", program,
             ADAPTERS / "simcpp20" / "processes.cc")
    return [Program("simcpp20", "SimCpp20", version_of(source), [str(program)],
                    build="g++ " + " ".join(flags))]


def ns3(place):
    program = place.folder("ns3") / "events"
    flags = ["-std=c++17", "-O3", "-DNDEBUG"]
    try:
        version = run_tool("pkg-config", "--modversion", "ns3-core").strip()
    except Unavailable:
        raise Unavailable("no ns3-core (Debian's libns3-dev)") from None
    run_tool("g++", *flags, "-o", program, ADAPTERS / "ns3" / "events.cc", "-lns3-core")
    return [Program("ns3", "ns-3", version, [str(program)],
                    build="g++ " + " ".join(flags) + ", the system's library")]


# --- Python libraries


def python_variables(place, path):
    return {"PYTHONPATH": str(path), "PYTHONHASHSEED": "0",
            "PYTHONPYCACHEPREFIX": str(place.work / "pycache")}


def python_program(key, name, version, interpreter, script, variables, end=()):
    banner = run_tool(interpreter, "-c",
                      "import platform as p; print(p.python_implementation(),"
                      " p.python_version())").strip()
    return Program(key, name, version, [str(interpreter), str(ADAPTERS / script)],
                   list(end), variables, banner)


def interpreter_with(modules, variables):
    """A CPython that can import `modules`: this one, else the system's."""
    reason = None
    for interpreter in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        try:
            run_tool(interpreter, "-c", f"import {modules}", variables=variables)
            return interpreter
        except Unavailable as error:
            reason = reason or error
    raise reason


def simpy_programs(place, path, version):
    variables = python_variables(place, path)
    interpreter = interpreter_with("simpy", variables)
    interpreters = [(interpreter, "", "")]
    if shutil.which("pypy3"):
        interpreters.append((shutil.which("pypy3"), "_pypy", ", PyPy"))
    programs = []
    for interpreter, key, name in interpreters:
        for style in ("processes", "callbacks"):
            programs.append(python_program(
                f"simpy_{style}{key}", f"SimPy, {style}{name}", version, interpreter,
                "simpy/mm1.py", variables, [style]))
        programs.append(python_program(f"simpy_system{key}", f"SimPy{name}", version,
                                       interpreter, "simpy/system.py", variables))
    return programs


def simpy(place):
    try:
        source = place.checkout("simpy-mirror", "simpy", holds="src/simpy/__init__.py")
    except Unavailable:
        version = run_tool(sys.executable, "-c",
                           "import simpy; print(simpy.__version__)").strip()
        return simpy_programs(place, "", version)
    return simpy_programs(place, source / "src", version_of(source))


def salabim(place):
    source = place.checkout("salabim", holds="salabim/salabim.py")
    variables = python_variables(place, source)
    interpreter = interpreter_with("salabim", variables)
    return [python_program("salabim", "salabim", version_of(source), interpreter,
                           "salabim/mm1.py", variables)]


def ciw(place):
    source = place.checkout("Ciw", holds="ciw/__init__.py")
    variables = python_variables(place, source)
    interpreter = interpreter_with("ciw", variables)
    return [python_program("ciw", "Ciw", version_of(source), interpreter, "ciw/mm1.py",
                           variables)]


PEERS = {"cimba": cimba, "SimPy": simpy, "SimCpp20": simcpp20, "ns-3": ns3, "Ciw": ciw,
         "salabim": salabim}


def gather(build, place, say):
    """All programs by key, and {peer: why it is not there}."""
    programs = {program.key: program for program in basin(build)}
    absent = {}
    for name, prepare in PEERS.items():
        if place.peers is None and name != "SimPy":
            continue
        say(f"building {name}")
        try:
            programs.update((program.key, program) for program in prepare(place))
        except Unavailable as reason:
            absent[name] = str(reason)
    return programs, absent
