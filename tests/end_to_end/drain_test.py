"""Drives `basin drain`: the numbers of a backlog from flags and from a scenario.

Usage: drain_test.py PROGRAM [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""

FLEET = ["--arrival-rate", "10k/s", "--service-rate", "400/s"]
STORM = ["--timeout", "30s", "--retries-per-timeout"]


class Drain(unittest.TestCase):
    def basin(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [PROGRAM, "drain", *words], cwd=folder, capture_output=True, text=True, timeout=60
            )

    def result(self, *words):
        done = self.basin(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def fleet(self, consumers, *words):
        return self.result(*FLEET, "--consumers", consumers, *words)

    def test_the_first_line_is_the_answer(self):
        for consumers, words, line in (
            ("32", [], "Drains in 21 min 26 s."),
            ("25", [], "Never drains: capacity equals arrivals, so there is no surplus."),
            ("32", [*STORM, "1.5"], "Never drains: retries exceed the surplus, so the backlog grows."),
            ("32", [*STORM, "0.28"], "Never drains: retries take up the whole surplus."),
        ):
            done = self.basin(*FLEET, "--consumers", consumers, "--backlog", "3.6M", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines()[0], line)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
            self.assertIn("--rto 30min", done.stdout)

    def test_the_published_numbers(self):
        lost = self.fleet("25", "--lost-consumers", "15", "--incident", "10min", "--rto", "30min")
        self.assertEqual(lost["backlog"], 3_600_000)
        self.assertIsNone(lost["drain_time"])
        self.assertEqual(lost["headroom"], 30)
        thirty = self.fleet("30", "--backlog", "3.6M", "--rto", "30min", "--accumulation", "10k/s")
        self.assertEqual(thirty["drain_time"], 1800)
        self.assertTrue(thirty["within_recovery_time"])
        self.assertEqual(thirty["longest_incident"], 360)
        five = self.fleet("25", "--backlog", "5M", "--rto", "30min")
        self.assertEqual(five["headroom"], 32)
        half = self.result(
            *["--arrival-rate", "5k/s", "--consumers", "20", "--service-rate", "400/s"],
            *["--backlog", "600k", "--sla", "10s"],
        )
        self.assertEqual(half["wait_steady"], 120)
        self.assertEqual(half["sla_depth"], 50_000)

    def test_the_recursion_of_retries(self):
        storm = self.fleet("32", "--backlog", "3.6M", *STORM, "1.5", "--steps", "36000")["retries"]
        self.assertFalse(storm["drains"])
        self.assertEqual(storm["depth_before_last_step"], 442_787_800)
        self.assertEqual(storm["peak_depth"], 442_800_000)
        self.assertEqual(storm["critical_retries"], 0.28)
        self.assertEqual(self.fleet("32", "--backlog", "3.6M", *STORM, "0")["retries"]["drain_time"], 1286)
        slow = self.fleet("32", "--backlog", "3.6M", *STORM, "0.25")["retries"]
        self.assertAlmostEqual(slow["drain_time"] / 60, 187.8, places=1)
        long = self.fleet("32", "--backlog", "3.6M", *STORM, "0.28", "--steps", "1G")["retries"]
        self.assertEqual(long["final_depth"], 3_600_000)

    def test_a_scenario_gives_the_values_and_flags_override_them(self):
        night = self.result("three-am")
        self.assertEqual(night["backlog"], 3_600_000)
        self.assertEqual(night["headroom"], 30)
        self.assertFalse(night["drains"])
        self.assertEqual(self.result("three-am", "--rto", "1h")["headroom"], 28)
        self.assertEqual(self.result("three-am", "--set", "consumers.count=30")["surplus"], 2_000)
        self.assertEqual(self.result("three-am", "--consumers", "30", "--backlog", "1M")["drain_time"], 500)

    def test_bad_values_name_the_flag_and_what_was_expected(self):
        fleet = [*FLEET, "--consumers", "32"]
        for words, says in (
            ([], ["--arrival-rate (such as 10k/s)", "--consumers", "--service-rate"]),
            ([*FLEET, "--consumers", "2.5"], ["--consumers", "whole number"]),
            ([*FLEET, "--consumers", "-3"], ["--consumers", "negative"]),
            ([*fleet, "--backlog", "lots"], ["--backlog", "3.6M"]),
            ([*fleet, "--rto", "30"], ["--rto", "no unit"]),
            ([*fleet, "--rto", "0s"], ["--rto", "not above zero"]),
            ([*fleet, "--sla", "10/s"], ["--sla", "expected a duration"]),
            ([*fleet, "--bump", "10"], ["--bump", "percentage"]),
            ([*fleet, "--accumulation", "10k"], ["--accumulation", "no unit"]),
            ([*fleet, "--lost-consumers", "33"], ["more consumers are lost (33) than there are (32)"]),
            ([*fleet, "--retries-per-timeout", "1"], ["--retries-per-timeout needs --timeout"]),
            ([*fleet, "--retries-per-timeout", "nan", "--timeout", "1s"], ["--retries-per-timeout"]),
            ([*fleet, "--steps", "0"], ["--steps"]),
            ([*fleet, "--seed", "1"], ["need a scenario"]),
            ([*fleet, "--bakclog", "1"], ["did you mean --backlog"]),
            (["three-an"], ["did you mean 'three-am'"]),
        ):
            done = self.basin(*words)
            self.assertEqual(done.returncode, 2, (words, done.stdout, done.stderr))
            self.assertEqual(done.stdout, "")
            for text in says:
                self.assertIn(text, done.stderr)

    def test_help_lists_every_flag(self):
        done = self.basin("--help")
        self.assertEqual(done.returncode, 0)
        for flag in ("--backlog", "--rto", "--provisioning-lag", "--json"):
            self.assertIn(flag, done.stdout)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
