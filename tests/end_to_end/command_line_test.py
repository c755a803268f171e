"""Drives the built program: exit codes, what goes to which stream, files that stay whole.

Usage: command_line_test.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""

# A server of 100/s with a retry: seconds to run, and it shows every phase.
SMALL = """
name = "small"
description = "A small system."
[simulation]
horizon = "300s"
warmup = "10s"
replications = 4
[arrivals]
process = "poisson"
rate = "80/s"
[producer]
timeout = "1s"
max_attempts = 2
[consumers]
count = 1
service = { distribution = "deterministic", rate = "100/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "30s"
duration = "10s"
[objective]
latency = "2s"
recovery_time = "1min"
"""

AXES = """
[sweep]
axes = [
  { key = "arrivals.rate", values = ["20/s", "80/s", "120/s"] },
  { key = "incident.outage.duration", values = ["1s", "10s"] },
]
"""


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "small.toml").write_text(SMALL)
        (self.path / "grid.toml").write_text(SMALL + AXES)

    def basin(self, *words, **options):
        environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")
        return subprocess.run(
            [PROGRAM, *words],
            cwd=self.path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            **options,
        )

    def files(self):
        return sorted(entry.name for entry in self.path.iterdir())


class Run(CommandLine):
    def test_says_the_verdict_in_a_sentence(self):
        done = self.basin("run", "small.toml", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("VULNERABLE: stays down after the trigger is gone, in 4 of 4", done.stdout)
        self.assertIn("goodput ratio", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_json_is_one_object_with_metrics_of_both_arms(self):
        done = self.basin("run", "small.toml", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        for arm in ("control", "triggered"):
            goodput = result["metrics"][arm]["goodput"]
            self.assertEqual(len(goodput["replications"]), 4)
            self.assertLess(goodput["low"], goodput["mean"])
            self.assertLess(goodput["mean"], goodput["high"])
        # Failures count as never answered.
        self.assertIsNone(result["metrics"]["triggered"]["latency_p99"]["mean"])
        verdict = result["verdict"]
        self.assertEqual(verdict["phase"], "vulnerable")
        self.assertTrue(verdict["decided"])
        self.assertEqual(verdict["probabilities"]["vulnerable"]["count"], 4)
        self.assertEqual(verdict["recovery_time"]["p50"], None)
        self.assertEqual(verdict["within_rto"]["estimate"], 0)
        self.assertEqual(verdict["horizon"], 300)
        self.assertEqual(result["resolved"]["arrivals.rate"]["value"], 80)

    def test_the_number_of_threads_changes_no_byte(self):
        one = self.basin("run", "small.toml", "--json", "--threads", "1")
        three = self.basin("run", "small.toml", "--json", "--threads", "3")
        self.assertEqual(one.stdout, three.stdout)

    def test_the_seed_changes_the_numbers(self):
        one = json.loads(self.basin("run", "small.toml", "--json", "--seed", "1").stdout)
        two = json.loads(self.basin("run", "small.toml", "--json", "--seed", "2").stdout)
        self.assertEqual((one["seed"], two["seed"]), (1, 2))
        self.assertNotEqual(one["metrics"]["control"], two["metrics"]["control"])

    def test_explain_tells_amplification(self):
        done = self.basin("run", "small.toml", "--json", "--explain")
        result = json.loads(done.stdout)
        self.assertEqual(result["explanation"]["amplified"]["count"], 4)
        self.assertIn("unamplified", result["metrics"])

    def test_without_an_incident_there_is_the_control_alone(self):
        text = SMALL[: SMALL.index("[[incident]]")] + SMALL[SMALL.index("[objective]") :]
        (self.path / "calm.toml").write_text(text)
        result = json.loads(self.basin("run", "calm.toml", "--json").stdout)
        self.assertEqual(result["arms"], ["control"])
        self.assertEqual(result["verdict"]["phase"], "stable")

    def test_leaves_axes_aside_and_says_so(self):
        done = self.basin("run", "grid.toml")
        self.assertEqual(done.returncode, 0)
        self.assertIn("2 axes", done.stderr)
        self.assertIn("basin: note", done.stderr)

    def test_an_output_is_replaced_by_the_same_values_and_axes_alone(self):
        self.assertEqual(self.basin("run", "small.toml", "-o", "F.h5").returncode, 0)
        self.assertEqual(self.basin("run", "small.toml", "-o", "F.h5").returncode, 0)
        before = (self.path / "F.h5").read_bytes()
        for words, difference in (
            (("sweep", "grid.toml"), "+axis "),
            (("run", "small.toml", "--seed", "2"), "+simulation.seed = 2"),
            (("run", "small.toml", "--set", "consumers.count=3"), "+consumers.count = 3"),
        ):
            other = self.basin(*words, "-o", "F.h5")
            self.assertEqual(other.returncode, 3, words)
            self.assertIn("belongs to another scenario", other.stderr)
            self.assertIn(difference, other.stderr)
            self.assertEqual(before, (self.path / "F.h5").read_bytes())

    def test_a_file_of_something_else_is_not_touched(self):
        (self.path / "notes.txt").write_text("keep me")
        done = self.basin("run", "small.toml", "-o", "notes.txt")
        self.assertEqual(done.returncode, 3)
        self.assertEqual((self.path / "notes.txt").read_text(), "keep me")

    def test_an_output_that_cannot_be_written_ends_before_the_first_run(self):
        done = self.basin("run", "small.toml", "-o", "nowhere/F.h5")
        self.assertEqual(done.returncode, 4)
        self.assertIn("nowhere/F.h5", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_full_standard_output_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [PROGRAM, "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
            )
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output", done.stderr)

    def test_a_run_that_cannot_be_judged_fails_with_its_replication(self):
        done = self.basin(
            "run", "small.toml", "--set", "incident.outage.start=35s", "--memory", "64KiB", "--json"
        )
        if done.returncode == 1:
            self.assertIn("replication", done.stderr)
            self.assertEqual(json.loads(done.stdout)["status"], "failed")
        else:
            # Every run that met the limit was down before.
            self.assertGreater(json.loads(done.stdout)["verdict"]["truncated_runs"], 0)


class Sweep(CommandLine):
    def test_draws_the_phase_map(self):
        done = self.basin("sweep", "grid.toml", "-o", "F.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("incident.outage.duration [s] up, arrivals.rate [1/s] across", done.stdout)
        self.assertIn("10s | S     V     O\n", done.stdout)
        self.assertEqual(self.files(), ["F.h5", "grid.toml", "small.toml"])

    def test_json_holds_the_map(self):
        done = self.basin("sweep", "grid.toml", "-o", "F.h5", "--json", "--threads", "2")
        result = json.loads(done.stdout)
        self.assertEqual([row[1] for row in result["phase"]], ["stable", "vulnerable", "overloaded"])
        self.assertEqual(result["axes"][0]["si_values"], [20, 80, 120])
        self.assertEqual(result["failures"], [])
        again = self.basin("sweep", "grid.toml", "-o", "F.h5", "--json", "--threads", "1")
        self.assertEqual(done.stdout, again.stdout)

    def test_an_axis_of_the_command_line_will_do(self):
        done = self.basin(
            "sweep", "small.toml", "--sweep", "arrivals.rate=20/s:40/s:3", "-o", "F.h5", "--json"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["axes"][0]["si_values"], [20, 30, 40])

    def test_needs_axes_and_a_file(self):
        self.assertEqual(self.basin("sweep", "small.toml", "-o", "F.h5").returncode, 2)
        self.assertEqual(self.basin("sweep", "grid.toml").returncode, 2)

    def test_quiet_prints_nothing(self):
        done = self.basin("sweep", "grid.toml", "-o", "F.h5", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_bar_on_a_terminal_is_cleared(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "sweep", "grid.toml", "-o", "F.h5"],
            cwd=self.path,
            stdout=subprocess.DEVNULL,
            stderr=slave,
        )
        os.close(slave)
        shown = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(master)
        self.assertEqual(process.wait(60), 0)
        self.assertIn(b"runs", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-40:])

    def stop_with(self, number):
        process = subprocess.Popen(
            [PROGRAM, "sweep", "grid.toml", "-o", "F.h5", "--set", "simulation.replications=3000"],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(1)
        process.send_signal(number)
        begin = time.monotonic()
        _, errors = process.communicate(timeout=30)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertIn(b"the same command goes on from there", errors)
        self.assertEqual(self.files(), ["F.h5.parts", "grid.toml", "small.toml"])
        return process.returncode

    def test_stops_by_a_signal_without_a_file_that_is_half_written(self):
        self.assertEqual(self.stop_with(signal.SIGINT), 130)
        self.assertEqual(self.stop_with(signal.SIGTERM), 143)


class Words(CommandLine):
    def assert_usage(self, words, *says):
        done = self.basin(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("basin: "), done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)

    def test_what_is_misspelt_is_refused_with_the_nearest(self):
        self.assert_usage(["rum", "small.toml"], "did you mean 'run'")
        self.assert_usage(["run", "small.toml", "--jsn"], "did you mean --json")
        self.assert_usage(["run", "retry-strom"], "did you mean 'retry-storm'")
        self.assert_usage(["show", "retry-strom"], "did you mean 'retry-storm'")
        self.assert_usage(["show", "--preset", "sqs-standart"], "did you mean 'sqs-standard'")
        self.assert_usage(
            ["run", "small.toml", "--set", "arrivals.rat=5/s"], "--set #1", "did you mean arrivals.rate"
        )

    def test_what_is_wrong_is_refused(self):
        self.assert_usage([])
        self.assert_usage(["run"], "needs a scenario")
        self.assert_usage(["run", "small.toml", "grid.toml"], "one too many")
        self.assert_usage(["run", "nowhere.toml"], "nowhere.toml")
        self.assert_usage(["run", "small.toml", "--threads", "0"], "--threads")
        self.assert_usage(["run", "small.toml", "--threads", "-1"], "--threads")
        self.assert_usage(["run", "small.toml", "--seed", "one"], "--seed")
        self.assert_usage(["run", "small.toml", "--memory", "lots"], "--memory")
        self.assert_usage(["run", "small.toml", "--trajectories", "some"], "--trajectories")
        self.assert_usage(["run", "small.toml", "--progress", "fast"], "--progress")
        self.assert_usage(["list", "--explain"], "no option of this verb")
        self.assert_usage(["run", "small.toml", "--set", "arrivals.rate=80"], "arrivals.rate")

    def test_a_wrong_file_names_its_line(self):
        (self.path / "wrong.toml").write_text(SMALL.replace('rate = "80/s"', "rate = 80"))
        self.assert_usage(["run", "wrong.toml"], "wrong.toml:", "arrivals.rate")

    def test_a_file_without_its_ending_is_hinted_at(self):
        (self.path / "unnamed").write_text(SMALL)
        self.assert_usage(["run", "unnamed"], "./unnamed")
        self.assertEqual(self.basin("run", "./unnamed", "--quiet").returncode, 0)

    def test_every_scenario_of_the_library_is_listed_and_shown(self):
        listed = json.loads(self.basin("list", "--json").stdout)["scenarios"]
        self.assertGreater(len(listed), 3)
        for scenario in listed:
            self.assertTrue(scenario["description"])
            shown = self.basin("show", scenario["name"])
            self.assertIn(f'name = "{scenario["name"]}"', shown.stdout)
        text = self.basin("list").stdout
        self.assertEqual(len(text.splitlines()), len(listed))

    def test_a_library_name_works_wherever_a_file_does(self):
        words = ["--set", "simulation.replications=1", "--json"]
        done = self.basin("run", "bursty-trace", *words)  # with a trace from its folder
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["scenario"], "bursty-trace")

    def test_a_preset_shows_every_value(self):
        done = self.basin("show", "--preset", "sqs-standard")
        self.assertIn("queue.visibility_timeout = 30s", done.stdout)
        values = json.loads(self.basin("show", "--preset", "sqs-standard", "--json").stdout)
        self.assertEqual(values["values"]["visibility_timeout"]["value"], "30s")

    def test_the_schema_is_json_and_the_reference_is_prose(self):
        self.assertIn("properties", json.loads(self.basin("schema").stdout))
        self.assertIn("visibility_timeout", self.basin("schema", "--reference").stdout)

    def test_help_and_version(self):
        for words in (["help"], ["--help"], ["help", "run"], ["run", "--help"], ["--version"]):
            done = self.basin(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("basin", done.stdout)


class Plan(CommandLine):
    def test_counts_runs_with_shared_controls(self):
        plan = json.loads(self.basin("plan", "grid.toml", "--json").stdout)
        self.assertEqual((plan["cells"], plan["controls"]), (6, 3))
        self.assertEqual(plan["runs"], 4 * (3 + 6))
        self.assertGreater(plan["cpu_seconds"], 0)
        self.assertGreater(plan["output_bytes"], 0)
        self.assertEqual(plan["resolved"]["producer.timeout"]["from"], "file")
        self.assertEqual(plan["resolved"]["queue.order"]["written"], "fifo")

    def test_reads_as_text_and_writes_nothing(self):
        done = self.basin("plan", "grid.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("6 cells", done.stdout)
        self.assertIn("processor time", done.stdout)
        self.assertIn("producer.max_attempts", done.stdout)
        self.assertEqual(self.files(), ["grid.toml", "small.toml"])

    def test_warns_of_memory(self):
        done = self.basin("plan", "small.toml", "--memory", "64KiB")
        self.assertIn("warning", done.stderr)
        self.assertIn("memory limit", done.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
