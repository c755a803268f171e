"""What basin run says of its own statistics: precision, warm-up, intervals of one run.

Usage: statistics_test.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py

from hash_arrays import hash_of

PROGRAM = ""

# M/M/1, a load of 0.8.
QUEUE = """
name = "queue"
[simulation]
horizon = "600s"
warmup = "60s"
replications = 20
[arrivals]
process = "poisson"
rate = "8/s"
[consumers]
count = 1
service = { distribution = "exponential", rate = "10/s" }
"""

OUTAGE = """
[producer]
timeout = "2s"
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "90s"
duration = "10s"
"""


class Statistics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "queue.toml").write_text(QUEUE)
        (self.path / "outage.toml").write_text(QUEUE + OUTAGE)

    def basin(self, *words):
        return subprocess.run(
            [PROGRAM, *words],
            cwd=self.path,
            env=dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8"),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def result(self, *words):
        done = self.basin("run", *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Precision(Statistics):
    def test_is_the_run_with_that_number_of_replications(self):
        words = ["outage.toml", "--precision-of", "control.mean_depth", "--precision", "7%"]
        precise = self.result(*words, "-o", "precise.h5", "--threads", "3")
        precision = precise.pop("precision")
        self.assertTrue(precision["reached"])
        self.assertLessEqual(precision["targets"][0]["relative_half_width"], 0.07)
        self.assertEqual(precision["looks"], precision["planned_looks"][: len(precision["looks"])])
        self.assertGreater(len(precision["looks"]), 1)
        replications = precision["looks"][-1]
        self.assertEqual(precise["replications"], replications)

        plain = self.result("outage.toml", "--replications", str(replications), "-o", "plain.h5")
        self.assertIsNone(plain.pop("precision"))
        self.assertEqual(precise, plain)
        self.assertEqual(hash_of(self.path / "precise.h5"), hash_of(self.path / "plain.h5"))
        with h5py.File(self.path / "precise.h5") as one, h5py.File(self.path / "plain.h5") as two:
            self.assertEqual(one.attrs["scenario_hash"], two.attrs["scenario_hash"])

        # The same file again, from any number of threads; not for other values.
        again = self.result(*words, "-o", "precise.h5", "--threads", "1")
        self.assertEqual(again["precision"], precision)
        other = self.basin("run", *words, "-o", "precise.h5", "--set", "arrivals.rate=7/s")
        self.assertEqual(other.returncode, 3)
        self.assertEqual(other.stdout, "")

    def test_the_interval_of_the_last_look_is_wider_than_that_of_the_table(self):
        result = self.result("queue.toml", "--precision", "5%", "--precision-of", "mean_wait")
        target = result["precision"]["targets"][0]
        table = result["metrics"]["control"]["mean_wait"]
        self.assertAlmostEqual(target["mean"], table["mean"])
        self.assertLess(target["low"], table["low"])
        self.assertEqual(len(result["precision"]["planned_looks"]), 8)
        self.assertAlmostEqual(result["precision"]["level_of_look"], 1 - 0.05 / 8)

    def test_stops_at_the_most(self):
        done = self.basin(
            "run", "queue.toml", "--precision", "0.1%", "--max-replications", "25", "--json"
        )
        self.assertEqual(done.returncode, 0)
        result = json.loads(done.stdout)
        self.assertEqual(result["precision"]["looks"], [10, 20, 25])
        self.assertFalse(result["precision"]["reached"])
        self.assertIn("mean_depth of the control arm is not precise to 0.1%", done.stderr)

    def test_what_is_infinite_stops_at_the_first_look_and_says_why(self):
        done = self.basin(
            "run", "outage.toml", "--precision", "5%", "--precision-of", "mean_latency", "--json"
        )
        self.assertEqual(done.returncode, 0)
        precision = json.loads(done.stdout)["precision"]
        self.assertEqual(precision["looks"], [10])
        self.assertIn("infinite in 10 of 10", precision["targets"][0]["reason"])
        self.assertIsNone(precision["targets"][0]["mean"])
        self.assertIn("infinite in 10 of 10", done.stderr)

    def test_refuses_what_makes_no_sense(self):
        for words, message in (
            (["--precision", "0%"], "above 0%"),
            (["--precision", "nan%"], "percentage"),
            (["--precision", "2"], "percentage"),
            (["--precision", "2%", "--precision-of", "mean_dept"], "did you mean 'mean_depth'"),
            (["--precision", "2%", "--precision-of", "contrl.mean_depth"], "did you mean 'control'"),
            (["--precision", "2%", "--precision-of", "triggered.mean_depth"], "without the arm"),
            (["--precision", "2%", "--precision-of", ""], "no metric ''"),
            (["--precision", "2%", "--replications", "5"], "one too many"),
            (["--precision", "2%", "--max-replications", "1"], "from 2"),
            (["--precision", "2%", "--max-replications", "9999999999999"], "from 2"),
            (["--max-replications", "5"], "needs --precision"),
        ):
            done = self.basin("run", "queue.toml", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
        sweep = self.basin("sweep", "queue.toml", "--precision", "2%")
        self.assertEqual(sweep.returncode, 2)
        self.assertIn("basin run takes it", sweep.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
