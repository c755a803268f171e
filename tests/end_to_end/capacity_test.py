"""Drives `basin capacity`: what it prints, what it refuses, how it stops.

Usage: capacity_test.py PROGRAM [unittest options]
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""

# A server of 30/s with a retry, for ten minutes: comes back below 15/s.
SMALL = """
name = "small"
[simulation]
horizon = "10min"
[arrivals]
rate = "28/s"
[producer]
timeout = "1s"
max_attempts = 2
[consumers]
service = { distribution = "deterministic", rate = "30/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "30s"
duration = "10s"
[objective]
latency = "2s"
"""


class Capacity(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.small = pathlib.Path(self.folder.name) / "small.toml"
        self.small.write_text(SMALL)

    def basin(self, *words, code=0):
        done = subprocess.run(
            [PROGRAM, "capacity", *map(str, words)], capture_output=True, text=True, timeout=600
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_both_capacities_with_their_intervals_and_todays_margin(self):
        done = self.basin(self.small, "--precision", "5%")
        self.assertIn("advertised (no trigger)", done.stdout)
        self.assertIn("if tipped, it stays down", done.stdout.replace("\n", " "))
        self.assertIn("A = 1 + r", done.stdout)
        self.assertIn("the horizon is 10 min", done.stderr)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
        self.assertEqual(self.basin(self.small, "--precision", "0.05", "--quiet").stderr, "")

    def test_the_json_is_the_same_from_any_number_of_threads(self):
        texts = {
            self.basin(self.small, "--json", "--precision=5%", "--threads", n).stdout
            for n in (1, 2, 7)
        }
        self.assertEqual(len(texts), 1)
        result = json.loads(texts.pop())
        self.assertEqual(result["verb"], "capacity")
        # So small a server collapses by itself at 90% utilization.
        for name, low, high in (("advertised", 26, 30), ("hidden_saturated", 14, 15.1)):
            found = result[name]
            self.assertGreater(found["estimate"], low, name)
            self.assertLess(found["estimate"], high, name)
            self.assertLessEqual(found["low"], found["estimate"])
            self.assertGreaterEqual(found["high"], found["estimate"])
            self.assertEqual(sum(p["runs"] for p in found["points"]), found["runs"])
        self.assertGreater(result["saturated_start"]["messages"], 100)
        self.assertEqual(result["theory"]["attempts"], 2)

    def test_a_table_along_a_second_key(self):
        done = self.basin(
            self.small, "--precision", "10%", "--over", "producer.max_attempts=1,2,3"
        )
        rows = [line for line in done.stdout.splitlines() if line[:2] in ("1 ", "2 ", "3 ")]
        self.assertEqual(len(rows), 3)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_what_is_wrong_is_said(self):
        for words, message in (
            ((), "needs a scenario"),
            ((self.small, "--load", "arrivals.rat"), "did you mean arrivals.rate?"),
            ((self.small, "--precision", "much"), "--precision takes"),
            ((self.small, "--precision", "0%"), "--precision takes"),
            ((self.small, "--max-runs", "0"), "--max-runs takes"),
            ((self.small, "--saturated-delay", "9"), "--saturated-delay"),
            ((self.small, "--from", "30/s", "--to", "20/s"), "no range of loads"),
            ((self.small, "--over", "producer.max_attempts"), "--over"),
            ((self.small, "--over", "producer.max_attempts=1,1"), "twice"),
            ((self.small, "--sweep", "arrivals.rate=1/s,2/s"), "takes no --sweep"),
        ):
            with self.subTest(words=words):
                done = self.basin(*words, code=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_an_interrupt_ends_it(self):
        process = subprocess.Popen(
            [PROGRAM, "capacity", "metastable-server"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(out, "")
        self.assertIn("SIGINT", err)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
