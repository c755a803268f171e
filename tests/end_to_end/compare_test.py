"""basin compare, from outside: pairs, notes, exit codes, texts that fit a terminal.

Usage: compare_test.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""

SMALL = """
name = "small"
[simulation]
horizon = "300s"
warmup = "10s"
replications = 5
seed = 3
[arrivals]
process = "poisson"
rate = "80/s"
[producer]
timeout = "1s"
max_attempts = 2
[consumers]
count = 1
service = { distribution = "deterministic", rate = "100/s" }
[objective]
latency = "2s"
recovery_time = "1min"
"""

OUTAGE = """
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "30s"
duration = "10s"
"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "small.toml").write_text(SMALL + OUTAGE)
        (self.path / "calm.toml").write_text(SMALL)

    def basin(self, *words):
        return subprocess.run(
            [PROGRAM, *words],
            cwd=self.path,
            env=dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8"),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def compared(self, *words):
        done = self.basin("compare", *words, "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_differences_are_those_of_the_two_runs(self):
        result = self.compared("small.toml", "--with", "consumers.service.rate=110/s")
        runs = [
            json.loads(self.basin("run", "small.toml", "--json", *more).stdout)
            for more in ([], ["--set", "consumers.service.rate=110/s"])
        ]
        for arm in ("control", "triggered"):
            for metric in ("mean_depth", "throughput", "peak_depth"):
                a, b = (run["metrics"][arm][metric]["replications"] for run in runs)
                difference = result["differences"][arm][metric]
                pairs = [y - x for x, y in zip(a, b)]
                self.assertAlmostEqual(difference["difference"]["mean"], statistics.mean(pairs))
                # Student's t, 4 degrees of freedom, 97.5%.
                half = 2.7764451 * statistics.stdev(pairs) / 5**0.5
                self.assertAlmostEqual(
                    difference["difference"]["high"], statistics.mean(pairs) + half, places=5
                )
                factor = (statistics.variance(a) + statistics.variance(b)) / statistics.variance(pairs)
                self.assertAlmostEqual(difference["variance_reduction"] / factor, 1, places=6)
        self.assertEqual(result["a"]["verdict"], runs[0]["verdict"])
        self.assertEqual(result["b"]["verdict"], runs[1]["verdict"])
        self.assertEqual(
            result["changes"], [{"key": "consumers.service.rate", "a": "100/s", "b": "110/s"}]
        )

    def test_a_fix_shows_in_the_pairs(self):
        result = self.compared("small.toml", "--with", "producer.max_attempts=1")
        self.assertEqual(result["a"]["verdict"]["phase"], "vulnerable")
        self.assertEqual(result["b"]["verdict"]["phase"], "stable")
        recovered = result["recovered"]
        self.assertEqual((recovered["a_alone"], recovered["b_alone"]), (0, 5))
        self.assertAlmostEqual(recovered["sign_test_p"], 2 / 2**5)
        self.assertEqual(recovered["difference"]["estimate"], 1)
        # The same requests arrive, and without retries nothing else does.
        base = result["differences"]["triggered"]["base_rate"]
        self.assertTrue(base["identical"])
        self.assertFalse(base["excludes_zero"])
        self.assertTrue(result["differences"]["triggered"]["retry_rate"]["excludes_zero"])
        # Failures are infinite latencies: a reason instead of a difference.
        latency = result["differences"]["triggered"]["latency_p50"]
        self.assertIsNone(latency["difference"]["mean"])
        self.assertEqual(latency["reason"], "infinite: 5 of 5 in A, 0 in B")

    def test_with_several_changes_and_with_a_second_scenario(self):
        result = self.compared(
            "calm.toml", "small.toml", "--with", "consumers.count=2", "--with", "producer.timeout=3s"
        )
        changed = {change["key"]: change["b"] for change in result["changes"]}
        self.assertEqual(changed["consumers.count"], "2")
        self.assertEqual(changed["producer.timeout"], "3s")
        self.assertEqual(changed["incident.outage.duration"], "10s")

    def test_without_incidents_in_one_the_judged_arms_are_compared_too(self):
        done = self.basin("compare", "small.toml", "calm.toml", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("B has no incidents", done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(list(result["differences"]), ["control", "triggered_and_control"])
        self.assertTrue(result["differences"]["control"]["mean_depth"]["identical"])
        self.assertTrue(
            result["differences"]["triggered_and_control"]["mean_depth"]["excludes_zero"]
        )

    def test_says_what_it_overrides_and_what_does_not_compare(self):
        other = SMALL.replace("seed = 3", "seed = 4").replace("replications = 5", "replications = 6")
        (self.path / "other.toml").write_text(other.replace('"300s"', '"400s"'))
        done = self.basin("compare", "calm.toml", "other.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seed 3 of A, not with its own 4", done.stderr)
        self.assertIn("5 replications of A, not with its own 6", done.stderr)
        self.assertIn("the measured parts differ", done.stderr)

    def test_the_number_of_threads_changes_no_byte(self):
        texts = {
            self.basin(
                "compare", "small.toml", "calm.toml", "--json", "--threads", threads
            ).stdout
            for threads in ("1", "3")
        }
        self.assertEqual(len(texts), 1)

    def test_fits_a_terminal_and_prints_no_nan(self):
        for more in (
            ["small.toml", "--with", "producer.max_attempts=1", "--explain"],
            ["small.toml", "calm.toml", "--replications", "1"],
            ["small.toml", "small.toml"],
            ["small.toml", "--with", "objective.recovery_time=2min"],
            ["calm.toml", "--with", "arrivals.rate=0.001/s"],
        ):
            done = self.basin("compare", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)
            self.assertNotIn("nan", done.stdout.lower())

    def test_refuses_what_it_cannot_compare(self):
        for words, message in (
            (["small.toml"], "two scenarios, or one and what is different"),
            ([], "two scenarios"),
            (["small.toml", "calm.toml", "small.toml"], "two scenarios"),
            (["small.toml", "--with", "producer.timout=1s"], "--with #1: producer.timout"),
            (["small.toml", "calm.toml", "--sweep", "consumers.count=1,2"], "no --sweep"),
        ):
            done = self.basin("compare", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
