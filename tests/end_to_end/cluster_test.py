"""Sweeps on a Slurm cluster of one node and with GNU parallel: the arrays of one process.

Usage: cluster_test.py PROGRAM [unittest options]
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from hash_arrays import hash_of
from one_node_slurm import OneNodeSlurm, missing

PROGRAM = ""
SCENARIO = pathlib.Path(__file__).with_name("small_sweep.toml")
ENDLESS = ("--replications", "4000", "--set", "simulation.horizon=20min")


class Cluster(unittest.TestCase):
    def setUp(self):
        # A name that a shell would take apart.
        folder = tempfile.TemporaryDirectory(prefix="it's a $test ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def basin(self, *words, code=0, environment=None):
        done = subprocess.run(
            [PROGRAM, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=200,
            env=environment,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def status(self, name):
        return json.loads(self.basin("status", self.folder / name, "--json").stdout)

    def logs(self, name):
        return "".join(
            f"== {path.name}\n{path.read_text()}"
            for path in sorted((self.folder / (name + ".logs")).glob("*.log"))
        )

    def whole(self):
        path = self.folder / "whole.h5"
        self.basin("sweep", SCENARIO, "-o", path, "--threads", "2")
        return hash_of(path)

    def test_gnu_parallel_over_shards(self):
        if not shutil.which("parallel"):
            self.skipTest("GNU parallel is not installed")
        subprocess.run(
            ["parallel", "-q", "-j2", PROGRAM, "sweep", SCENARIO, "--quiet"]
            + ["-o", self.folder / "p.h5", "--shard", "{}/8", ":::", *map(str, range(1, 9))],
            check=True,
            capture_output=True,
        )
        self.basin("merge", self.folder / "p.h5")
        self.assertEqual(hash_of(self.folder / "p.h5"), self.whole())

    def test_slurm(self):
        if reason := missing():
            self.skipTest(reason)
        with OneNodeSlurm(most_tasks=10) as slurm:
            self.eight_tasks(slurm)
            self.cancelled_and_submitted_again(slurm)
            self.refused(slurm)

    def submit(self, slurm, name, *words, code=0):
        return self.basin(
            "submit",
            SCENARIO,
            "-o",
            self.folder / name,
            *words,
            "--go",
            "--json",
            code=code,
            environment=slurm.environment,
        )

    def eight_tasks(self, slurm):
        result = json.loads(self.submit(slurm, "s.h5", "--tasks", "8").stdout)
        self.assertEqual(result["tasks"], 8)
        self.assertIn("array job", result["submitted"])
        slurm.wait_for_jobs()
        self.assertTrue((self.folder / "s.h5").exists(), self.logs("s.h5"))
        self.assertEqual(hash_of(self.folder / "s.h5"), self.whole())
        self.assertFalse((self.folder / "s.h5.parts").exists())
        self.assertEqual(len(list((self.folder / "s.h5.logs").glob("*.log"))), 9)

    def cancelled_and_submitted_again(self, slurm):
        words = ("--tasks", "3", "--time-limit", "30min", *ENDLESS)
        self.submit(slurm, "c.h5", *words)
        parts = self.folder / "c.h5.parts"
        deadline = time.monotonic() + 60
        while len(list(parts.glob("runs-*.h5"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.2)
        slurm.ask("scancel", "--name=basin-small-sweep")
        slurm.ask("scancel", "--name=basin-small-sweep", "--signal=TERM", "--batch")
        slurm.wait_for_jobs()
        before = self.status("c.h5")
        self.assertGreater(before["runs_done"], 0, self.logs("c.h5"))
        self.assertLess(before["runs_done"], before["runs"])
        self.assertIn("missing", self.logs("c.h5"))
        self.submit(slurm, "c.h5", *words)
        deadline = time.monotonic() + 60
        while (
            self.status("c.h5")["runs_done"] <= before["runs_done"]
            and time.monotonic() < deadline
        ):
            time.sleep(0.5)
        slurm.ask("scancel", "--user=root")
        slurm.wait_for_jobs()
        self.assertGreater(self.status("c.h5")["runs_done"], before["runs_done"])

    def refused(self, slurm):
        many = self.submit(slurm, "m.h5", "--tasks", "50", "--sbatch=--hold")
        self.assertEqual(json.loads(many.stdout)["tasks"], 10)
        self.assertIn("MaxArraySize", many.stderr)
        slurm.ask("scancel", "--user=root")
        wrong = self.submit(
            slurm, "w.h5", "--tasks", "2", "--sbatch=--partition=none", code=4
        )
        self.assertIn("Slurm did not take it", wrong.stderr)
        self.assertIn("partition", wrong.stderr)

    def test_what_is_wrong_is_said(self):
        for words, message in (
            ((), "needs --tasks"),
            (("--tasks", "0"), "--tasks takes"),
            (("--tasks", "2", "--time-limit", "5s"), "at least 1min"),
            (("--tasks", "2", "--cpus-per-task", "x"), "--cpus-per-task takes"),
            (("--tasks", "2", "--sbatch", "a\nb"), "line break"),
        ):
            with self.subTest(words=words):
                done = self.basin("submit", SCENARIO, "-o", self.folder / "x.h5", *words, code=2)
                self.assertIn(message, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        # Without Slurm the script can be written and moved to where there is one.
        self.basin("submit", SCENARIO, "-o", self.folder / "x.h5", "--tasks", "2")
        self.assertTrue((self.folder / "x.h5.submit.sh").exists())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
