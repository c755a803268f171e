"""Drives sweeps that stop, go on, grow and are shared out: nothing is lost, nothing is done
twice, and the arrays are those of one undisturbed sweep.

Usage: resume_test.py PROGRAM [unittest options]
"""

import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from hash_arrays import hash_of

PROGRAM = ""
SCENARIO = pathlib.Path(__file__).with_name("small_sweep.toml")
# About a second of work in some hundred runs, and far more than a test waits for.
LONGER = ("--set", "simulation.horizon=20min")
LONG = ("--replications", "30", *LONGER)
ENDLESS = ("--replications", "3000", *LONGER)


class Resume(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def basin(self, verb, *words, code=0):
        done = subprocess.run(
            [PROGRAM, verb, *map(str, words)], capture_output=True, text=True, timeout=250
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def sweep(self, name, *words, code=0):
        return self.basin("sweep", SCENARIO, "-o", self.folder / name, *words, code=code)

    def start(self, name, *words):
        return subprocess.Popen(
            [PROGRAM, "sweep", SCENARIO, "-o", self.folder / name, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def status(self, name):
        return json.loads(self.basin("status", self.folder / name, "--json").stdout)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def wait_for_shards(self, name, process, count=1):
        folder = self.folder / (name + ".parts")
        while process.poll() is None and len(list(folder.glob("runs-*.h5"))) < count:
            time.sleep(0.02)

    def test_killed_ten_times_and_resumed(self):
        self.sweep("whole.h5", *LONG)
        chance = random.Random(5)
        for _ in range(10):
            process = self.start("killed.h5", *LONG)
            time.sleep(chance.uniform(0.1, 1.0))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        self.sweep("killed.h5", *LONG)
        self.assertEqual(
            hash_of(self.folder / "killed.h5"), hash_of(self.folder / "whole.h5")
        )
        self.assertEqual(self.names(), ["killed.h5", "whole.h5"])

    def test_a_signal_keeps_what_is_done_and_says_how_to_go_on(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            name = f"{code}.h5"
            process = self.start(name, *ENDLESS)
            self.wait_for_shards(name, process)
            begin = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, code, err)
            self.assertEqual(out, "")
            self.assertIn("the same command goes on", err)
            self.assertFalse((self.folder / name).exists())
            # Two seconds are promised; shared machines are slow.
            self.assertLess(time.monotonic() - begin, 10)
            self.assertGreater(self.status(name)["runs_done"], 0)

    def test_a_time_limit_stops_in_time(self):
        stopped = self.sweep(
            "limited.h5", *ENDLESS, "--time-limit", "1s", code=143
        )
        self.assertIn("time limit", stopped.stderr)
        before = self.status("limited.h5")["runs_done"]
        self.assertGreater(before, 0)
        self.sweep("limited.h5", *ENDLESS, "--time-limit=1s", code=143)
        self.assertGreater(self.status("limited.h5")["runs_done"], before)
        self.assertIn("--time-limit", self.sweep("x.h5", "--time-limit=0s", code=2).stderr)

    def test_shards_of_any_number_are_one_sweep(self):
        self.sweep("whole.h5")
        for count in (1, 3, 40):
            name = f"of-{count}.h5"
            for task in range(1, count + 1):
                self.sweep(name, "--shard", f"{task}/{count}", "--quiet")
            merged = json.loads(self.basin("merge", self.folder / name, "--json").stdout)
            self.assertEqual(merged["missing_cells"], 0)
            self.assertEqual(hash_of(self.folder / name), hash_of(self.folder / "whole.h5"))
            self.assertFalse((self.folder / (name + ".parts")).exists())
            # Merging again changes nothing.
            self.basin("merge", self.folder / name)
            self.assertEqual(hash_of(self.folder / name), hash_of(self.folder / "whole.h5"))
        for wrong in ("0/3", "4/3", "3", "a/b", "1/2/3"):
            self.assertIn("--shard", self.sweep("x.h5", "--shard", wrong, code=2).stderr)

    def test_merge_says_what_is_missing_and_takes_other_folders(self):
        self.sweep("whole.h5")
        self.sweep("here.h5", "--shard", "1/2")
        self.sweep("there.h5", "--shard", "2/2")
        incomplete = self.basin("merge", self.folder / "here.h5", code=1)
        self.assertIn("missing", incomplete.stderr)
        self.assertGreater(self.status("here.h5")["cells_missing"], 0)
        self.basin("merge", self.folder / "here.h5", self.folder / "there.h5.parts")
        self.assertEqual(hash_of(self.folder / "here.h5"), hash_of(self.folder / "whole.h5"))
        self.assertEqual(self.status("here.h5")["cells_missing"], 0)
        self.assertIn(
            "nothing to merge", self.basin("merge", self.folder / "no.h5", code=4).stderr
        )

    def test_what_is_merged_with_holes_is_completed_by_the_sweep(self):
        self.sweep("whole.h5")
        self.sweep("part.h5", "--shard", "1/3")
        self.basin("merge", self.folder / "part.h5", code=1)
        self.sweep("part.h5")
        self.assertEqual(hash_of(self.folder / "part.h5"), hash_of(self.folder / "whole.h5"))

    def test_more_replications_and_values_reuse_what_is_there(self):
        more = ("--replications", "6", "--sweep", "arrivals.rate=20/s,30/s,35/s,60/s")
        for trajectories in ("none", "all"):
            keep = ("--trajectories", trajectories)
            self.sweep("whole.h5", *keep, *more)
            self.sweep("grown.h5", *keep)
            grown = self.sweep("grown.h5", *keep, *more)
            self.assertIn("72 of 144 runs were there already", grown.stderr)
            self.assertEqual(
                hash_of(self.folder / "grown.h5"), hash_of(self.folder / "whole.h5")
            )
            for name in ("grown.h5", "whole.h5"):
                (self.folder / name).unlink()

    def test_a_summary_of_trajectories_reuses_values_but_not_replications(self):
        self.sweep("grown.h5")
        wider = ("--sweep", "arrivals.rate=20/s,30/s,35/s,60/s")
        self.assertIn("72 of 96 runs were there", self.sweep("grown.h5", *wider).stderr)
        deeper = (*wider, "--replications", "5")
        self.assertIn("done again", self.sweep("grown.h5", *deeper).stderr)
        self.sweep("whole.h5", *deeper)
        self.assertEqual(hash_of(self.folder / "grown.h5"), hash_of(self.folder / "whole.h5"))

    def test_what_belongs_to_others_or_would_be_lost_is_left_alone(self):
        self.sweep("map.h5", "--replications", "3")
        before = (self.folder / "map.h5").read_bytes()
        for words, message in (
            (("--replications", "2"), "it has 3 replications"),
            (("--seed", "9", "--replications", "3"), "simulation.seed"),
            (("--replications", "3", "--trajectories", "none"), "trajectories"),
            (("--replications", "3", "--sweep", "arrivals.rate=20/s,35/s"), "has not"),
            (("--replications", "3", "--set", "producer.timeout=3s"), "producer.timeout"),
        ):
            with self.subTest(words=words):
                refused = self.sweep("map.h5", *words, code=3)
                self.assertIn(message, refused.stderr)
                self.assertIn("nothing was touched", refused.stderr)
                self.assertEqual((self.folder / "map.h5").read_bytes(), before)
        # So are shards of an unfinished sweep.
        self.sweep("open.h5", "--shard", "1/2")
        self.assertIn("simulation.seed", self.sweep("open.h5", "--seed", "9", code=3).stderr)
        self.assertEqual(self.status("open.h5")["shards"], 1)

    def test_damaged_and_truncated_shards_are_done_again(self):
        self.sweep("whole.h5")
        for damage in ("flip", "cut", "empty"):
            name = f"{damage}.h5"
            self.sweep(name, "--shard", "1/2")
            self.sweep(name, "--shard", "2/2")
            shard = sorted((self.folder / (name + ".parts")).glob("runs-*.h5"))[0]
            data = bytearray(shard.read_bytes())
            data[len(data) // 2] ^= 1
            shard.write_bytes({"flip": data, "cut": data[:-100], "empty": b""}[damage])
            self.assertEqual(self.status(name)["damaged_shards"], 1)
            self.assertIn("damaged", self.sweep(name).stderr)
            self.assertEqual(hash_of(self.folder / name), hash_of(self.folder / "whole.h5"))
            self.assertFalse((self.folder / (name + ".parts")).exists())

    def test_two_sweeps_on_one_output(self):
        process = self.start("one.h5", *ENDLESS)
        self.wait_for_shards("one.h5", process)
        for words in (ENDLESS, (*ENDLESS, "--shard", "1/2")):
            refused = self.sweep("one.h5", *words, code=4)
            self.assertIn("is at work on this output", refused.stderr)
        process.send_signal(signal.SIGTERM)
        process.communicate()

    def test_failed_cells_are_told_and_tried_again_when_asked(self):
        # A backlog that no memory takes, in some cells alone.
        scenario = self.folder / "heavy.toml"
        scenario.write_text(
            """
            [simulation]
            horizon = "2min"
            replications = 2
            [arrivals]
            rate = "1/s"
            [producer]
            timeout = "5s"
            [[incident]]
            name = "flood"
            kind = "backlog"
            start = "10s"
            messages = 10
            [consumers]
            service = { distribution = "deterministic", rate = "1M/s" }
            [sweep]
            axes = [{ key = "incident.flood.messages", values = [10, 3000000] }]
            """
        )
        words = ("sweep", scenario, "-o", self.folder / "heavy.h5", "--memory")
        failed = self.basin(*words, "20MB", code=1)
        self.assertIn("failed", failed.stderr)
        self.assertEqual(self.status("heavy.h5")["cells_failed"], 1)
        # Without being asked, they stay as they are.
        self.basin(*words, "2GB", code=1)
        self.basin(*words, "2GB", "--retry-failed")
        self.assertEqual(self.status("heavy.h5")["cells_failed"], 0)
        fast = ("sweep", scenario, "-o", self.folder / "fast.h5", "--memory", "20MB")
        stopped = self.basin(*fast, "--fail-fast", "--threads", "1", code=1)
        self.assertIn("since a run failed", stopped.stderr)
        self.assertFalse((self.folder / "fast.h5").exists())

    def test_repro_runs_one_result_again(self):
        for keep in ("none", "all"):
            name = f"{keep}.h5"
            self.sweep(name, "--trajectories", keep)
            place = ("--cell", "2,1,0", "--replication", "3")
            path = self.folder / f"{keep}-again.h5"
            done = self.basin("repro", self.folder / name, *place, "-o", path, "--json")
            result = json.loads(done.stdout)
            self.assertTrue(result["equal"])
            self.assertGreater(result["numbers"], 30 if keep == "none" else 1000)
            self.assertTrue(path.exists())
        for words, message in (
            (("--cell", "3,0,0", "--replication", "0"), "has 3 values"),
            (("--cell", "0,0", "--replication", "0"), "3 axes"),
            (("--cell", "0,0,0", "--replication", "4"), "4 replications"),
            (("--cell", "0,0,0"), "needs --replication"),
            (("--cell", "0,0,0", "--replication=0", "--arm=unamplified"), "has no arm"),
        ):
            refused = self.basin("repro", self.folder / "none.h5", *words, code=2)
            self.assertIn(message, refused.stderr)
        # Also while the sweep is not complete.
        self.sweep("open.h5", "--shard", "1/1")
        self.basin("repro", self.folder / "open.h5", "--cell", "0,0,0", "--replication", "1")

    def test_a_full_disk_loses_nothing(self):
        self.sweep("whole.h5")
        # Files cannot grow past 60 blocks of 1 KiB: no shard fits, later the output does not.
        for limit in ("60", "200"):
            failed = subprocess.run(
                ["bash", "-c", 'ulimit -f "$0"; exec "$@"', limit]
                + [PROGRAM, "sweep", SCENARIO, "-o", self.folder / "full.h5"],
                capture_output=True,
                text=True,
            )
            self.assertEqual(failed.returncode, 4, failed.stderr)
            self.assertIn("cannot write", failed.stderr)
            self.assertFalse((self.folder / "full.h5").exists())
        self.sweep("full.h5")
        self.assertEqual(hash_of(self.folder / "full.h5"), hash_of(self.folder / "whole.h5"))

    def test_a_folder_that_is_not_there_is_an_error(self):
        self.assertIn("cannot write", self.sweep("none/map.h5", code=4).stderr)
        shutil.rmtree(self.folder / "none", ignore_errors=True)
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
