"""Drives `basin size`: what it prints, what it refuses, how it stops.

Usage: size_test.py PROGRAM [unittest options]
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

STEADY = """
name = "steady"
[simulation]
horizon = "20min"
[arrivals]
rate = "16/s"
[consumers]
count = 5
service = { distribution = "exponential", rate = "4/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "1min"
duration = "1min"
[[incident]]
name = "flood"
case = "bad-day"
kind = "backlog"
start = "1min"
messages = 200
[[incident]]
name = "slow"
case = "bad-day"
kind = "slowdown"
start = "1min"
duration = "20s"
speed = 0.5
[objective]
latency = "10s"
recovery_time = "2min"
"""


class Size(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.steady = pathlib.Path(self.folder.name) / "steady.toml"
        self.steady.write_text(STEADY)

    def basin(self, *words, code=0, verb="size"):
        done = subprocess.run(
            [PROGRAM, verb, *map(str, words)], capture_output=True, text=True, timeout=600
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_the_level_the_cases_and_the_arithmetic(self):
        words = (self.steady, "--lever", "consumers.count", "--to", "20", "--max-runs", "120")
        done = self.basin(*words)
        self.assertIn("The smallest consumers.count", done.stdout)
        for text in ("outage", "bad-day", "Arithmetic: ceil(lambda/mu"):
            self.assertIn(text, done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
        result = json.loads(self.basin(*words, "--json", "--threads", "7").stdout)
        self.assertEqual([c["name"] for c in result["cases"]], ["outage", "bad-day"])
        self.assertEqual(result["cases"][1]["incidents"], ["flood", "slow"])
        self.assertIn(result["found"]["value"], (6, 7, 8, 9))
        self.assertLessEqual(result["found"]["low"], result["found"]["probability"])
        self.assertEqual(result["headroom"]["consumers"], 6)
        self.assertEqual(
            result, json.loads(self.basin(*words, "--json", "--threads", "1").stdout)
        )

    def test_run_takes_all_cases_at_once(self):
        done = self.basin(self.steady, "--json", "--replications", "2", verb="run")
        self.assertEqual(json.loads(done.stdout)["verb"], "run")

    def test_what_is_wrong_is_said(self):
        lever = ("--lever", "consumers.count")
        for words, message in (
            ((self.steady,), "size needs --lever"),
            ((self.steady, "--lever", "consumers.counts"), "did you mean consumers.count?"),
            ((self.steady, "--lever", "queue.order"), "has no number to search"),
            ((self.steady, *lever, "--probability", "1"), "--probability takes"),
            ((self.steady, *lever, "--largest", "--smallest"), "not both"),
            ((self.steady, *lever, "--from", "9", "--to", "8"), "no range"),
            (("cliff", *lever, "--set", "incident.backlog.weight=0"), "more than 0"),
            (("three-am", *lever, "--sweep", "arrivals.rate=1/s,2/s"), "takes no --sweep"),
        ):
            with self.subTest(words=words):
                done = self.basin(*words, code=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_an_interrupt_ends_it(self):
        process = subprocess.Popen(
            [PROGRAM, "size", "three-am", "--lever", "consumers.count"],
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
