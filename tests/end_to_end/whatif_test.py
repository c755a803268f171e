"""Drives `basin whatif`: the least that brings a stuck system back.

Usage: whatif_test.py PROGRAM [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""

# A tenth of the published retry storm in rate and of its times: seconds to search.
STORM = """
name = "storm"
[simulation]
horizon = "600s"
replications = 3
[arrivals]
process = "poisson"
rate = "28/s"
[producer]
timeout = "2s"
max_attempts = 2
[consumers]
service = { distribution = "deterministic", rate = "30/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "50s"
duration = "10s"
[objective]
hold = "30s"
"""


class WhatIf(unittest.TestCase):
    def basin(self, *words, text=STORM):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "storm.toml").write_text(text)
            return subprocess.run(
                [PROGRAM, "whatif", "storm.toml", *words],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=300,
            )

    def result(self, *words, text=STORM):
        done = self.basin(*words, "--json", "--quiet", text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def refusal(self, *words, text=STORM):
        done = self.basin(*words, text=text)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_the_table_fits_a_terminal_and_says_when(self):
        done = self.basin("--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("Operators act at 90s (30 s after the last incident)", lines[1])
        self.assertIn("Stuck.", lines[4])
        self.assertIn("do nothing", done.stdout)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_every_kind_is_answered(self):
        answer = self.result("--at", "100s", "--rto", "5min")
        self.assertEqual((answer["at"], answer["rto"]), (100, 300))
        self.assertFalse(answer["recovers_by_itself"])
        self.assertEqual(answer["nothing"]["recovered"]["count"], 0)
        self.assertEqual(answer["nothing"]["recovery_time"]["p50"], None)
        kinds = {one["kind"]: one for one in answer["interventions"]}
        self.assertEqual(
            list(kinds), ["shed", "add_consumers", "retries_off", "drop_expired", "purge"]
        )
        # The queue of about 1,400 must drain in 300 s, at 30/s less two messages a request.
        self.assertGreater(kinds["shed"]["enough"]["to"], 10)
        self.assertLess(kinds["shed"]["enough"]["to"], 14)
        self.assertAlmostEqual(
            kinds["shed"]["not_enough"]["to"] - kinds["shed"]["enough"]["to"], 0.56
        )
        # One more server drains it at 4/s, two at 34/s.
        self.assertEqual(kinds["add_consumers"]["not_enough"]["count"], 1)
        self.assertEqual(kinds["add_consumers"]["enough"]["count"], 2)
        self.assertLessEqual(kinds["add_consumers"]["enough"]["recovery_time"]["p90"], 300)
        purge = kinds["purge"]["enough"] or kinds["purge"]["not_enough"]
        self.assertGreater(purge["messages_dropped"], 1000)
        self.assertEqual(answer["full_load_again"]["stays_healthy"]["count"], 3)

    def test_the_number_of_threads_changes_no_byte(self):
        one = self.basin("--threads", "1", "--json")
        two = self.basin("--threads", "2", "--json")
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual(one.stdout, two.stdout)

    def test_what_comes_back_by_itself_needs_nothing(self):
        answer = self.result("--set", "arrivals.rate=12/s", "--rto", "5min")
        self.assertTrue(answer["recovers_by_itself"])
        self.assertEqual(answer["interventions"], [])
        done = self.basin("--set", "arrivals.rate=12/s", "--rto", "5min")
        self.assertIn("comes back by itself", done.stdout)

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("too late for a recovery", self.refusal("--at", "590s"))
        self.assertIn("warm-up", self.refusal("--at", "1s", "--set", "simulation.warmup=20s"))
        self.assertIn('--at: "200" has no unit', self.refusal("--at", "200"))
        self.assertIn("is not above zero", self.refusal("--rto", "0s"))
        self.assertIn("expected 0.1% to 50%", self.refusal("--precision", "70%"))
        self.assertIn("--explain", self.refusal("--explain"))
        calm = STORM[: STORM.index("[[incident]]")]
        self.assertIn("no incident", self.refusal(text=calm))
        careless = STORM.replace('timeout = "2s"\nmax_attempts = 2', "")
        self.assertIn("what success is", self.refusal(text=careless))

    def test_an_rto_past_the_horizon_is_noted(self):
        done = self.basin("--at", "500s", "--rto", "1h", "--set", "arrivals.rate=12/s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("what takes longer counts as not back", done.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
