#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "experiments/scenario_reader.h"
#include "experiments/schema.h"
#include "tests/experiments/example_scenario.h"
#include "tests/temporary_folder.h"

namespace basin {
namespace {

// Sets of options, each of which together makes a valid scenario of the example. Between
// them they set every key there is.
const std::vector<std::vector<std::string>> settings{
    {"name=x", "description=y"},
    {"simulation.horizon=3h",
     "simulation.warmup=1min",
     "simulation.sample_interval=1min",
     "simulation.replications=3",
     "simulation.seed=9223372036854775807",
     "simulation.common_random_numbers=false",
     "simulation.solver=event"},
    {"arrivals.process=deterministic", "arrivals.rate=90/min"},
    {"arrivals.process=renewal", "arrivals.scv=4"},
    {"arrivals.process=renewal", "arrivals.gap=10ms"},
    {"arrivals.process=renewal",
     "arrivals.gap.distribution=erlang",
     "arrivals.gap.shape=3",
     "arrivals.gap.mean=1s"},
    {"arrivals.process=batch_poisson",
     "arrivals.batch_mean=2.5",
     "arrivals.batch_size=geometric"},
    {"arrivals.process=mmpp",
     "arrivals.rates=10/s,100/s",
     "arrivals.transitions=[[0/s, 1/min],[2/min, 0/s]]",
     "arrivals.initial_state=1"},
    {"arrivals.process=on_off",
     "arrivals.on_rate=10/s",
     "arrivals.off_rate=1/s",
     "arrivals.on=10s",
     "arrivals.off.distribution=exponential",
     "arrivals.off.mean=20s"},
    {"arrivals.process=hawkes", "arrivals.branching=0.7", "arrivals.decay=2/s"},
    {"arrivals.process=trace",
     "arrivals.file=settable.csv",
     "arrivals.column=t",
     "arrivals.format=timestamps",
     "arrivals.unit=ms",
     "arrivals.time_scale=2",
     "arrivals.loop=true"},
    {"arrivals.process=trace",
     "arrivals.file=settable.csv",
     "arrivals.column=1",
     "arrivals.format=counts",
     "arrivals.interval=5min",
     "arrivals.rate_scale=3"},
    {"producer.timeout=20s",
     "producer.max_attempts=3",
     "producer.retries_per_timeout=0.5",
     "producer.late_reply=accepted",
     "producer.on_reject=error"},
    {"producer.backoff.kind=constant", "producer.backoff.base=2s"},
    {"producer.backoff.kind=exponential",
     "producer.backoff.base=2s",
     "producer.backoff.factor=3",
     "producer.backoff.cap=none",
     "producer.backoff.jitter=decorrelated"},
    {"queue.broker=none",
     "queue.order=lifo",
     "queue.capacity=100",
     "queue.visibility_timeout=1h",
     "queue.receive_batch=20",
     "queue.stale_ack=ignore",
     "queue.redeliver_at=back",
     "queue.max_receives=5",
     "queue.message_ttl=none",
     "queue.work=per_delivery"},
    {"consumers.count=64",
     "consumers.service=250ms",
     "consumers.processing=concurrent",
     "consumers.acknowledge=batch",
     "consumers.on_lease_end=abandon",
     "consumers.on_failure=nack",
     "consumers.heartbeat=10s"},
    {"consumers.service.mean=100ms"},
    {"consumers.service.distribution=uniform",
     "consumers.service.low=0s",
     "consumers.service.high=1s"},
    {"consumers.service.distribution=lognormal", "consumers.service.scv=2"},
    {"consumers.service.distribution=weibull",
     "consumers.service.shape=0.5",
     "consumers.service.scale=1s"},
    {"consumers.service.distribution=pareto",
     "consumers.service.shape=1.5",
     "consumers.service.upper=10s"},
    {"consumers.service.distribution=hyperexponential",
     "consumers.service.p=0.1",
     "consumers.service.mean1=1s",
     "consumers.service.mean2=10ms"},
    {"consumers.service.distribution=empirical",
     "consumers.service.file=settable.csv",
     "consumers.service.column=t",
     "consumers.service.unit=ms",
     "consumers.service.factor=2"},
    {"incident.outage.name=other",
     "incident.other.start=11min",
     "incident.other.duration=1min",
     "incident.other.occurrences=2",
     "incident.other.every=10min",
     "incident.other.fraction=0.5",
     "incident.other.mode=crash",
     "incident.other.case=night",
     "incident.other.weight=2"},
    {"incident.0.count=3"},
    {"incident.outage.kind=slowdown", "incident.outage.speed=0.5"},
    {"incident.outage.kind=arrival_surge", "incident.outage.extra_rate=10/s"},
    {"incident.outage.kind=arrival_surge", "incident.outage.factor=5"},
    {"incident.outage.kind=downstream_failure",
     "incident.outage.probability=0.5",
     "incident.outage.mode=fast",
     "incident.outage.fails_after=5ms"},
    {"incident.outage.kind=backlog", "incident.outage.messages=1000"},
    {"incident.outage.kind=saturated", "incident.outage.delay=1min"},
    {"incident.outage.kind=partition", "incident.outage.side=messages"},
    {"intervention.act.name=other",
     "intervention.other.start=11min",
     "intervention.other.duration=1min",
     "intervention.other.to=20/s"},
    {"intervention.0.fraction=0.5"},
    {"intervention.act.kind=add_consumers",
     "intervention.act.count=4",
     "intervention.act.group=0"},
    {"intervention.act.kind=drop_expired", "intervention.act.age=5s"},
    {"intervention.act.kind=purge", "intervention.act.fraction=0.25"},
    {"objective.goodput=0.9",
     "objective.latency=any",
     "objective.window=20s",
     "objective.min_requests=10",
     "objective.hold=30s",
     "objective.tail=0.2",
     "objective.recovery_time=none"},
    {"arrivals.process=poisson", "arrivals.rate=5/s", "consumers.service.rate=8/s"},
};

class SettableKeys : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(own_folder().file("settable.csv")) << "t,n\n0,5\n10,6\n20,7\n";
  }
  static Scenario read(const std::vector<std::string>& options, std::string_view text) {
    return read_scenario_text(
        text, "x.toml", {.set = options, .sweep = {}}, {.folder = own_folder().path()});
  }
  // Without the sweep, whose axes would not fit every kind of incident; with an
  // intervention.
  static std::string base() {
    return std::string(example_scenario.substr(0, example_scenario.find("[sweep]"))) +
           "[[intervention]]\nname = \"act\"\nkind = \"shed\"\nstart = \"20min\"\n"
           "to = \"50/s\"\n";
  }
};

TEST_F(SettableKeys, every_key_can_be_set_and_is_then_in_force) {
  std::set<std::string> covered;
  for (const std::vector<std::string>& options : settings) {
    Scenario scenario;
    ASSERT_NO_THROW(scenario = read(options, base())) << options.front();
    const auto resolved = nlohmann::json::parse(scenario.document.resolved_json);
    for (const std::string& option : options) {
      std::string path = option.substr(0, option.find('='));
      covered.insert(path);
      for (const auto& [list, entry] :
           {std::pair{"incident", "outage"}, std::pair{"intervention", "act"}}) {
        const std::string prefix = std::string(list) + ".";
        const std::string named = prefix + entry;
        const bool is_renamed = options.front().starts_with(named + ".name");
        for (const std::string& former : {prefix + "0", named}) {
          if (path.starts_with(former + ".")) {
            path.replace(0, former.size(), is_renamed ? prefix + "other" : named);
          }
        }
      }
      ASSERT_TRUE(resolved.contains(path)) << path;
      EXPECT_EQ(resolved[path]["from"], "--set") << path;
      EXPECT_EQ(resolved[path]["written"], option.substr(option.find('=') + 1)) << path;
    }
  }
  for (const KeyPath& entry : all_keys()) {
    const bool is_scalar =
        !is_table(entry.key->type) && !entry.path.starts_with("sweep.");
    const bool is_of_a_list = entry.path.find("*") != std::string::npos;
    const bool is_of_a_distribution = entry.table->decides == "distribution" &&
                                      !entry.path.starts_with("consumers.service.");
    if (!is_scalar || is_of_a_distribution || entry.path.starts_with("consumers.group") ||
        entry.path.starts_with("arrivals.steps") ||
        entry.path.starts_with("arrivals.period") || (entry.path == "arrivals.factor")) {
      continue;  // the second test sets those
    }
    const bool was_set =
        std::any_of(covered.begin(), covered.end(), [&](const auto& path) {
          return is_of_a_list
                     ? path.ends_with("." + std::string(entry.key->name)) &&
                           path.starts_with(entry.path.substr(0, entry.path.find('*')))
                     : path == entry.path;
        });
    EXPECT_TRUE(was_set) << entry.path;
  }
}

TEST_F(SettableKeys, entries_of_lists_go_by_name_or_place) {
  constexpr std::string_view text = R"(
[arrivals]
process = "schedule"
steps = [{ at = "0s", rate = "10/s" }, { at = "5min", rate = "20/s", ramp = "1min" }]
[[consumers.group]]
name = "fast"
service = "10ms"
[[consumers.group]]
count = 3
service = { distribution = "gamma", mean = "1s", shape = 2 }
)";
  const Scenario scenario = read({"arrivals.steps.1.at=6min",
                                  "arrivals.steps.1.rate=30/s",
                                  "arrivals.steps.1.ramp=2min",
                                  "arrivals.period=10min",
                                  "arrivals.factor=2",
                                  "consumers.group.fast.count=7",
                                  "consumers.group.1.service.scv=4",
                                  "consumers.group.1.name=slow",
                                  "consumers.group.slow.service.rate=2/s"},
                                 text);
  const auto& schedule = std::get<ScheduleArrivals>(scenario.system.arrivals);
  EXPECT_EQ(schedule.steps[1],
            (ScheduleArrivals::Step{.at = 360, .rate = 30, .ramp = 120}));
  EXPECT_EQ(schedule.factor, 2);
  EXPECT_EQ(schedule.period, 600);
  const auto& groups = scenario.system.consumers.groups;
  EXPECT_EQ(groups[0],
            (ConsumerGroup{
                .name = "fast", .count = 7, .service = Deterministic{.mean = 0.01}}));
  EXPECT_EQ(
      groups[1],
      (ConsumerGroup{
          .name = "slow", .count = 3, .service = Gamma{.shape = 0.25, .mean = 0.5}}));
}

TEST_F(SettableKeys, every_choice_becomes_the_enumerator_of_its_name) {
  const auto system = [&](const std::string& option) {
    return read({option}, base()).system;
  };
  EXPECT_EQ(system("queue.order=lifo").queue.order, QueueOrder::lifo);
  EXPECT_EQ(system("queue.stale_ack=ignore").queue.stale_ack, StaleAck::ignore);
  EXPECT_EQ(system("queue.redeliver_at=front").queue.redeliver_at, RedeliverAt::front);
  EXPECT_EQ(system("queue.redeliver_at=back").queue.redeliver_at, RedeliverAt::back);
  EXPECT_EQ(system("queue.redeliver_at=original").queue.redeliver_at,
            RedeliverAt::original);
  EXPECT_EQ(system("queue.work=per_request").queue.work, WorkBelongsTo::per_request);
  EXPECT_EQ(system("queue.work=per_delivery").queue.work, WorkBelongsTo::per_delivery);
  EXPECT_EQ(system("producer.late_reply=accepted").producer.late_reply,
            LateReply::accepted);
  EXPECT_EQ(system("producer.on_reject=error").producer.on_reject, OnReject::error);
  EXPECT_EQ(system("producer.on_reject=silent").producer.on_reject, OnReject::silent);
  using Jitter = Backoff::Jitter;
  EXPECT_EQ(system("producer.backoff.jitter=none").producer.backoff.jitter, Jitter::none);
  EXPECT_EQ(system("producer.backoff.jitter=equal").producer.backoff.jitter,
            Jitter::equal);
  EXPECT_EQ(system("producer.backoff.jitter=decorrelated").producer.backoff.jitter,
            Jitter::decorrelated);
  EXPECT_EQ(system("consumers.processing=concurrent").consumers.processing,
            Processing::concurrent);
  EXPECT_EQ(system("consumers.acknowledge=batch").consumers.acknowledge,
            Acknowledge::batch);
  EXPECT_EQ(system("consumers.on_lease_end=abandon").consumers.on_lease_end,
            OnLeaseEnd::abandon);
  EXPECT_EQ(system("consumers.on_failure=nack").consumers.on_failure, OnFailure::nack);
  EXPECT_EQ(
      std::get<ConsumerOutage>(system("incident.outage.mode=crash").incidents[0].effect)
          .mode,
      ConsumerOutage::Mode::crash);
}

TEST_F(SettableKeys, an_intervention_is_what_its_kind_says) {
  const auto effect = [&](std::vector<std::string> options) {
    return read(options, base()).system.interventions.at(0).effect;
  };
  EXPECT_EQ(effect({}), InterventionEffect(Shed{.admitted = 0.5}));
  EXPECT_EQ(effect({"intervention.act.to=200/s"}), InterventionEffect(Shed{}));
  EXPECT_EQ(effect({"intervention.act.fraction=0.1"}),
            InterventionEffect(Shed{.admitted = 0.1}));
  EXPECT_EQ(effect({"intervention.act.kind=add_consumers", "intervention.act.count=4"}),
            InterventionEffect(AddConsumers{.count = 4}));
  EXPECT_EQ(effect({"intervention.act.kind=retries_off"}),
            InterventionEffect(RetriesOff{}));
  EXPECT_EQ(effect({"intervention.act.kind=drop_expired"}),
            InterventionEffect(DropExpired{.age = std::chrono::seconds{30}}));
  EXPECT_EQ(effect({"intervention.act.kind=purge"}), InterventionEffect(Purge{}));
  const Intervention whole = read({}, base()).system.interventions.at(0);
  EXPECT_EQ(whole.name, "act");
  EXPECT_EQ(whole.start, std::chrono::minutes{20});
  EXPECT_FALSE(whole.duration.has_value());
}

}  // namespace
}  // namespace basin
