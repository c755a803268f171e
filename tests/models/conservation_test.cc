// Laws that hold in every run, over random small systems: nothing appears or vanishes,
// and averages, trajectories and counts agree with the log of what happened.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/random_config.h"

namespace basin {
namespace {

constexpr std::uint64_t systems = 600;
constexpr std::uint64_t first_seed = 50'000;

struct Logged {
  SystemConfig config;
  RunResult run;
  std::vector<LoggedEvent> events;
};

// Calls check(logged) for each random system, with its description in the failure
// message.
template <class Check>
void for_each_system(Check&& check) {
  for (std::uint64_t seed = first_seed; seed < first_seed + systems; ++seed) {
    Logged logged{.config = random_config(seed), .run = {}, .events = {}};
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(logged.config));
    EventLog log;
    logged.run = simulate(logged.config, RandomKey{.seed = seed}, {}, &log);
    logged.events = log.events();
    check(logged);
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
}

using MessageName = std::pair<std::uint64_t, std::uint32_t>;  // request, attempt

// Where each message is, followed through the log.
class Follower {
 public:
  enum class Where { nowhere, waiting, in_flight };

  explicit Follower(bool leases) : leases_{leases} {}

  void see(const LoggedEvent& event) {
    const MessageName name{event.request.bits, event.attempt};
    switch (event.what) {
      case Happening::sent:
      case Happening::lease_ended:
      case Happening::returned:
        move(name, Where::waiting, event.time);
        break;
      case Happening::received:
        move(name, Where::in_flight, event.time);
        break;
      case Happening::acknowledged:
      case Happening::expired:
      case Happening::dead_lettered:
      case Happening::lost:
      case Happening::purged:
        move(name, Where::nowhere, event.time);
        break;
      case Happening::completed:
        if (!leases_) {
          move(name, Where::nowhere, event.time);
        }
        break;
      case Happening::retry_scheduled:
        ++retries_pending;
        break;
      case Happening::retry_cancelled:
        --retries_pending;
        break;
      case Happening::refused:
      case Happening::held:
      case Happening::failed:
      case Happening::ack_ignored:
      case Happening::abandoned:
      case Happening::answered:
      case Happening::timed_out:
      case Happening::given_up:
      case Happening::incident_started:
      case Happening::incident_ended:
      case Happening::intervention_started:
      case Happening::intervention_ended:
      case Happening::shed:
        break;
    }
    // A retry leaves its backoff when it is first heard of: sent, refused or held.
    const bool heard_of = event.what == Happening::sent ||
                          event.what == Happening::refused ||
                          event.what == Happening::held;
    if (heard_of && event.attempt > 1 && !heard_of_[name]) {
      --retries_pending;
    }
    heard_of_[name] = heard_of_[name] || heard_of;
  }

  // Closes the stay of every message at the end of the log.
  void finish(SimTime at) {
    for (const auto& [name, stay] : std::map{stays_}) {
      move(name, Where::nowhere, at);
    }
  }

  std::int64_t count(Where where) const {
    return std::count_if(stays_.begin(), stays_.end(), [where](const auto& entry) {
      return entry.second.where == where;
    });
  }

  // Time that messages spent there within [from, to), message by message, in ns.
  std::int64_t time_spent(Where where, SimTime from, SimTime to) const {
    std::int64_t total = 0;
    for (const Stay& stay : finished_) {
      if (stay.where == where) {
        const Duration clipped = std::min(stay.end, to) - std::max(stay.begin, from);
        total += std::max(clipped, Duration{0}).count();
      }
    }
    return total;
  }

  std::int64_t retries_pending = 0;

 private:
  struct Stay {
    Where where = Where::nowhere;
    SimTime begin{};
    SimTime end{};
  };

  void move(const MessageName& name, Where where, SimTime now) {
    Stay& stay = stays_[name];
    stay.end = now;
    finished_.push_back(stay);
    stay = {.where = where, .begin = now, .end = now};
  }

  bool leases_;
  std::map<MessageName, Stay> stays_;
  std::vector<Stay> finished_;
  std::map<MessageName, bool> heard_of_;
};

TEST(Conservation, every_message_is_accounted_for) {
  for_each_system([](const Logged& logged) {
    const MessageCounts& c = logged.run.counts;
    EXPECT_EQ(c.sent,
              c.completed + c.dead_lettered + c.expired + c.rejected + c.lost + c.purged +
                  c.waiting + c.in_flight + c.held);
    EXPECT_GE(c.completions, c.completed);
  });
}

TEST(Conservation, time_never_runs_backwards) {
  for_each_system([](const Logged& logged) {
    EXPECT_TRUE(std::is_sorted(
        logged.events.begin(), logged.events.end(), [](const auto& a, const auto& b) {
          return a.time < b.time;
        }));
  });
}

TEST(Conservation, rates_add_up) {
  for_each_system([](const Logged& logged) {
    const Metrics& m = logged.run.metrics;
    EXPECT_NEAR(m.throughput, m.goodput + m.waste_rate, 1e-9);
    EXPECT_NEAR(m.offered_rate, m.effective_rate + m.rejected_rate, 1e-9);
    EXPECT_GE(m.utilization, 0);
    EXPECT_LE(m.utilization, 1 + 1e-12);
    EXPECT_GE(m.peak_depth + 1e-9, m.mean_depth);
  });
}

// Little's law holds exactly, path by path: the time average of a level times the span is
// the time that messages spend there, one by one. (Little, "A proof for the queuing
// formula L = lambda W", 1961, in the finite form of Stidham, 1974.)
TEST(Conservation, littles_law_holds_for_waiting_and_in_flight) {
  for_each_system([](const Logged& logged) {
    Follower follower{logged.config.queue.visibility_timeout.has_value()};
    for (const LoggedEvent& event : logged.events) {
      follower.see(event);
    }
    const SimTime from{logged.config.warmup};
    const SimTime to{logged.config.horizon};
    const double span = static_cast<double>((to - from).count());
    follower.finish(std::max(to, logged.events.empty() ? to : logged.events.back().time));
    const auto mean = [&](Follower::Where where) {
      return static_cast<double>(follower.time_spent(where, from, to)) / span;
    };
    EXPECT_NEAR(logged.run.metrics.mean_depth, mean(Follower::Where::waiting), 1e-9);
    EXPECT_NEAR(
        logged.run.metrics.mean_in_flight, mean(Follower::Where::in_flight), 1e-9);
  });
}

TEST(Conservation, trajectories_agree_with_the_log_at_every_sample) {
  for_each_system([](const Logged& logged) {
    Follower follower{logged.config.queue.visibility_timeout.has_value()};
    const Trajectory& trajectory = logged.run.trajectory;
    auto next = logged.events.begin();
    const double interval = to_seconds(logged.config.sample_interval);
    for (std::size_t k = 0; k < trajectory.depth.size(); ++k) {
      const SimTime at{logged.config.sample_interval * static_cast<std::int64_t>(k)};
      int entered = 0;
      int completed = 0;
      for (; next != logged.events.end() && next->time <= at; ++next) {
        follower.see(*next);
        entered += next->what == Happening::sent ? 1 : 0;
        completed += next->what == Happening::completed ? 1 : 0;
      }
      EXPECT_EQ(trajectory.depth[k],
                static_cast<float>(follower.count(Follower::Where::waiting)));
      EXPECT_EQ(trajectory.in_flight[k],
                static_cast<float>(follower.count(Follower::Where::in_flight)));
      EXPECT_EQ(trajectory.retries_pending[k],
                static_cast<float>(follower.retries_pending));
      if (k > 0) {
        EXPECT_NEAR(trajectory.throughput[k], completed / interval, 1e-5);
        EXPECT_GE(trajectory.effective_rate[k], entered / interval - 1e-5);
        EXPECT_LE(trajectory.goodput[k], trajectory.throughput[k]);
      }
    }
    EXPECT_EQ(
        trajectory.depth.size(),
        static_cast<std::size_t>(logged.config.horizon / logged.config.sample_interval) +
            1);
  });
}

// Of one that was let in.
bool is_of_a_request(const LoggedEvent& event) {
  return event.what != Happening::incident_started &&
         event.what != Happening::incident_ended &&
         event.what != Happening::intervention_started &&
         event.what != Happening::intervention_ended && event.what != Happening::shed;
}

// Every request created before the horizon is answered or given up, once, unless the run
// went to its very limit; those that succeeded are the ones answered in time.
TEST(Conservation, every_request_is_decided_once) {
  for_each_system([](const Logged& logged) {
    const SystemConfig& config = logged.config;
    struct Fate {
      SimTime created{};
      int answers = 0;
      int given_up = 0;
      bool in_time = false;
    };
    std::map<std::uint64_t, Fate> fates;
    for (const LoggedEvent& event : logged.events) {
      if (!is_of_a_request(event)) {
        continue;
      }
      const std::uint32_t origin = event.request.origin();
      const bool is_request = origin == 0 || std::holds_alternative<ArrivalSurge>(
                                                 config.incidents[origin - 1].effect);
      if (!is_request) {
        continue;
      }
      auto [entry, is_new] = fates.try_emplace(event.request.bits);
      Fate& fate = entry->second;
      if (is_new) {
        fate.created = event.time;
      }
      fate.answers += event.what == Happening::answered ? 1 : 0;
      fate.given_up += event.what == Happening::given_up ? 1 : 0;
      fate.in_time |=
          event.what == Happening::answered &&
          (!config.success_within || event.time - fate.created <= *config.success_within);
    }

    const SimTime horizon{config.horizon};
    std::uint64_t created = 0;
    std::uint64_t succeeded = 0;
    std::uint64_t open = 0;
    for (const auto& [request, fate] : fates) {
      EXPECT_LE(fate.answers + fate.given_up, 1);
      if (fate.created < horizon) {
        ++created;
        succeeded += fate.in_time ? 1 : 0;
        open += fate.answers + fate.given_up == 0 ? 1 : 0;
      }
    }
    std::uint64_t created_in_bins = 0;
    std::uint64_t succeeded_in_bins = 0;
    for (std::size_t bin = 0; bin < logged.run.outcomes.created.size(); ++bin) {
      EXPECT_LE(logged.run.outcomes.succeeded[bin], logged.run.outcomes.created[bin]);
      created_in_bins += logged.run.outcomes.created[bin];
      succeeded_in_bins += logged.run.outcomes.succeeded[bin];
    }
    EXPECT_EQ(created_in_bins, created);
    EXPECT_EQ(succeeded_in_bins, succeeded);

    // With some still open, the run went on to its limit: arrivals, one every second or
    // more often, are seen until shortly before it.
    if (open > 0) {
      const SimTime limit = horizon + config.success_within.value_or(config.horizon);
      EXPECT_GT(logged.events.back().time + std::chrono::seconds{15}, limit);
    }
  });
}

// With no lease nothing comes back, so FIFO hands out in the order of entry.
TEST(Conservation, fifo_hands_out_in_the_order_of_entry) {
  for_each_system([](const Logged& logged) {
    if (logged.config.queue.visibility_timeout ||
        logged.config.queue.order != QueueOrder::fifo) {
      return;
    }
    std::vector<MessageName> entered;
    std::vector<MessageName> left;
    for (const LoggedEvent& event : logged.events) {
      if (event.what == Happening::sent) {
        entered.emplace_back(event.request.bits, event.attempt);
      } else if (event.what == Happening::received || event.what == Happening::expired ||
                 event.what == Happening::purged) {
        left.emplace_back(event.request.bits, event.attempt);
      }
    }
    ASSERT_LE(left.size(), entered.size());
    EXPECT_TRUE(std::equal(left.begin(), left.end(), entered.begin()));
  });
}

TEST(Conservation, keeping_a_log_changes_nothing) {
  for_each_system([](const Logged& logged) {
    const std::uint64_t seed = first_seed;
    const SystemConfig config = logged.config;
    EventLog log;
    const RunResult with = simulate(config, RandomKey{.seed = seed}, {}, &log);
    const RunResult without = simulate(config, RandomKey{.seed = seed});
    EXPECT_EQ(with.counts.sent, without.counts.sent);
    EXPECT_EQ(with.counts.completions, without.counts.completions);
    EXPECT_EQ(with.outcomes.succeeded, without.outcomes.succeeded);
    EXPECT_EQ(with.trajectory.depth, without.trajectory.depth);
  });
}

// The control arm of an experiment: the same base arrivals, let in or not, whatever
// incidents and interventions do.
TEST(Conservation, incidents_and_interventions_do_not_shift_base_arrivals) {
  for_each_system([](const Logged& logged) {
    SystemConfig control = logged.config;
    control.incidents.clear();
    control.interventions.clear();
    const RandomKey key{.seed = 7};
    const auto base_arrivals = [&](const SystemConfig& config) {
      EventLog log;
      simulate(config, key, {}, &log);
      std::vector<std::pair<SimTime, std::uint64_t>> arrivals;
      std::map<std::uint64_t, bool> seen;
      for (const LoggedEvent& event : log.events()) {
        if (event.time < SimTime{config.horizon} && event.request.origin() == 0 &&
            (event.attempt == 1 || event.what == Happening::shed) &&
            !std::exchange(seen[event.request.bits], true)) {
          arrivals.emplace_back(event.time, event.request.bits);
        }
      }
      return arrivals;
    };
    EXPECT_EQ(base_arrivals(logged.config), base_arrivals(control));
  });
}

}  // namespace
}  // namespace basin
