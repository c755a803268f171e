#include "analysis/verdict.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A run of 1,000 s in bins of a second with ten requests each, all of which succeed; an
// incident from 100 s to 200 s; one second of work in the system every 10 s. The tail is
// [900, 1000), the hold 60 s.
struct Series {
  std::vector<std::uint32_t> created = std::vector<std::uint32_t>(1000, 10);
  std::vector<std::uint32_t> succeeded = std::vector<std::uint32_t>(1000, 10);
  std::vector<float> work = std::vector<float>(101, 1.0F);
  std::optional<double> first_incident_start = 100;
  std::optional<double> last_incident_end = 200;
  std::optional<double> truncated_at;

  Series& goodput(std::size_t from, std::size_t to, std::uint32_t per_bin) {
    for (std::size_t k = from; k < to; ++k) {
      succeeded[k] = per_bin;
    }
    return *this;
  }
  Series& rate(std::size_t from, std::size_t to, std::uint32_t per_bin) {
    for (std::size_t k = from; k < to; ++k) {
      created[k] = per_bin;
      succeeded[k] = per_bin;
    }
    return *this;
  }
  // Work from the sample at `from` s to the one at 1,000 s, in a straight line.
  Series& work_line(int from, double at_from, double at_end) {
    for (int t = from; t <= 1000; t += 10) {
      work[static_cast<std::size_t>(t / 10)] =
          static_cast<float>(at_from + (at_end - at_from) * (t - from) / (1000 - from));
    }
    return *this;
  }
  ArmView view() const {
    return {.created = created,
            .succeeded = succeeded,
            .bin = 1,
            .work = work,
            .sample = 10,
            .warmup = 0,
            .horizon = 1000,
            .first_incident_start = first_incident_start,
            .last_incident_end = last_incident_end,
            .truncated_at = truncated_at};
  }
};

Series without_incident() {
  Series series;
  series.first_incident_start.reset();
  series.last_incident_end.reset();
  return series;
}

const Objective objective{};  // 0.95, 30 s, 100 requests, 60 s, 10 %

Outcome outcome_of(const Series& series) {
  return judge_arm(series.view(), objective, 1).outcome;
}
double recovery_of(const Series& series) {
  return judge_arm(series.view(), objective, 1).recovery_time;
}

// --- Goodput of windows
// ---------------------------------------------------------------------

TEST(GoodputRatio, counts_requests_by_their_creation) {
  Series series;
  series.goodput(10, 20, 5);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 10, 20, 1), 0.5);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 0, 20, 1), 0.75);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 20, 1000, 1), 1);
}

TEST(GoodputRatio, grows_to_the_right_first) {
  Series series;
  series.goodput(11, 20, 0);
  // One bin holds ten requests: nine bad bins on the right make it a hundred.
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 10, 11, 100), 0.1);
}

TEST(GoodputRatio, grows_to_the_left_at_the_end) {
  Series series;
  series.goodput(990, 995, 0);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 995, 1000, 100), 0.5);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 999, 1000, 20), 1);
}

TEST(GoodputRatio, grows_over_empty_bins) {
  Series series;
  series.rate(0, 1000, 0).rate(500, 501, 40).rate(700, 701, 60);
  series.goodput(700, 701, 20);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 100, 130, 40), 1);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 100, 130, 41), 0.6);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 900, 930, 60), 20.0 / 60);
  EXPECT_DOUBLE_EQ(goodput_ratio(series.view(), 900, 930, 61), 0.6);
}

TEST(GoodputRatio, of_no_request_at_all_is_one) {
  Series series;
  series.rate(0, 1000, 0);
  EXPECT_EQ(goodput_ratio(series.view(), 100, 130, 100), 1);
}

TEST(GoodputRatio, refuses_series_that_cannot_be) {
  Series longer;
  longer.created.push_back(1);
  EXPECT_THROW(goodput_ratio(longer.view(), 0, 1, 1), std::invalid_argument);
  Series more;
  more.succeeded[3] = 11;
  EXPECT_THROW(goodput_ratio(more.view(), 0, 1, 1), std::invalid_argument);
  ArmView no_width = Series{}.view();
  no_width.bin = 0;
  EXPECT_THROW(goodput_ratio(no_width, 0, 1, 1), std::invalid_argument);
}

TEST(TailIsHealthy, at_exactly_the_least_ratio) {
  Series series;
  // 1,000 requests in the tail: 950 are enough, 949 are not.
  series.goodput(900, 905, 0);
  EXPECT_TRUE(tail_is_healthy(series.view(), objective));
  series.goodput(905, 906, 9);
  EXPECT_FALSE(tail_is_healthy(series.view(), objective));
}

TEST(TailIsHealthy, looks_at_the_last_tenth_only) {
  Series series;
  series.goodput(200, 900, 0);
  EXPECT_TRUE(tail_is_healthy(series.view(), objective));
}

TEST(TailIsHealthy, at_a_low_rate_grows_to_the_left_but_not_into_the_incident) {
  Series series;
  series.rate(0, 1000, 0);
  for (std::size_t k = 5; k < 1000; k += 10) {  // one request every 10 s, ten in the tail
    series.created[k] = series.succeeded[k] = 1;
  }
  series.goodput(100, 200, 0);
  series.succeeded[905] = 0;  // nine of ten, but more of the 80 since the incident
  EXPECT_TRUE(tail_is_healthy(series.view(), objective));
  series.succeeded[505] = series.succeeded[605] = series.succeeded[705] = 0;
  series.succeeded[805] = 0;  // five of 80
  EXPECT_FALSE(tail_is_healthy(series.view(), objective));
}

TEST(EverHealthy, finds_one_window_among_bad_ones) {
  Series series = without_incident();
  series.goodput(0, 1000, 2);
  EXPECT_FALSE(ever_healthy(series.view(), objective));
  series.goodput(400, 430, 10);
  EXPECT_TRUE(ever_healthy(series.view(), objective));
  series.goodput(410, 412, 0);
  EXPECT_FALSE(ever_healthy(series.view(), objective));
}

TEST(EverHealthy, does_not_look_at_the_warm_up) {
  Series series = without_incident();
  series.goodput(120, 1000, 0);
  ArmView view = series.view();
  EXPECT_TRUE(ever_healthy(view, objective));
  view.warmup = 100;
  EXPECT_FALSE(ever_healthy(view, objective));
}

TEST(EverHealthy, takes_a_measured_part_shorter_than_the_window_as_one_window) {
  Series series = without_incident();
  series.goodput(0, 980, 0);
  ArmView view = series.view();
  view.warmup = 980;
  EXPECT_TRUE(ever_healthy(view, objective));
  series.goodput(985, 990, 0);
  EXPECT_FALSE(ever_healthy(view, objective));
}

// --- One arm
// --------------------------------------------------------------------------------

TEST(JudgeArm, recovers_at_once_when_the_incident_did_no_lasting_harm) {
  Series series;
  series.goodput(100, 200, 0);
  EXPECT_EQ(outcome_of(series), Outcome::recovered);
  EXPECT_EQ(recovery_of(series), 0);
}

TEST(JudgeArm, recovers_at_the_first_instant_from_which_the_hold_is_healthy) {
  Series series;
  series.goodput(100, 300, 0);
  // Of the 60 bins from 297 on three fail: 57/60 = 0.95 is healthy.
  EXPECT_EQ(recovery_of(series), 97);
}

TEST(JudgeArm, rounds_the_end_of_the_incident_up_to_a_bin) {
  Series series;
  series.goodput(100, 201, 0);
  series.last_incident_end = 200.25;
  EXPECT_DOUBLE_EQ(recovery_of(series), 0.75);
}

TEST(JudgeArm, does_not_take_a_short_return_for_a_recovery) {
  Series series;
  series.goodput(100, 250, 0).goodput(290, 400, 0);
  EXPECT_EQ(recovery_of(series), 197);
}

TEST(JudgeArm, does_not_call_a_run_recovered_that_relapses_in_the_tail) {
  Series series;
  series.goodput(100, 220, 0).goodput(880, 1000, 0);
  EXPECT_EQ(outcome_of(series), Outcome::stuck);
  EXPECT_EQ(recovery_of(series), infinity);
}

TEST(JudgeArm, counts_a_relapse_between_hold_and_tail_as_recovered) {
  Series series;
  series.goodput(100, 220, 0).goodput(500, 600, 0);
  EXPECT_EQ(outcome_of(series), Outcome::recovered);
  EXPECT_EQ(recovery_of(series), 17);
}

TEST(JudgeArm, grows_the_hold_to_the_right_at_a_low_rate) {
  Series series;
  series.rate(200, 1000, 1);  // 60 in a hold, so that it grows to 100 s
  series.goodput(200, 300, 0);
  // [295, 395): 5 of 100 fail.
  EXPECT_EQ(recovery_of(series), 95);
}

TEST(JudgeArm, judges_a_hold_with_too_few_requests_up_to_the_horizon_by_what_it_has) {
  Series series;
  series.rate(200, 1000, 0).rate(900, 910, 1);
  EXPECT_EQ(outcome_of(series), Outcome::recovered);
  EXPECT_EQ(recovery_of(series), 0);
}

TEST(JudgeArm, has_no_recovery_time_when_only_a_hold_past_the_horizon_would_be_healthy) {
  Series series;
  Objective long_hold = objective;
  long_hold.hold = 300;
  series.goodput(100, 720, 0);  // from 705 on: 15 of 300 bins fail, but 705 + 300 > 1000
  const ArmVerdict verdict = judge_arm(series.view(), long_hold, 1);
  EXPECT_EQ(verdict.outcome, Outcome::recovered);
  EXPECT_EQ(verdict.recovery_time, infinity);
}

TEST(JudgeArm, measures_from_the_end_of_the_warm_up_without_an_incident) {
  Series series = without_incident();
  series.goodput(0, 153, 0);
  ArmView view = series.view();
  view.warmup = 50;
  EXPECT_EQ(judge_arm(view, objective, 1).recovery_time, 100);
}

TEST(JudgeArm, tells_a_draining_backlog_from_a_stuck_one) {
  Series series;
  series.goodput(100, 1000, 0);
  // It falls by 1 a second, so that in one more horizon it comes down by 1,000: from
  // 1,000 at the end to 0.
  series.work_line(200, 1800, 1000);
  EXPECT_EQ(judge_arm(series.view(), objective, 1).outcome, Outcome::draining);
  EXPECT_EQ(judge_arm(series.view(), objective, 0.001).outcome, Outcome::draining);
  series.work_line(200, 1803, 1003);
  EXPECT_EQ(judge_arm(series.view(), objective, 1).outcome, Outcome::stuck);
  series.work_line(200, 1000, 1000);
  EXPECT_EQ(judge_arm(series.view(), objective, 1).outcome, Outcome::stuck);
  series.work_line(200, 1000, 1800);
  EXPECT_EQ(judge_arm(series.view(), objective, 1).outcome, Outcome::stuck);
}

TEST(JudgeArm, looks_for_draining_in_the_last_half_only) {
  Series series;
  series.goodput(100, 1000, 0).work_line(0, 1000, 10).work_line(500, 505, 510);
  EXPECT_EQ(outcome_of(series), Outcome::stuck);
}

TEST(JudgeArm, looks_for_draining_only_after_the_incident) {
  Series series;
  series.goodput(100, 1000, 0);
  series.first_incident_start = 500;
  series.last_incident_end = 800;
  series.work_line(500, 0, 2000).work_line(800, 2000, 1000);  // up by 300 s, then down
  EXPECT_EQ(outcome_of(series), Outcome::draining);
  series.work_line(500, 5000, 0).work_line(800, 2000, 2001);
  EXPECT_EQ(outcome_of(series), Outcome::stuck);
}

TEST(JudgeArm, takes_work_that_was_never_sampled_for_stuck) {
  Series series;
  series.goodput(100, 1000, 0).work.clear();
  EXPECT_EQ(outcome_of(series), Outcome::stuck);
}

TEST(JudgeArm, takes_a_truncated_run_for_stuck_if_it_was_unhealthy_before) {
  Series series;
  series.goodput(100, 500, 0);
  series.created.resize(500);
  series.succeeded.resize(500);
  series.work.resize(50);
  series.truncated_at = 499.5;
  EXPECT_EQ(outcome_of(series), Outcome::stuck);
  EXPECT_EQ(recovery_of(series), infinity);
}

TEST(JudgeArm, cannot_judge_a_truncated_run_that_was_healthy) {
  Series series;
  series.goodput(100, 200, 0);
  series.truncated_at = 499.5;
  try {
    judge_arm(series.view(), objective, 1);
    FAIL() << "judged";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("cannot be judged"),
                               testing::HasSubstr("499.5 s of 1000 s")));
  }
}

TEST(JudgeArm, looks_at_one_tail_length_before_the_truncation) {
  Series series;
  series.goodput(100, 399, 0);  // healthy over [400, 500), whatever was before
  series.truncated_at = 500;
  EXPECT_THROW(judge_arm(series.view(), objective, 1), std::invalid_argument);
  series.goodput(400, 406, 0);
  EXPECT_EQ(outcome_of(series), Outcome::stuck);
}

TEST(JudgeArm, refuses_an_incident_that_leaves_no_hold_and_tail) {
  Series series;
  series.last_incident_end = 900;
  EXPECT_EQ(outcome_of(series), Outcome::recovered);
  series.last_incident_end = 901;
  EXPECT_THROW(outcome_of(series), std::invalid_argument);
  series.last_incident_end = 1200;
  EXPECT_THROW(outcome_of(series), std::invalid_argument);
}

TEST(JudgeArm, refuses_an_objective_that_nothing_could_meet) {
  Objective impossible = objective;
  impossible.goodput = 1.5;
  EXPECT_THROW(judge_arm(Series{}.view(), impossible, 1), std::invalid_argument);
}

TEST(JudgeArm, takes_a_time_linear_in_the_bins) {
  const std::size_t bins = 1'000'000;
  Series series;
  // Nobody ever comes back: every hold is looked at, and each grows to the horizon.
  series.created.assign(bins, 0);
  series.succeeded.assign(bins, 0);
  for (std::size_t k = 0; k < bins; k += 10'000) {
    series.created[k] = 2;
    series.succeeded[k] = 1;
  }
  for (std::size_t k = 900'000; k < bins; k += 10'000) {
    series.succeeded[k] = 2;
  }
  ArmView view = series.view();
  view.bin = 0.001;
  Objective many = objective;
  many.min_requests = 20;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(judge_arm(view, many, 1).outcome, Outcome::recovered);
  EXPECT_TRUE(ever_healthy(view, many));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
}

// --- One replication
// ------------------------------------------------------------------------

TEST(JudgeReplication, is_stable_when_both_arms_are_healthy_in_the_end) {
  Series triggered;
  triggered.goodput(100, 300, 0);
  const auto verdict =
      judge_replication(without_incident().view(), triggered.view(), objective);
  EXPECT_EQ(verdict.phase, Phase::stable);
  EXPECT_EQ(verdict.triggered.recovery_time, 97);
  EXPECT_EQ(verdict.control.recovery_time, 0);
}

TEST(JudgeReplication, is_vulnerable_when_the_trigger_tips_it) {
  Series triggered;
  triggered.goodput(100, 1000, 0).work_line(100, 1, 5000);
  EXPECT_EQ(
      judge_replication(without_incident().view(), triggered.view(), objective).phase,
      Phase::vulnerable);
}

TEST(JudgeReplication, is_draining_when_the_backlog_of_the_trigger_shrinks) {
  Series triggered;
  triggered.goodput(100, 1000, 0).work_line(200, 1800, 1000);
  EXPECT_EQ(
      judge_replication(without_incident().view(), triggered.view(), objective).phase,
      Phase::draining);
}

TEST(JudgeReplication, is_spontaneous_when_the_control_falls_over_too) {
  Series control = without_incident();
  control.goodput(300, 1000, 0);
  Series triggered;
  triggered.goodput(100, 1000, 0);
  EXPECT_EQ(judge_replication(control.view(), triggered.view(), objective).phase,
            Phase::spontaneous);
  // Whatever became of the triggered arm.
  EXPECT_EQ(judge_replication(control.view(), Series{}.view(), objective).phase,
            Phase::spontaneous);
}

TEST(JudgeReplication, is_overloaded_when_the_control_never_was_healthy) {
  Series control = without_incident();
  control.goodput(0, 1000, 6);
  EXPECT_EQ(judge_replication(control.view(), Series{}.view(), objective).phase,
            Phase::overloaded);
}

TEST(JudgeReplication, without_incidents_looks_at_the_control_alone) {
  Series control = without_incident();
  EXPECT_EQ(judge_replication(control.view(), std::nullopt, objective).phase,
            Phase::stable);
  control.goodput(300, 1000, 0);
  EXPECT_EQ(judge_replication(control.view(), std::nullopt, objective).phase,
            Phase::spontaneous);
  control.goodput(0, 300, 0);
  EXPECT_EQ(judge_replication(control.view(), std::nullopt, objective).phase,
            Phase::overloaded);
}

TEST(JudgeReplication, drains_back_to_the_level_before_the_first_incident) {
  Series control = without_incident();
  control.work.assign(101, 0.0F);
  Series triggered;
  triggered.goodput(100, 1000, 0)
      .work_line(200, 1900, 1100);  // 100 after one more horizon
  triggered.work_line(900, 1200, 1100);
  for (std::size_t k = 0; k < 10; ++k) {
    triggered.work[k] = 101;
  }
  EXPECT_EQ(judge_replication(control.view(), triggered.view(), objective).phase,
            Phase::draining);
  for (std::size_t k = 0; k < 10; ++k) {
    triggered.work[k] = 99;
  }
  EXPECT_EQ(judge_replication(control.view(), triggered.view(), objective).phase,
            Phase::vulnerable);
}

TEST(JudgeReplication, saturated_from_the_start_drains_to_the_level_of_the_control) {
  Series control = without_incident();
  control.work.assign(101, 101.0F);
  Series triggered;
  triggered.first_incident_start = 0;
  triggered.last_incident_end = 0;
  triggered.goodput(0, 1000, 0).work_line(0, 2100, 1100);
  EXPECT_EQ(judge_replication(control.view(), triggered.view(), objective).phase,
            Phase::draining);
  control.work.assign(101, 99.0F);
  EXPECT_EQ(judge_replication(control.view(), triggered.view(), objective).phase,
            Phase::vulnerable);
}

// --- One cell
// -------------------------------------------------------------------------------

std::vector<ReplicationVerdict> replications(
    const std::vector<Phase>& phases, const std::vector<double>& recovery_times = {}) {
  std::vector<ReplicationVerdict> result;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    ReplicationVerdict verdict;
    verdict.phase = phases[k];
    verdict.triggered.recovery_time =
        recovery_times.empty() ? static_cast<double>(k) : recovery_times[k];
    result.push_back(verdict);
  }
  return result;
}

TEST(JudgeCell, counts_each_phase_with_its_interval) {
  std::vector<Phase> phases(22, Phase::stable);
  phases.resize(100, Phase::vulnerable);
  const CellVerdict cell = judge_cell(replications(phases), {}, objective);
  EXPECT_EQ(cell.phase, Phase::vulnerable);
  EXPECT_TRUE(cell.decided);
  EXPECT_EQ(cell.replications, 100);
  EXPECT_EQ(cell.phases[0].count, 22);
  EXPECT_EQ(cell.phases[2].count, 78);
  EXPECT_DOUBLE_EQ(cell.phases[2].estimate, 0.78);
  EXPECT_EQ(cell.phases[2].interval, jeffreys_interval(78, 100));
  EXPECT_EQ(cell.phases[1].interval.low, 0);
  EXPECT_FALSE(cell.within_rto.has_value());
}

TEST(JudgeCell, on_a_tie_names_the_worse_phase_and_is_undecided) {
  const CellVerdict cell = judge_cell(
      replications({Phase::vulnerable, Phase::stable, Phase::vulnerable, Phase::stable}),
      {},
      objective);
  EXPECT_EQ(cell.phase, Phase::vulnerable);
  EXPECT_FALSE(cell.decided);
}

TEST(JudgeCell, is_decided_where_the_interval_lies_above_one_half) {
  // Six of six begin at .670; one of one at .147 (quantiles of Beta(n + 1/2, 1/2)).
  const auto decided = [](std::size_t n) {
    return judge_cell(replications(std::vector<Phase>(n, Phase::stable)), {}, objective)
        .decided;
  };
  EXPECT_FALSE(decided(1));
  EXPECT_TRUE(decided(6));
}

TEST(JudgeCell, gives_the_probability_to_recover_in_time) {
  Objective with_rto = objective;
  with_rto.recovery_time = 20;
  const CellVerdict cell = judge_cell(
      replications({Phase::stable, Phase::stable, Phase::stable, Phase::vulnerable},
                   {10, 20, 20.5, infinity}),
      {},
      with_rto);
  ASSERT_TRUE(cell.within_rto.has_value());
  EXPECT_EQ(cell.within_rto->count, 2);
  EXPECT_EQ(cell.within_rto->interval, jeffreys_interval(2, 4));
}

TEST(JudgeCell, gives_quantiles_that_may_be_not_reached) {
  const CellVerdict cell = judge_cell(
      replications({Phase::stable, Phase::stable, Phase::vulnerable}, {30, 10, infinity}),
      std::array{infinity, 5.0, infinity},
      objective);
  EXPECT_THAT(cell.recovery_time, testing::ElementsAre(10, 30, infinity));
  EXPECT_THAT(cell.drain_time, testing::ElementsAre(5, infinity, infinity));
  const CellVerdict undrained = judge_cell(replications({Phase::stable}), {}, objective);
  EXPECT_TRUE(std::isnan(undrained.drain_time[1]));
}

TEST(JudgeCell, refuses_a_cell_without_replications) {
  EXPECT_THROW(judge_cell({}, {}, objective), std::invalid_argument);
}

TEST(Phase, has_a_name) {
  EXPECT_EQ(name_of(Phase::stable), "stable");
  EXPECT_EQ(name_of(Phase::draining), "draining");
  EXPECT_EQ(name_of(Phase::vulnerable), "vulnerable");
  EXPECT_EQ(name_of(Phase::spontaneous), "spontaneous");
  EXPECT_EQ(name_of(Phase::overloaded), "overloaded");
}

// --- The third arm and common random numbers
// ------------------------------------------------

TEST(Explain, separates_amplified_from_no_surplus) {
  const ArmVerdict back{.outcome = Outcome::recovered};
  const ArmVerdict drains{.outcome = Outcome::draining};
  const ArmVerdict down{.outcome = Outcome::stuck};
  const Explanation explanation = explain(std::array{down, down, down, back, drains},
                                          std::array{back, drains, down, down, back});
  EXPECT_EQ(explanation.amplified.count, 2);
  EXPECT_EQ(explanation.no_surplus.count, 1);
  EXPECT_EQ(explanation.amplified.interval, jeffreys_interval(2, 5));
}

TEST(Explain, takes_the_same_replications_of_both_arms) {
  EXPECT_THROW(explain(std::array{ArmVerdict{}}, {}), std::invalid_argument);
  EXPECT_THROW(explain({}, {}), std::invalid_argument);
}

// By hand: x has mean 2 and squares 2, y mean 3 and squares 8, x - y squares 2.
TEST(VarianceReductionFactor, is_the_sum_of_variances_over_that_of_the_difference) {
  EXPECT_DOUBLE_EQ(
      variance_reduction_factor(std::array{1.0, 2.0, 3.0}, std::array{1.0, 3.0, 5.0}), 5);
}

// x = a + b, y = a + c with independent normals of variance 3 (a) and 1 (b, c):
// (4 + 4) / Var(b - c) = 4. Irwin-Hall sums of twelve uniforms stand for normals.
TEST(VarianceReductionFactor, of_correlated_normals_is_what_their_covariance_says) {
  std::uint64_t state = 20260101;
  const auto uniform = [&] {  // a linear congruential generator (Knuth, MMIX), top bits
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  const auto normal = [&] {
    double sum = -6;
    for (int k = 0; k < 12; ++k) {
      sum += uniform();
    }
    return sum;
  };
  std::vector<double> x;
  std::vector<double> y;
  for (int k = 0; k < 20'000; ++k) {
    const double common = std::sqrt(3) * normal();
    x.push_back(common + normal());
    y.push_back(common + normal());
  }
  // The logarithm of a sample variance has a standard error of sqrt(2/n) = 0.01.
  EXPECT_NEAR(variance_reduction_factor(x, y), 4, 0.15);
}

TEST(VarianceReductionFactor, leaves_out_pairs_that_are_not_finite) {
  EXPECT_DOUBLE_EQ(variance_reduction_factor(std::array{1.0, 2.0, 3.0, infinity},
                                             std::array{1.0, 3.0, 5.0, 1.0}),
                   5);
}

TEST(VarianceReductionFactor, needs_two_pairs) {
  EXPECT_TRUE(std::isnan(variance_reduction_factor(std::array{1.0}, std::array{2.0})));
  EXPECT_THROW(variance_reduction_factor(std::array{1.0}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace basin
