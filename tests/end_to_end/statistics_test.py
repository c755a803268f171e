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
        fluid = self.basin("run", "queue.toml", "--precision", "2%", "--solver", "fluid")
        self.assertEqual(fluid.returncode, 2)
        self.assertIn("fluid limit", fluid.stderr)
        sweep = self.basin("sweep", "queue.toml", "--precision", "2%")
        self.assertEqual(sweep.returncode, 2)
        self.assertIn("basin run takes it", sweep.stderr)


class WarmUp(Statistics):
    def test_what_is_long_enough_is_called_so(self):
        warmup = self.result("queue.toml")["warmup"]
        self.assertEqual(warmup["declared"], 60)
        self.assertTrue(warmup["enough"])
        self.assertIsNone(warmup["reason"])
        self.assertIn("Warm-up 60 s: enough", self.basin("run", "queue.toml").stdout)

    def test_what_is_too_short_is_warned_of(self):
        # Starts empty; a load of 0.95 takes minutes to settle.
        words = ["queue.toml", "--set", "arrivals.rate=9.5/s", "--set", "simulation.warmup=0s"]
        words += ["--set", "simulation.horizon=10min", "--replications", "100"]
        done = self.basin("run", *words, "--json")
        warmup = json.loads(done.stdout)["warmup"]
        self.assertEqual(warmup["declared"], 0)
        self.assertFalse(warmup["enough"])
        self.assertGreater(warmup["mser5"], 0)
        self.assertLess(warmup["bias"], -0.01)
        self.assertIn("warning: the warm-up of 0 s is too short", done.stderr)
        quiet = self.basin("run", *words, "--quiet")
        self.assertEqual(quiet.stderr, "")
        self.assertIn("Warm-up 0 s: too short", quiet.stdout)

    def test_no_alarm_where_there_is_no_steady_state(self):
        (self.path / "day.toml").write_text(
            QUEUE.replace('process = "poisson"\nrate = "8/s"', 'process = "schedule"\n'
                          + "steps = [{ at = \"0s\", rate = \"2/s\" }, { at = \"5min\", rate = \"8/s\" }]")
        )
        for words, reason in (
            (["queue.toml", "--set", "arrivals.rate=12/s"], "drifts"),
            (["day.toml"], "schedule"),
            (["queue.toml", "--set", "simulation.sample_interval=100s"], "too short"),
        ):
            done = self.basin("run", *words, "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            warmup = json.loads(done.stdout)["warmup"]
            self.assertIsNone(warmup["mser5"])
            self.assertIsNone(warmup["enough"])
            self.assertIn(reason, warmup["reason"])


class OneReplication(Statistics):
    def test_has_intervals_by_batch_means(self):
        result = self.result("outage.toml", "--replications", "1")
        control = result["metrics"]["control"]
        for name in ("mean_depth", "mean_wait"):
            self.assertEqual(control[name]["method"], "batch_means")
            self.assertLess(control[name]["low"], control[name]["mean"])
            self.assertGreater(control[name]["high"], control[name]["mean"])
            self.assertIsNone(result["metrics"]["triggered"][name]["method"])
        self.assertIsNone(control["throughput"]["method"])
        self.assertIsNone(control["throughput"]["low"])
        self.assertIn(result["batch_means"]["batches"], (10, 15, 20))
        self.assertIn("batch means", self.basin("run", "outage.toml", "--replications", "1").stdout)

    def test_says_why_it_has_none(self):
        result = self.result("queue.toml", "--replications", "1", "--set", "arrivals.rate=12/s")
        self.assertIsNone(result["metrics"]["control"]["mean_depth"]["method"])
        self.assertIn("steady state", result["batch_means"]["reason"])

    def test_samples_that_never_see_the_queue_make_no_interval(self):
        result = self.result("queue.toml", "--replications", "1", "--set", "arrivals.rate=0.05/s")
        self.assertGreater(result["metrics"]["control"]["mean_depth"]["mean"], 0)
        self.assertIsNone(result["metrics"]["control"]["mean_depth"]["method"])
        self.assertIn("too rare", result["batch_means"]["reason"])

    def test_two_replications_have_theirs(self):
        result = self.result("queue.toml", "--replications", "2")
        self.assertEqual(result["metrics"]["control"]["mean_depth"]["method"], "replications")
        self.assertIsNone(result["batch_means"])


class Table(Statistics):
    def test_columns_are_aligned_and_intervals_stay_within_what_can_be(self):
        done = self.basin(
            "run", "outage.toml", "--replications", "3", "--explain",
            "--set", "arrivals.rate=1.5/s", "--set", "consumers.service.rate=20/s",
        )
        lines = done.stdout.splitlines()
        head = next(k for k, line in enumerate(lines) if line.startswith("mean (95%"))
        columns = [lines[head].index(arm) for arm in ("control", "triggered", "unamplified")]
        for line in lines[head + 1 :]:
            if line.startswith(("Warm-up", "Common")):
                break
            for column in columns:
                self.assertEqual(line[column - 1], " ", line)
                self.assertNotEqual(line[column], " ", line)
            self.assertNotIn("(-", line)
            if line.startswith("goodput ratio"):
                self.assertNotIn("to 1.0", line)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
