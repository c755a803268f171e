"""Drives refined sweeps: the phases of the full grid from a fraction of its runs.

Usage: refine_test.py PROGRAM [unittest options]
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from hash_arrays import hash_of

PROGRAM = ""

# A server of 30/s with a retry: an outage tips it above 15/s, if it is long enough.
SCENARIO = """
name = "server"
[simulation]
horizon = "4min"
replications = 16
[arrivals]
rate = "20/s"
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
[sweep]
axes = [
  { key = "arrivals.rate", from = "4/s", to = "28/s", steps = 17 },
  { key = "incident.outage.duration", from = "1s", to = "17s", steps = 17 },
]
"""
REFINE = 'refine = { levels = 3, replications = 8, most_replications = 16 }\n'


class Refine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.refined = self.folder / "refined.toml"
        self.refined.write_text(SCENARIO + REFINE)
        self.full = self.folder / "full.toml"
        self.full.write_text(SCENARIO)

    def basin(self, verb, *words, code=0):
        done = subprocess.run(
            [PROGRAM, verb, *map(str, words)], capture_output=True, text=True, timeout=250
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def sweep(self, scenario, name, *words):
        done = self.basin("sweep", scenario, "-o", self.folder / name, "--json", *words)
        return json.loads(done.stdout)

    def test_no_decided_phase_of_the_full_grid_is_wrong(self):
        full = self.sweep(self.full, "full.h5", "--trajectories", "none")
        refined = self.sweep(self.refined, "refined.h5", "--trajectories", "none")
        runs = refined["refinement"]["runs"]
        self.assertLess(runs, 0.5 * refined["refinement"]["runs_of_full_grid"])
        for i in range(17):
            for j in range(17):
                if full["decided"][i][j]:
                    self.assertEqual(full["phase"][i][j], refined["phase"][i][j], (i, j))
        boundary = refined["refinement"]["boundary"]
        self.assertGreater(len(boundary), 10)
        for point in boundary:
            place = point["first"] if point["along_first"] else point["second"]
            self.assertLessEqual(point["low"], place)
            self.assertGreaterEqual(point["high"], place)
        # Shorter outages than the timeout tip nothing, and nothing tips below C/A = 15/s.
        self.assertGreater(min(point["first"] for point in boundary), 13)

    def test_the_same_from_any_threads_and_after_kills(self):
        whole = self.sweep(self.refined, "whole.h5", "--threads", "1")
        for _ in range(4):
            process = subprocess.Popen(
                [PROGRAM, "sweep", self.refined, "-o", self.folder / "killed.h5", "--quiet"],
                stdout=subprocess.DEVNULL,
            )
            time.sleep(0.7)
            process.send_signal(signal.SIGKILL)
            process.wait()
        killed = self.sweep(self.refined, "killed.h5", "--threads", "3")
        self.assertEqual(whole["phase"], killed["phase"])
        self.assertEqual(
            hash_of(self.folder / "whole.h5"), hash_of(self.folder / "killed.h5")
        )
        # Started again there is nothing to do, and the same is said.
        again = self.sweep(self.refined, "whole.h5")
        self.assertEqual(again["refinement"], whole["refinement"])
        self.assertEqual(again["phase"], whole["phase"])
        text = self.basin("sweep", self.refined, "-o", self.folder / "whole.h5").stdout
        self.assertIn("Half of the runs come back at:", text)
        self.assertIn("of a full grid's", text)

    def test_along_one_axis_it_is_a_search_for_the_edge(self):
        scenario = self.folder / "line.toml"
        scenario.write_text(
            SCENARIO[: SCENARIO.index("[sweep]")]
            + """
            [sweep]
            axes = [{ key = "arrivals.rate", from = "4/s", to = "36/s", steps = 257 }]
            refine = { levels = 6, replications = 8, most_replications = 8 }
            """
        )
        result = self.sweep(scenario, "line.h5", "--set", "incident.outage.duration=20s")
        points = result["refinement"]["boundary"]
        # C/A = 30/2: at the edge the backlog neither grows nor drains. In four minutes
        # the reading is a little lower.
        self.assertGreater(points[0]["first"], 13.5)
        self.assertLess(points[0]["first"], 15.2)
        self.assertLess(result["refinement"]["runs"], 0.3 * 257 * 8)

    def test_what_is_wrong_is_said(self):
        def fails(text, message, *words):
            path = self.folder / "wrong.toml"
            path.write_text(text)
            done = self.basin("sweep", path, "-o", self.folder / "x.h5", *words, code=2)
            self.assertIn(message, done.stderr)

        fails(SCENARIO + "refine = { levels = 5 }\n", "expected 33")
        fails(SCENARIO + REFINE.replace("levels", "level"), "did you mean")
        fails(SCENARIO + REFINE.replace("= 16", "= 4"), "less than replications")
        fails(SCENARIO + REFINE, "no --shard", "--shard", "1/2")
        fails(SCENARIO + REFINE + 'where = "arrivals.rate > 1/s"\n', "do not go together")
        values = '[sweep]\naxes = [{ key = "arrivals.rate", values = ["4/s", "5/s"] }]\n'
        fails(
            SCENARIO[: SCENARIO.index("[sweep]")] + values + REFINE, "nothing to refine"
        )


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
