#include "models/arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/contract.h"
#include "engine/log.h"
#include "engine/random.h"
#include "engine/time.h"
#include "tests/models/fingerprint.h"

namespace basin {
namespace {

SimTime at(double seconds) {
  return SimTime{from_seconds(seconds)};
}

std::shared_ptr<const std::vector<double>> values(std::vector<double> list) {
  return std::make_shared<const std::vector<double>>(std::move(list));
}

std::vector<SimTime> first_instants(const Arrivals& arrivals,
                                    std::size_t count,
                                    std::uint64_t seed = 1,
                                    std::uint32_t origin = 0,
                                    SimTime start = SimTime{}) {
  ArrivalStream stream{arrivals, {.seed = seed}, origin, start};
  std::vector<SimTime> instants;
  for (std::size_t i = 0; i < count; ++i) {
    instants.push_back(stream.next().time);
  }
  return instants;
}

struct Case {
  std::string name;
  Arrivals arrivals;
  std::uint64_t fingerprint;  // of the first 1000 instants, seed 99
};

std::vector<Case> all_cases() {
  return {
      {"poisson", PoissonArrivals{7}, 5925988079933067174U},
      {"deterministic", DeterministicArrivals{3}, 4995461796305538938U},
      {"renewal", RenewalArrivals{Gamma{2, 0.1}}, 1513389411083676077U},
      {"batches of 4",
       BatchPoissonArrivals{8, 4, BatchPoissonArrivals::Size::constant},
       635954991020270241U},
      {"geometric batches",
       BatchPoissonArrivals{8, 2.5, BatchPoissonArrivals::Size::geometric},
       2120857467320733906U},
      {"mmpp",
       MmppArrivals{{1, 10, 0}, {{0, 1, 0.1}, {2, 0, 1}, {0, 3, 0}}, {}},
       4127585154794204319U},
      {"on and off",
       OnOffArrivals{10, 1, Lognormal{2, 3}, Deterministic{3}},
       3611317275393837633U},
      {"hawkes", HawkesArrivals{7, 0.6, 3}, 2592435009727796931U},
      {"schedule",
       ScheduleArrivals{{{0, 1, 5}, {10, 20, 0}}, 20.0, 2},
       16080186476702731726U},
      {"trace",
       TraceArrivals{values({0.5, 1, 1, 3}), 4, 2, 1.5, true},
       9737355043082902341U},
      {"counts",
       CountTraceArrivals{values({3, 0, 2.5}), 2, 1, 2, true},
       9691919814023958215U},
  };
}

// --- What holds for every process
// ---------------------------------------------------------

TEST(ArrivalStream, instants_never_go_back) {
  for (const Case& item : all_cases()) {
    const auto instants = first_instants(item.arrivals, 20'000);
    EXPECT_TRUE(std::is_sorted(instants.begin(), instants.end())) << item.name;
    EXPECT_LT(instants.back(), never) << item.name;
  }
}

TEST(ArrivalStream, instants_do_not_depend_on_when_and_how_they_are_asked_for) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const auto expected = first_instants(item.arrivals, 500);
    ArrivalStream one{item.arrivals, {.seed = 1}, 0, SimTime{}};
    ArrivalStream two{item.arrivals, {.seed = 1}, 0, SimTime{}};
    std::size_t of_two = 0;
    for (std::size_t i = 0; i < 500; ++i) {
      EXPECT_EQ(one.next().time, expected[i]);
      for (std::size_t k = 0; k < i % 3 && of_two < 500; ++k) {
        EXPECT_EQ(two.next().time, expected[of_two++]);
      }
      if (i == 100) {
        one = ArrivalStream{std::move(one)};  // in the middle of a block
      }
    }
  }
}

TEST(ArrivalStream, the_work_word_is_that_of_the_first_attempt_wherever_it_is_known) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const RandomKey key{.seed = 5, .cell = 6, .replication = 7};
    ArrivalStream stream{item.arrivals, key, 2, SimTime{}};
    for (std::uint64_t place = 0; place < 200; ++place) {
      const std::uint64_t word = stream.next().work;
      if (word != not_drawn) {
        const auto request = RequestKey::of(2, place);
        ASSERT_EQ(word,
                  random_block(key, address_of(Purpose::attempt, request, 1))[work_word]);
      }
    }
  }
  ArrivalStream poisson{PoissonArrivals{1}, {}, 0, SimTime{}};
  EXPECT_NE(poisson.next().work, not_drawn);
}

TEST(ArrivalStream, a_later_start_shifts_every_instant) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const auto from_zero = first_instants(item.arrivals, 300);
    const auto later = first_instants(item.arrivals, 300, 1, 0, at(1234.5));
    for (std::size_t i = 0; i < 300; ++i) {
      ASSERT_EQ(later[i] - from_zero[i], from_seconds(1234.5));
    }
  }
}

TEST(ArrivalStream, origins_and_seeds_have_draws_of_their_own) {
  for (const Case& item : all_cases()) {
    if (std::holds_alternative<DeterministicArrivals>(item.arrivals)) {
      continue;
    }
    SCOPED_TRACE(item.name);
    const auto base = first_instants(item.arrivals, 100);
    EXPECT_NE(first_instants(item.arrivals, 100, 1, 1), base);
    EXPECT_NE(first_instants(item.arrivals, 100, 2, 0), base);
  }
}

TEST(ArrivalStream, instants_have_known_values) {
  for (const Case& item : all_cases()) {
    Fingerprint fingerprint;
    for (const SimTime instant : first_instants(item.arrivals, 1000, 99)) {
      fingerprint.add(static_cast<std::uint64_t>(instant.time_since_epoch().count()));
    }
    EXPECT_EQ(fingerprint.value(), item.fingerprint) << item.name;
  }
}

TEST(ArrivalStream, nothing_arrives_at_rate_zero) {
  const std::vector<Arrivals> silent = {
      PoissonArrivals{0},
      DeterministicArrivals{0},
      BatchPoissonArrivals{0, 2, BatchPoissonArrivals::Size::geometric},
      MmppArrivals{{0, 0}, {{0, 1e9}, {1e9, 0}}, {}},
      MmppArrivals{{0, 5}, {{0, 0}, {1, 0}}, 0},
      OnOffArrivals{0, 0, Exponential{1e-9}, Exponential{1e-9}},
      OnOffArrivals{5, 0, Empirical{values({0}), 1}, Exponential{1}},
      HawkesArrivals{0, 0.5, 1},
      ScheduleArrivals{{{0, 0, 0}, {1e-9, 0, 0}}, 2e-9, 1},
      ScheduleArrivals{{{0, 3, 0}}, {}, 0},
      TraceArrivals{values({}), 1, 1, 1, true},
      TraceArrivals{values({1}), 1, 1, 0, true},
      CountTraceArrivals{values({0, 0}), 1, 1, 1, true},
      CountTraceArrivals{values({}), 1, 1, 1, true},
      CountTraceArrivals{values({7}), 1, 1, 0, true},
  };
  for (const Arrivals& arrivals : silent) {
    SCOPED_TRACE(arrivals.index());
    EXPECT_EQ(mean_rate(arrivals), 0);
    for (const SimTime instant : first_instants(arrivals, 200)) {
      ASSERT_EQ(instant, never);
    }
  }
}

TEST(ArrivalStream, a_process_that_does_not_move_on_in_time_is_stopped) {
  for (const Arrivals& arrivals :
       {Arrivals{PoissonArrivals{1e30}},
        Arrivals{RenewalArrivals{Deterministic{1e-30}}},
        Arrivals{TraceArrivals{values({0}), 1e-30, 1, 1, true}}}) {
    ArrivalStream stream{arrivals, {}, 0, SimTime{}};
    const auto ask_for_ever = [&] {
      while (stream.next().time < at(1)) {
      }
    };
    EXPECT_THROW(ask_for_ever(), std::runtime_error) << arrivals.index();
  }
}

TEST(ArrivalStream, impossible_parameters_are_refused) {
  const auto make = [](const Arrivals& arrivals) {
    ArrivalStream{arrivals, {}, 0, SimTime{}};
  };
  EXPECT_THROW(make(PoissonArrivals{-1}), ContractViolation);
  EXPECT_THROW(make(PoissonArrivals{std::nan("")}), ContractViolation);
  EXPECT_THROW(make(HawkesArrivals{1, 1, 1}), ContractViolation);
  EXPECT_THROW(make(BatchPoissonArrivals{1, 2.5, BatchPoissonArrivals::Size::constant}),
               ContractViolation);
  EXPECT_THROW(make(RenewalArrivals{Empirical{values({0, 0}), 1}}), ContractViolation);
  EXPECT_THROW(make(TraceArrivals{values({2, 1}), 3, 1, 1, false}), ContractViolation);
  EXPECT_THROW(make(TraceArrivals{values({0}), 0, 1, 1, true}), ContractViolation);
  // Two states that are never left: the long run depends on where it began.
  EXPECT_THROW(make(MmppArrivals{{1, 2}, {{0, 0}, {0, 0}}, {}}), ContractViolation);
}

// --- Instants that are known exactly
// ------------------------------------------------------

TEST(DeterministicArrivals, come_at_exact_multiples_without_drift) {
  const Arrivals arrivals = DeterministicArrivals{3};
  ArrivalStream stream{arrivals, {}, 0, SimTime{}};
  for (std::int64_t k = 1; k <= 1'000'000; ++k) {
    // k/3 seconds to the nearest nanosecond; thirds never tie.
    ASSERT_EQ(stream.next().time.time_since_epoch().count(), (k * 2'000'000'000 + 3) / 6);
  }
}

TEST(PoissonArrivals, request_k_takes_the_gap_word_of_its_first_attempt_without_drift) {
  const RandomKey key{.seed = 4, .replication = 2};
  const Arrivals arrivals = PoissonArrivals{1e9};  // a nanosecond on average
  ArrivalStream stream{arrivals, key, 3, SimTime{}};
  long double sum = 0;
  for (std::uint64_t k = 0; k < 1'000'000; ++k) {
    const auto address = address_of(Purpose::attempt, RequestKey::of(3, k), 1);
    sum += unit_exponential(random_block(key, address)[gap_word]);
    const SimTime instant = stream.next().time;
    ASSERT_NEAR(static_cast<double>(instant.time_since_epoch().count()),
                static_cast<double>(sum),
                0.5001);
  }
}

TEST(RenewalArrivals, with_exponential_gaps_are_the_poisson_process) {
  EXPECT_EQ(first_instants(RenewalArrivals{Exponential{0.25}}, 1000),
            first_instants(PoissonArrivals{4}, 1000));
}

TEST(MmppArrivals, with_equal_rates_are_the_poisson_process) {
  const MmppArrivals mmpp{{4, 4}, {{0, 1}, {2, 0}}, {}};
  const auto modulated = first_instants(mmpp, 1000);
  const auto plain = first_instants(PoissonArrivals{4}, 1000);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_NEAR(to_seconds(modulated[i]), to_seconds(plain[i]), 1.5e-9);
  }
}

TEST(TraceArrivals, are_replayed_exactly) {
  const TraceArrivals trace{values({0, 0.1, 0.1, 2.5}), 3, 1, 1, false};
  EXPECT_EQ(first_instants(trace, 6),
            (std::vector{at(0), at(0.1), at(0.1), at(2.5), never, never}));
}

TEST(TraceArrivals, repeat_after_their_length_when_looped) {
  const TraceArrivals trace{values({0.5, 2.5}), 3, 1, 1, true};
  EXPECT_EQ(first_instants(trace, 5),
            (std::vector{at(0.5), at(2.5), at(3.5), at(5.5), at(6.5)}));
}

TEST(TraceArrivals, do_not_drift_over_many_loops) {
  const Arrivals trace = TraceArrivals{values({0.05}), 0.1, 1, 1, true};
  ArrivalStream stream{trace, {}, 0, SimTime{}};
  for (std::int64_t k = 0; k < 1'000'000; ++k) {
    ASSERT_EQ(stream.next().time.time_since_epoch().count(),
              50'000'000 + k * 100'000'000);
  }
}

TEST(TraceArrivals, are_slowed_by_the_time_scale_and_multiplied_by_the_rate_scale) {
  const TraceArrivals trace{values({0.5, 1}), 2, 2, 2, true};
  EXPECT_EQ(first_instants(trace, 6),
            (std::vector{at(1), at(1), at(2), at(2), at(5), at(5)}));
  EXPECT_EQ(mean_rate(trace), 1);
}

TEST(CountTraceArrivals, put_each_count_into_its_interval) {
  const CountTraceArrivals counts{values({3, 0, 1}), 2, 5, 2, false};
  const auto instants = first_instants(counts, 10);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(instants[i], at(10));
  }
  for (std::size_t i = 6; i < 8; ++i) {
    EXPECT_GE(instants[i], at(20));
    EXPECT_LE(instants[i], at(30));
  }
  EXPECT_EQ(instants[8], never);
}

// --- Long-run rates that are known exactly
// ------------------------------------------------

TEST(MeanRate, weighs_the_states_of_a_chain_by_their_long_run_probabilities) {
  // Birth and death: p1 = p0 * 1/2, p2 = p1 * 3/4; p = (8, 4, 3)/15.
  const MmppArrivals chain{{30, 15, 5}, {{0, 1, 0}, {2, 0, 3}, {0, 4, 0}}, {}};
  EXPECT_DOUBLE_EQ(mean_rate(chain), (8.0 * 30 + 4 * 15 + 3 * 5) / 15);
  // State 0 is left for good.
  EXPECT_DOUBLE_EQ(
      mean_rate(MmppArrivals{{99, 6, 3}, {{0, 1, 1}, {0, 0, 1}, {0, 2, 0}}, 0}), 5);
  EXPECT_EQ(mean_rate(MmppArrivals{{7}, {{0}}, {}}), 7);
}

TEST(MeanRate, of_the_other_processes) {
  EXPECT_EQ(mean_rate(RenewalArrivals{Uniform{1, 3}}), 0.5);
  EXPECT_EQ(mean_rate(BatchPoissonArrivals{8, 4, BatchPoissonArrivals::Size::constant}),
            8);
  EXPECT_DOUBLE_EQ(mean_rate(OnOffArrivals{10, 1, Exponential{2}, Deterministic{3}}),
                   4.6);
  EXPECT_EQ(mean_rate(OnOffArrivals{10, 1, Pareto{1, 1}, Deterministic{3}}), 10);
  EXPECT_EQ(mean_rate(HawkesArrivals{7, 0.5, 1}), 7);
  // Ramp from 20 to 1 in 5 s, 1 for 5 s, 20 for 10 s, all doubled.
  EXPECT_DOUBLE_EQ(mean_rate(ScheduleArrivals{{{0, 1, 5}, {10, 20, 0}}, 20.0, 2}), 25.75);
  EXPECT_EQ(mean_rate(ScheduleArrivals{{{0, 1, 5}, {10, 20, 0}}, {}, 2}), 40);
  EXPECT_DOUBLE_EQ(mean_rate(CountTraceArrivals{values({3, 0, 3}), 2, 1, 2, true}), 2);
}

}  // namespace
}  // namespace basin
