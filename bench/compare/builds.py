"""The peers: how the adapter of each is built and started.

A peer's checkout is only read: what is built from it goes to the work folder. A peer that
is not there, or does not build, raises Unavailable with the reason.
"""
import shutil
import sys
from pathlib import Path

from programs import Program, Unavailable, basin, run_tool, version_of

ADAPTERS = Path(__file__).resolve().parent / "peers"

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


# --- Java and R


def ssj(place):
    source = place.checkout("ssj", holds="src/main/java/umontreal/ssj/simevents/Sim.java")
    work = place.folder("ssj")
    colt = Path("/usr/share/java/colt.jar")
    if not colt.exists():
        raise Unavailable(f"no {colt} (Debian's libcolt-free-java)")
    run_tool("javac", "-nowarn", "-encoding", "UTF-8", "-cp", colt, "-d", work,
             "-sourcepath", source / "src" / "main" / "java", ADAPTERS / "ssj" / "Events.java")
    banner = run_tool("javac", "-version").strip().replace("javac", "Java")
    return [Program("ssj", "SSJ", version_of(source),
                    ["java", "-cp", f"{work}:{colt}", "Events"], build=banner)]


def simmer(place):
    source = place.checkout("simmer", holds="src/simulator.cpp")
    work = place.folder("simmer")
    library = work / "library"
    if not (library / "simmer").exists():
        # R builds where the source is, so in a copy.
        copy = work / "source"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".git", "docs"))
        library.mkdir(exist_ok=True)
        run_tool("R", "CMD", "INSTALL", "--no-docs", "--no-multiarch",
                 f"--library={library}", copy)
    banner = run_tool("R", "--version").splitlines()[0]
    return [Program("simmer", "simmer", version_of(source),
                    ["Rscript", "--vanilla", str(ADAPTERS / "simmer" / "mm1.R")],
                    variables={"R_LIBS": str(library)}, build=banner)]


PEERS = {"cimba": cimba, "SimPy": simpy, "SimCpp20": simcpp20, "ns-3": ns3, "Ciw": ciw,
         "salabim": salabim, "SSJ": ssj, "simmer": simmer}


def gather(build, place, peers, say):
    """All programs by key, and {peer: why it is not there}."""
    programs = {program.key: program for program in basin(build)}
    absent = {}
    for name in peers:
        if place.peers is None and name != "SimPy":
            continue
        say(f"building {name}")
        try:
            programs.update((program.key, program) for program in PEERS[name](place))
        except Unavailable as reason:
            absent[name] = str(reason)
    return programs, absent
