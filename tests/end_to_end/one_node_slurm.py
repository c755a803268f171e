"""A Slurm cluster of one node, this machine, for as long as a test takes.

munged, slurmctld and slurmd are started from a folder of their own and on free ports, without
systemd; nothing outside of the folder is touched, and they end with the block:

    with OneNodeSlurm() as slurm:
        subprocess.run(["sbatch", ...], env=slurm.environment)
        slurm.wait_for_jobs()
"""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol")

CONFIGURATION = """
ClusterName=basin-test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
KillWait=5
MaxArraySize={most_tasks}
NodeName={host} NodeAddr=127.0.0.1 NodeHostname={host} CPUs={processors} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def missing():
    """Why there can be no cluster here; empty if there can."""
    if os.geteuid() != 0:
        return "only root can start munged and slurmd"
    for program in PROGRAMS:
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            return f"{program} is not installed"
    return ""


def end_with_parent():
    """In a new process: a test that is killed leaves no daemon behind."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def memory_in_megabytes():
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(pages // (1 << 20) - 200, 500)


class OneNodeSlurm:
    def __init__(self, most_tasks=1001, most_seconds=60):
        self.most_tasks = most_tasks
        self.most_seconds = most_seconds
        self.daemons = []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="basin-slurm-"))
        self.environment = dict(
            os.environ,
            PATH=os.environ["PATH"] + ":/usr/sbin:/sbin",
            SLURM_CONF=str(self.folder / "slurm.conf"),
        )

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def begin(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        # munged insists on who may write where its files are.
        self.folder.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.folder.joinpath("slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                folder=self.folder,
                controller_port=free_port(),
                node_port=free_port(),
                processors=os.cpu_count(),
                memory=memory_in_megabytes(),
                most_tasks=self.most_tasks,
            )
        )
        self.start(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid",
            f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed",
        )
        self.wait_until(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D", "-i", "-f", self.environment["SLURM_CONF"])
        self.start("slurmd", "-D", "-f", self.environment["SLURM_CONF"])
        self.wait_until(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "an idle node")

    def start(self, program, *words):
        with open(self.folder / f"{program}.out", "wb") as log:
            daemon = subprocess.Popen(
                [program, *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        self.daemons.append(daemon)

    def ask(self, *words):
        return subprocess.run(
            words, env=self.environment, capture_output=True, text=True, timeout=30
        ).stdout

    def wait_until(self, is_so, what):
        deadline = time.monotonic() + self.most_seconds
        while not is_so():
            if time.monotonic() > deadline:
                raise TimeoutError(f"no sign of {what}\n" + self.logs())
            time.sleep(0.2)

    def wait_for_jobs(self, most_seconds=120):
        deadline = time.monotonic() + most_seconds
        while jobs := self.ask("squeue", "-h").strip():
            if time.monotonic() > deadline:
                raise TimeoutError(f"jobs do not end:\n{jobs}\n{self.logs()}")
            time.sleep(0.3)

    def logs(self):
        return "".join(
            f"== {path.name}\n{path.read_text(errors='replace')[-1500:]}\n"
            for path in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out"))
        )

    def end(self):
        if len(self.daemons) > 1:
            self.ask("scancel", "--user=root")
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(daemon.pid, signal.SIGKILL)
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
