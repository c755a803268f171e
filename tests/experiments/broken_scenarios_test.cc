// Scenarios that must be refused, each with the place, the key and the words of the
// message.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/scenario_reader.h"
#include "tests/experiments/example_scenario.h"
#include "tests/temporary_folder.h"

namespace basin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string message_of(std::string_view text, const Overrides& overrides = {}) {
  try {
    read_scenario_text(text, "broken.toml", overrides, {.folder = own_folder().path()});
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "no error";
}

struct Broken {
  const char* old_text;  // of the example; empty: new_text is put before it
  const char* new_text;
  const char* place;  // "line:column"
  const char* key;
  const char* words;
};

std::string replaced(const Broken& broken) {
  std::string text(example_scenario);
  const std::string old_text = broken.old_text;
  text.replace(text.find(old_text), old_text.size(), broken.new_text);
  return text;
}

constexpr Broken broken_scenarios[] = {
    // Units.
    {"timeout = \"30s\"", "timeout = 30", "16:11", "producer.timeout", "30 has no unit"},
    {"timeout = \"30s\"", "timeout = \"30\"", "16:11", "producer.timeout", "has no unit"},
    {"timeout = \"30s\"", "timeout = \"-3s\"", "16:11", "producer.timeout", "negative"},
    {"timeout = \"30s\"",
     "timeout = \"0s\"",
     "16:11",
     "producer.timeout",
     "more than 0s"},
    {"timeout = \"30s\"", "timeout = \"30m\"", "16:11", "producer.timeout", "write min"},
    {"timeout = \"30s\"", "timeout = \"9e9d\"", "16:11", "producer.timeout", "too long"},
    {"timeout = \"30s\"",
     "timeout = true",
     "16:11",
     "producer.timeout",
     "expected a duration"},
    {"timeout = \"30s\"",
     "timeout = []",
     "16:11",
     "producer.timeout",
     "a list is not allowed"},
    {"timeout = \"30s\"",
     "timeout = 07:32:00",
     "16:11",
     "producer.timeout",
     "a date is not"},
    {"timeout = \"30s\"", "timeout = nan", "16:11", "producer.timeout", "has no unit"},
    {"rate = \"100/s\"", "rate = 100", "13:8", "arrivals.rate", "write \"100/s\""},
    {"rate = \"100/s\"", "rate = \"100s\"", "13:8", "arrivals.rate", "is not a rate"},
    {"rate = \"100/s\"", "rate = \"1e999/s\"", "13:8", "arrivals.rate", "too large"},
    {"goodput = 0.95", "goodput = nan", "37:11", "objective.goodput", "not finite"},
    {"goodput = 0.95", "goodput = inf", "37:11", "objective.goodput", "not finite"},
    {"goodput = 0.95", "goodput = 1.5", "37:11", "objective.goodput", "at most 1"},
    {"goodput = 0.95", "goodput = \"0.95\"", "37:11", "objective.goodput", "a number"},
    {"replications = 20",
     "replications = 0",
     "8:16",
     "simulation.replications",
     "from 1"},
    {"replications = 20",
     "replications = 2.5",
     "8:16",
     "simulation.replications",
     "whole"},
    {"seed = 1", "seed = -1", "9:8", "simulation.seed", "at least 0"},
    {"seed = 1", "seed = 9223372036854775808", "9:27", "", "is not TOML"},
    // Keys.
    {"timeout = ",
     "timout = ",
     "16:1",
     "producer.timout",
     "did you mean producer.timeout"},
    {"seed = 1",
     "max_attempts = 1",
     "9:1",
     "simulation.max_attempts",
     "producer.max_attem"},
    {"seed = 1", "qqqqqqqq = 1", "9:1", "simulation.qqqqqqqq", "expected one of horizon"},
    {"seed = 1", "seed = 1\nseed = 2", "10:8", "", "is not TOML"},
    {"[producer]", "[producr]", "15:2", "producr", "did you mean producer"},
    {"[[incident]]",
     "[[stage]]\n[[incident]]",
     "29:3",
     "stage",
     "one stage is supported"},
    {"fraction = 1.0",
     "speed = 0.5",
     "34:1",
     "incident.outage.speed",
     "belongs to kind slowdown, and this is consumer_outage"},
    {"fraction = 1.0",
     "messages = 5",
     "34:1",
     "incident.outage.messages",
     "kind backlog"},
    {"fraction = 1.0", "count = 33", "34:9", "incident.outage.count", "32 consumers"},
    {"fraction = 1.0",
     "fraction = 1\ncount = 3",
     "34:12",
     "incident.outage.fraction",
     "beside count"},
    {"kind = \"consumer_outage\"",
     "kind = \"outage\"",
     "31:8",
     "incident.outage.kind",
     "is unknown"},
    {"kind = \"consumer_outage\"",
     "kind = \"slow_down\"",
     "31:8",
     "incident.outage.kind",
     "did you mean slowdown"},
    {"kind = \"consumer_outage\"", "", "29:1", "incident.outage.kind", "is missing"},
    {"kind = \"consumer_outage\"",
     "kind = \"ack_loss\"",
     "34:1",
     "incident.outage.fraction",
     "belongs to kind"},
    {"name = \"outage\"", "name = \"a.b\"", "30:8", "incident.a.b.name", "letters"},
    {"name = \"outage\"", "name = \"7\"", "30:8", "incident.7.name", "not digits alone"},
    {"name = \"outage\"", "name = 7", "30:8", "incident.0.name", "expected a name"},
    {"start = \"10min\"", "", "29:1", "incident.outage.start", "is missing"},
    {"process = \"poisson\"",
     "branching = 0.5",
     "12:1",
     "arrivals.branching",
     "belongs to process hawkes, and this is poisson"},
    {"process = \"poisson\"",
     "process = \"hawkes\"",
     "11:2",
     "arrivals.branching",
     "missing"},
    {"process = \"poisson\"",
     "process = \"possion\"",
     "12:11",
     "arrivals.process",
     "did you mean poisson"},
    {"rate = \"100/s\"", "", "11:2", "arrivals.rate", "is missing"},
    {"process = \"poisson\"",
     "process = \"trace\"",
     "11:2",
     "arrivals.file",
     "is missing"},
    {"process = \"poisson\"",
     "process = \"trace\"\nfile = \"none.csv\"",
     "13:8",
     "arrivals.file",
     "none.csv: cannot be opened"},
    {"process = \"poisson\"",
     "process = \"renewal\"",
     "11:2",
     "arrivals.gap",
     "rate and scv"},
    {"process = \"poisson\"",
     "process = \"mmpp\"\nrates = [\"1/s\", 2]\ntransitions = [[\"1/s\"]]",
     "13:17",
     "arrivals.rates",
     "2 has no unit"},
    {"process = \"poisson\"",
     "process = \"mmpp\"\nrates = [\"1/s\"]\ntransitions = [[\"1/s\"], [\"1/s\"]]",
     "14:15",
     "arrivals.transitions",
     "1 rows"},
    {"process = \"poisson\"",
     "process = \"mmpp\"\nrates = [\"1/s\", \"2/s\"]\n"
     "transitions = [[\"0/s\", \"1/s\"], [\"0/s\", \"0/s\"]]",
     "14:15",
     "arrivals.transitions",
     "cannot be reached"},
    {"process = \"poisson\"",
     "process = \"schedule\"\nsteps = [{ at = \"1s\", rate = \"1/s\" }]",
     "13:17",
     "arrivals.steps.0.at",
     "not 0s"},
    // Distributions.
    {"rate = \"4/s\" }",
     "mean = \"1s\", rate = \"4/s\" }",
     "27:50",
     "consumers.service.mean",
     "beside rate"},
    {"rate = \"4/s\" }",
     "rate = \"0/s\" }",
     "27:50",
     "consumers.service.rate",
     "more than 0"},
    {"rate = \"4/s\" }",
     "rate = \"4/s\", scv = 2 }",
     "27:57",
     "consumers.service.scv",
     "belongs to distribution gamma"},
    {", rate = \"4/s\" }", "}", "27:1", "consumers.service", "needs mean or rate"},
    {"distribution = \"exponential\", rate = \"4/s\"",
     "rate = \"4/s\"",
     "27:1",
     "consumers.service.distribution",
     "is missing"},
    {"\"exponential\", rate = \"4/s\"",
     "\"hyperexponential\", mean = \"1s\", scv = 0.5",
     "27:67",
     "consumers.service.scv",
     "below 1"},
    {"\"exponential\", rate = \"4/s\"",
     "\"pareto\", mean = \"1s\", shape = 1",
     "27:59",
     "consumers.service.shape",
     "has no mean"},
    {"\"exponential\", rate = \"4/s\"",
     "\"uniform\", low = \"2s\", high = \"1s\"",
     "27:58",
     "consumers.service.high",
     "low < high"},
    {"service = { distribution = \"exponential\", rate = \"4/s\" }",
     "",
     "25:2",
     "consumers.service",
     "is missing"},
    {"service = { distribution = \"exponential\", rate = \"4/s\" }",
     "service = 5",
     "27:11",
     "consumers.service",
     "5 has no unit"},
    // What holds between keys.
    {"warmup = \"5min\"", "warmup = \"2h\"", "6:10", "simulation.warmup", "less than"},
    {"warmup = \"5min\"",
     "warmup = \"11min\"",
     "32:9",
     "incident.outage.start",
     "warm-up"},
    {"duration = \"8min\"",
     "duration = \"100min\"",
     "33:12",
     "incident.outage.duration",
     "too late for a recovery to be judged"},
    {"start = \"10min\"",
     "start = \"3h\"",
     "32:9",
     "incident.outage.start",
     "after the horizon"},
    {"fraction = 1.0", "occurrences = 3", "29:1", "incident.outage.every", "is missing"},
    {"fraction = 1.0", "every = \"1min\"", "34:9", "incident.outage.every", "repeat"},
    {"fraction = 1.0",
     "occurrences = 9\nevery = \"20min\"",
     "34:15",
     "incident.outage.occurrences",
     "after the horizon"},
    {"timeout = \"30s\"", "", "17:16", "producer.max_attempts", "without a timeout"},
    {"backoff = { kind = \"exponential\", base = \"1s\", factor = 2, cap = \"20s\", "
     "jitter = "
     "\"full\" }",
     "on_reject = \"error\"",
     "18:13",
     "producer.on_reject",
     "needs a backoff"},
    {"jitter = \"full\" }",
     "jitter = \"decorrelated\" }\nretries_per_timeout = 2",
     "19:23",
     "producer.retries_per_timeout",
     "decorrelated"},
    {"max_attempts = 4",
     "max_attempts = 40\nretries_per_timeout = 2",
     "18:23",
     "producer.retries_per_timeout",
     "a million attempts"},
    {"max_attempts = 4",
     "max_attempts = 0",
     "17:16",
     "producer.max_attempts",
     "from 1 to"},
    {"cap = \"20s\"",
     "cap = \"0.5s\"",
     "18:66",
     "producer.backoff.cap",
     "shorter than base"},
    {"kind = \"exponential\", base",
     "base",
     "18:13",
     "producer.backoff.base",
     "belongs to kind constant or exponential"},
    {"receive_batch = 10",
     "receive_batch = 11",
     "23:17",
     "queue.receive_batch",
     "\"sqs-standard\" allows (expected from 1 to 10)"},
    {"count = 32",
     "count = 32\nheartbeat = \"30s\"",
     "27:13",
     "consumers.heartbeat",
     "after the lease has ended"},
    {"broker = \"sqs-standard\"",
     "broker = \"rabbit\"",
     "21:10",
     "queue.broker",
     "expected none or sqs-standard"},
    {"count = 32",
     "count = 32\n[[consumers.group]]\ncount = 2",
     "27:1",
     "consumers.group",
     "beside count"},
    {"sample_interval = \"5s\"",
     "sample_interval = \"1us\"",
     "7:19",
     "simulation.sample_interval",
     "more than a million"},
    // Interventions: the list begins in line 36.
    {"[objective]",
     "[[intervention]]\nkind = \"shed\"\nstart = \"20min\"\n[objective]",
     "36:1",
     "intervention.0.to",
     "expected to or fraction"},
    {"[objective]",
     "[[intervention]]\nkind = \"shed\"\nstart = \"20min\"\nto = 50\n[objective]",
     "39:6",
     "intervention.0.to",
     "write \"50/s\""},
    {"[objective]",
     "[[intervention]]\nkind = \"shed\"\nto = \"9/s\"\nfraction = 0.1\n"
     "start = \"20min\"\n[objective]",
     "38:6",
     "intervention.0.to",
     "beside fraction"},
    {"[objective]",
     "[[intervention]]\nkind = \"purge\"\nstart = \"1min\"\n[objective]",
     "38:9",
     "intervention.0.start",
     "lies in the warm-up"},
    {"[objective]",
     "[[intervention]]\nkind = \"purge\"\nstart = \"2h\"\n[objective]",
     "38:9",
     "intervention.0.start",
     "not before the horizon"},
    {"[objective]",
     "[[intervention]]\nkind = \"purge\"\n[objective]",
     "36:1",
     "intervention.0.start",
     "is missing"},
    {"[objective]",
     "[[intervention]]\nkind = \"purge\"\nstart = \"20min\"\nduration = \"1min\"\n"
     "[objective]",
     "39:1",
     "intervention.0.duration",
     "belongs to kind shed, retries_off or drop_expired"},
    {"[objective]",
     "[[intervention]]\nkind = \"purge\"\nstart = \"20min\"\nfraction = 2\n[objective]",
     "39:12",
     "intervention.0.fraction",
     "from 0 to 1"},
    {"[objective]",
     "[[intervention]]\nkind = \"sheds\"\nstart = \"20min\"\n[objective]",
     "37:8",
     "intervention.0.kind",
     "did you mean shed"},
    {"[objective]",
     "[[intervention]]\nkind = \"add_consumers\"\nstart = \"20min\"\ncount = 2\n"
     "group = \"slow\"\n[objective]",
     "40:9",
     "intervention.0.group",
     "is no group (expected one of 0)"},
    {"[objective]",
     "[[intervention]]\nkind = \"add_consumers\"\nstart = \"20min\"\ncount = 1000000\n"
     "[objective]",
     "39:9",
     "intervention.0.count",
     "more than a million consumers"},
    {"count = 32\nservice = { distribution = \"exponential\", rate = \"4/s\" }",
     "service = \"1s\"\n[[consumers.group]]\nname = \"a\"\n[[consumers.group]]\n"
     "[[intervention]]\nkind = \"add_consumers\"\nstart = \"20min\"\ncount = 2",
     "30:1",
     "intervention.0.group",
     "expected one of a, 1"},
    // Axes.
    {"steps = 21", "steps = 1", "43:65", "sweep.axes.0.steps", "from 2"},
    {", steps = 21", "", "43:3", "sweep.axes.0.steps", "is missing"},
    {"steps = 21", "steps = 21, values = []", "43:3", "sweep.axes.0", "one or the other"},
    {"[\"1min\", \"2min\", \"4min\", \"8min\"]",
     "[]",
     "44:48",
     "sweep.axes.1.values",
     "empty"},
    {"\"2min\", \"4min\"",
     "\"2min\", \"120s\"",
     "44:65",
     "incident.outage.duration",
     "twice"},
    {"\"2min\", \"4min\"",
     "\"2min\", 4",
     "44:65",
     "incident.outage.duration",
     "4 has no unit"},
    {"\"2min\", \"4min\"",
     "\"2min\", \"2h\"",
     "44:65",
     "incident.outage.duration",
     "in the cell arrivals.rate = 20/s, incident.outage.duration = 2h"},
    {"key = \"arrivals.rate\"",
     "key = \"arrivals.rte\"",
     "43:11",
     "arrivals.rte",
     "did you mean arrivals.rate"},
    {"key = \"arrivals.rate\"", "key = \"arrivals\"", "43:11", "arrivals", "is a table"},
    {"key = \"arrivals.rate\"",
     "key = \"simulation.warmup\"",
     "43:11",
     "simulation.warmup",
     "cannot be swept"},
    {"incident.outage.duration",
     "incident.flood.duration",
     "44:11",
     "incident.flood.duration",
     "its entries: outage"},
    {"incident.outage.duration",
     "arrivals.rate",
     "44:3",
     "arrivals.rate",
     "axis already"},
    {"from = \"20/s\"", "from = \"20s\"", "43:35", "arrivals.rate", "is not a rate"},
    {"from = \"20/s\"", "from = 20", "43:35", "arrivals.rate", "20 has no unit"},
};

TEST(BrokenScenarios, say_where_and_what) {
  for (const Broken& broken : broken_scenarios) {
    const std::string message = message_of(replaced(broken));
    const std::string key = broken.key;
    EXPECT_THAT(message,
                StartsWith("broken.toml:" + std::string(broken.place) + ": " + key +
                           (key.empty() ? "" : ": ")))
        << broken.new_text;
    EXPECT_THAT(message, HasSubstr(broken.words)) << broken.new_text;
  }
}

TEST(BrokenScenarios, a_grid_has_at_most_ten_million_cells) {
  std::string text(example_scenario);
  text.replace(text.find("steps = 21"), 10, "steps = 99999");
  text.replace(text.find("[\"1min\""), 7, "[\"1min\", \"61s\", \"62s\"");
  EXPECT_EQ(
      message_of(text, {.set = {}, .sweep = {"consumers.count=1:99:99"}}).substr(0, 11),
      "--sweep #1:");
}

TEST(BrokenScenarios, the_line_is_shown_with_a_caret) {
  EXPECT_EQ(message_of("[producer]\n  timout = \"30s\"\n"),
            "broken.toml:2:3: producer.timout: is not a key (did you mean "
            "producer.timeout?)\n      timout = \"30s\"\n      ^");
}

TEST(BrokenScenarios, options_are_named_by_their_number) {
  const auto set = [](std::vector<std::string> options) {
    return message_of(example_scenario, {.set = std::move(options), .sweep = {}});
  };
  const auto sweep = [](std::vector<std::string> options) {
    return message_of(example_scenario, {.set = {}, .sweep = std::move(options)});
  };
  EXPECT_THAT(set({"simulation.seed=2", "producer.timeout=30"}),
              StartsWith("--set #2: producer.timeout: \"30\" has no unit"));
  EXPECT_THAT(set({"producer.timout=30s"}),
              StartsWith("--set #1: producer.timout: is not a key (did you mean "
                         "producer.timeout?)"));
  EXPECT_THAT(set({"producer.timeout"}), HasSubstr("has no value (expected key=value)"));
  EXPECT_THAT(set({"producer.timeout="}), HasSubstr("has no value"));
  EXPECT_THAT(set({"=5"}), HasSubstr("is not a key"));
  EXPECT_THAT(set({"producer.=5"}), HasSubstr("is not a key"));
  EXPECT_THAT(set({"producer=5"}), HasSubstr("is a table"));
  EXPECT_THAT(set({"incident=5"}), HasSubstr("is a list"));
  EXPECT_THAT(set({"incident.outage=5"}), HasSubstr("is an entry of a list"));
  EXPECT_THAT(set({"incident.1.start=1s"}), HasSubstr("has no entry 1"));
  EXPECT_THAT(set({"consumers.group.0.count=1"}), HasSubstr("the scenario has none"));
  EXPECT_THAT(set({"sweep.axes.0.key=1"}), HasSubstr("expected --sweep"));
  EXPECT_THAT(set({"consumers.service=1s", "consumers.service.mean=1s"}),
              HasSubstr("written as a single value"));
  EXPECT_THAT(sweep({"arrivals.rate"}),
              HasSubstr("--sweep #1: arrivals.rate: has no values"));
  EXPECT_THAT(sweep({"arrivals.rate=1/s:2/s"}), HasSubstr("is not from:to:steps"));
  EXPECT_THAT(sweep({"arrivals.rate=1/s:2/s:x"}), HasSubstr("is not a whole number"));
  EXPECT_THAT(sweep({"arrivals.rate=1/s:2/s:1"}), HasSubstr("from 2 to 100000"));
  EXPECT_THAT(sweep({"queue.capacity=1:2:4"}), HasSubstr("expected whole numbers"));
  EXPECT_THAT(sweep({"queue.order=fifo:lifo:2"}), HasSubstr("no values between"));
  EXPECT_THAT(sweep({"queue.capacity=none:2:4"}), HasSubstr("cannot be an end"));
  EXPECT_THAT(sweep({"arrivals.rate=1/s,2/s", "arrivals.rate=3/s"}),
              HasSubstr("--sweep #2: arrivals.rate: is an axis already"));
}

TEST(BrokenScenarios, a_table_is_not_a_value) {
  EXPECT_THAT(message_of("producer = 5"),
              StartsWith("broken.toml:1:12: producer: expected a table"));
  EXPECT_THAT(message_of("queue = []"),
              StartsWith("broken.toml:1:9: queue: expected a table"));
  EXPECT_THAT(message_of("incident = 5"),
              StartsWith("broken.toml:1:12: incident: expected a list of tables"));
  EXPECT_THAT(message_of("incident = [5]"),
              StartsWith("broken.toml:1:13: incident: expected a list of tables"));
  EXPECT_THAT(message_of("consumers.group = []"),
              StartsWith("broken.toml:1:19: consumers.group: is empty"));
}

TEST(BrokenScenarios, names_of_incidents_differ) {
  std::string text(example_scenario);
  const std::string incident =
      "[[incident]]\nname = \"outage\"\nkind = \"backlog\"\nstart = \"6min\"\nmessages = "
      "1\n";
  EXPECT_THAT(message_of(text + "\n" + incident),
              HasSubstr("incident.outage.name: \"outage\" is taken"));
}

TEST(BrokenScenarios, losing_acknowledgements_needs_leases) {
  EXPECT_THAT(message_of(R"(arrivals.rate = "1/s"
consumers.service = "1s"
[[incident]]
kind = "ack_loss"
start = "1s"
duration = "1s"
)"),
              HasSubstr("broken.toml:4:8: incident.0.kind: ack_loss needs leases"));
}

TEST(BrokenScenarios, traces_are_named_with_their_line) {
  const std::string path = own_folder().file("broken_trace.csv");
  const auto trace = [&](const char* text) {
    std::ofstream(path, std::ios::binary) << text;
    return message_of(R"(arrivals.process = "trace"
arrivals.file = "broken_trace.csv"
consumers.service = "1s"
)");
  };
  EXPECT_THAT(trace("t\n1\nx\n"), HasSubstr("arrivals.file: broken_trace.csv:3: \"x\""));
  EXPECT_THAT(trace("t\n2\n1\n"), HasSubstr("broken_trace.csv:3: \"1\" is earlier"));
  EXPECT_THAT(trace(""), HasSubstr("broken_trace.csv: is empty"));
  EXPECT_THAT(trace("t\n2\n2\n"), HasSubstr("spans no time"));
}

TEST(BrokenScenarios, hostile_text_is_refused) {
  EXPECT_THAT(message_of("name = \"\xFF\""), HasSubstr("1:9: is not UTF-8"));
  EXPECT_THAT(message_of(std::string("name\0=1", 7)), HasSubstr("1:5: has a zero byte"));
  EXPECT_THAT(message_of("[/]"), HasSubstr("is not TOML"));
  EXPECT_THAT(message_of("a=[}"), HasSubstr("is not TOML"));
  std::string noise;
  for (std::uint32_t i = 0; i < 10'000'000; ++i) {
    noise += static_cast<char>((i * 2'654'435'761U) >> 24U);
  }
  EXPECT_THAT(message_of(noise), HasSubstr("is 10000000 bytes long"));
  std::string key = "a";
  for (int i = 0; i < 300'000; ++i) {
    key += ".a";
  }
  EXPECT_THAT(message_of(key + " = 1"), HasSubstr("more than 32 parts"));
  EXPECT_THAT(message_of("[" + key + "]"), HasSubstr("more than 32 parts"));
  EXPECT_THAT(message_of("a=" + std::string(200'000, '[')),
              HasSubstr("more than 32 deep"));
  EXPECT_THAT(message_of("a=" + std::string(33, '[') + std::string(33, ']')),
              HasSubstr("more than 32 deep"));
  std::string braces = "a=";
  for (int i = 0; i < 40; ++i) {
    braces += "{a=";
  }
  EXPECT_THAT(message_of(braces), HasSubstr("more than 32 deep"));
  // Dots that a confused reader of quotes might take for text.
  EXPECT_THAT(message_of("\"" + key + " = 1"), HasSubstr("more than 4000 dots"));
}

TEST(BrokenScenarios, files_that_cannot_be_read_say_so) {
  const auto problem = [](const std::string& path) -> std::string {
    try {
      read_scenario_file(path);
    } catch (const ScenarioError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(problem(own_folder().path()), HasSubstr("is a directory"));
  EXPECT_EQ(problem("nowhere.toml"),
            "nowhere.toml: does not exist (expected a scenario file)");
  const std::string path = own_folder().file("long_scenario.toml");
  std::ofstream(path) << std::string(longest_scenario + 1, '#');
  EXPECT_THAT(problem(path), HasSubstr("is longer than 1 MiB"));
  EXPECT_THAT(problem("/dev/zero"), HasSubstr("is longer than 1 MiB"));
}

}  // namespace
}  // namespace basin
