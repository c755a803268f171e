"""Drives `basin theory`: forms that apply and why others do not, beside a simulation.

Usage: theory_test.py PROGRAM [unittest options]
"""

import json
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


class Theory(unittest.TestCase):
    def basin(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [PROGRAM, "theory", *words], cwd=folder, capture_output=True, text=True, timeout=300
            )

    def forms(self, *words):
        done = self.basin(*words, "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        return result, {form["name"]: form for form in result["forms"]}

    def test_every_form_has_values_or_a_reason(self):
        for scenario in ("cliff", "retry-storm", "batch-fill", "bursty-trace", "three-am"):
            _, forms = self.forms(scenario)
            for form in forms.values():
                self.assertEqual(form["applies"], form["why_not"] is None, form["name"])
                self.assertEqual(form["applies"], len(form["values"]) > 0, form["name"])

    def test_a_simulation_stands_beside_the_values(self):
        result, forms = self.forms("cliff", "--simulate", "--replications", "4")
        self.assertTrue(result["simulated"])
        self.assertGreaterEqual(result["exact_values"]["compared"], 4)
        depth = next(v for v in forms["M/M/c"]["values"] if v["quantity"] == "mean depth")
        self.assertLess(depth["simulated"]["low"], depth["simulated"]["high"])

    def test_reads_as_text(self):
        done = self.basin("retry-storm", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("recovers from any trigger below C/A      150/s", done.stdout)
        self.assertIn("M/M/1: producers retry (max_attempts = 2)", done.stdout)
        self.assertNotIn("nan", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_what_is_wrong_is_refused(self):
        self.assertEqual(self.basin().returncode, 2)
        self.assertEqual(self.basin("cliff", "--simulat").returncode, 2)
        self.assertEqual(self.basin("cliff", "--set", "consumers.count=0").returncode, 2)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
