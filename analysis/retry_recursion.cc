#include "analysis/retry_recursion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Answer infinite(std::string why) {
  return {.value = infinity, .why_infinite = std::move(why)};
}

void expect(bool holds, const char* message) {
  if (!holds) {
    throw NoAnswer(message);
  }
}

// The recursion, many steps at a time. Depth is monotone, so it passes at most twice from
// one law to another: along the line, along the series, at 0.
class Recursion {
 public:
  explicit Recursion(const RetryLoop& loop) : Recursion{loop, surplus(loop.flow)} {}
  Recursion(const RetryLoop& loop, double surplus)
      : surplus_{surplus},
        most_{std::max(capacity(loop.flow), loop.flow.arrival_rate)},
        saturated_depth_{loop.flow.arrival_rate * loop.timeout},
        per_depth_{loop.retries_per_timeout / loop.timeout},
        growth_{change_with(loop.flow.arrival_rate * loop.retries_per_timeout)} {
    expect(std::isfinite(saturated_depth_) && std::isfinite(growth_) &&
               std::isfinite(per_depth_),
           "rates, retries and timeout are too large to be computed with");
  }

  double saturated_growth() const { return growth_; }

  // By which the next step changes depth, unless that ends at 0.
  double change(double depth) const {
    return is_saturated(depth) ? growth_ : change_with(depth * per_depth_);
  }

  double depth_after(double depth, double steps) const {
    while (steps > 0 && change(depth) != 0 && (depth > 0 || change(depth) > 0)) {
      const double taken = std::min(steps, steps_of_one_law(depth));
      depth = after_one_law(depth, taken);
      steps -= taken;
    }
    return depth;
  }

  // For a depth that falls.
  double steps_to_zero(double depth) const {
    double steps = 0;
    while (depth > 0 && change(depth) < 0) {
      const double taken = steps_of_one_law(depth);
      depth = after_one_law(depth, taken);
      steps += taken;
    }
    return steps;
  }

 private:
  bool is_saturated(double depth) const { return depth > saturated_depth_; }

  // A change that is noise is none: it must not drain a backlog, nor keep one.
  double change_with(double retries) const {
    expect(std::isfinite(retries), "the retries are too many to be computed with");
    const double result = retries - surplus_;
    return std::abs(result) <= 1e-12 * (most_ + retries) ? 0 : result;
  }

  // Steps from `depth` until another law holds. On the series it solves
  // depth + change ((1 + a)^n - 1)/a = end for n, with a = r/T.
  double steps_of_one_law(double depth) const {
    const double step = change(depth);
    if (is_saturated(depth)) {
      return step > 0 ? infinity : ceiling((depth - saturated_depth_) / -step);
    }
    const auto a = static_cast<long double>(per_depth_);
    const auto way =
        static_cast<long double>(step < 0 ? depth : saturated_depth_ - depth);
    const long double ratio = way / static_cast<long double>(std::abs(step));
    const auto steps = static_cast<double>(
        a == 0 ? ratio : portable::log1p(ratio * a) / portable::log1p(a));
    return step < 0 ? std::max(ceiling(steps), 1.0) : std::floor(steps) + 1;
  }

  // `steps` is at most steps_of_one_law(depth); where it is that, the next law holds for
  // the result, whatever the rounding.
  double after_one_law(double depth, double steps) const {
    const double step = change(depth);
    const bool all = steps == steps_of_one_law(depth);
    if (is_saturated(depth)) {
      const double line = std::max(depth + step * steps, 0.0);
      return all && step < 0 ? std::min(line, saturated_depth_) : line;
    }
    if (all && step < 0) {
      return 0;
    }
    const auto a = static_cast<long double>(per_depth_);
    const auto count = static_cast<long double>(steps);
    const long double series =
        a == 0 ? count : portable::expm1(count * portable::log1p(a)) / a;
    const auto result = static_cast<double>(std::max(
        static_cast<long double>(depth) + static_cast<long double>(step) * series, 0.0L));
    return all ? std::max(result, std::nextafter(saturated_depth_, infinity)) : result;
  }

  double surplus_;
  double most_;             // the larger of lambda and c mu
  double saturated_depth_;  // lambda T
  double per_depth_;        // r / T
  double growth_;           // lambda r - surplus
};

void expect_loop(const RetryLoop& loop, double backlog, double steps) {
  expect(std::isfinite(loop.retries_per_timeout) && loop.retries_per_timeout >= 0,
         "the retries per timeout are negative or not a finite number");
  expect(std::isfinite(loop.timeout) && loop.timeout > 0,
         "the timeout is not above zero, or not a finite number");
  expect(std::isfinite(backlog) && backlog >= 0,
         "the backlog is negative or not a finite number");
  expect(std::isfinite(steps) && steps >= 0 && steps == std::floor(steps),
         "the number of steps is not a whole number");
}

double finite_depth(const Recursion& recursion, double backlog, double steps) {
  const double depth = recursion.depth_after(backlog, steps);
  expect(std::isfinite(depth), "the depth is too large to be computed with");
  return depth;
}

Answer steps_of(const RetryLoop& loop, const Recursion& recursion, double backlog) {
  const double change = recursion.change(backlog);
  if (backlog == 0 && change <= 0) {
    return {};
  }
  if (change < 0) {
    const double steps = recursion.steps_to_zero(backlog);
    expect(std::isfinite(steps), "the drain time is too large to be computed with");
    return {.value = steps, .why_infinite = {}};
  }
  Answer without = drain_time(loop.flow, backlog);
  if (!without.is_finite()) {
    return without;
  }
  return infinite(change == 0 ? "retries take up the whole surplus"
                              : "retries exceed the surplus, so the backlog grows");
}

// surplus over the rate at which r = 1 would retry.
Answer critical_retries(const RetryLoop& loop, double timeouts_a_second) {
  const double spare = surplus(loop.flow);
  if (spare <= 0) {
    return {};
  }
  if (timeouts_a_second == 0 || !std::isfinite(spare / timeouts_a_second)) {
    return infinite("nothing times out");
  }
  return {.value = spare / timeouts_a_second, .why_infinite = {}};
}

Answer critical_depth(const RetryLoop& loop, const Recursion& recursion) {
  const double spare = surplus(loop.flow);
  if (spare < 0 || (spare == 0 && loop.retries_per_timeout > 0)) {
    return {};
  }
  if (recursion.saturated_growth() < 0 || loop.retries_per_timeout == 0) {
    return infinite("the surplus exceeds the retries at any depth");
  }
  return {.value = spare * (loop.timeout / loop.retries_per_timeout), .why_infinite = {}};
}

}  // namespace

double depth_after(const RetryLoop& loop, double backlog, double steps) {
  expect_loop(loop, backlog, steps);
  return finite_depth(Recursion{loop}, backlog, steps);
}

double depth_while_growing(const RetryLoop& loop,
                           double backlog,
                           double growth,
                           double seconds) {
  const double whole = std::floor(seconds);
  expect_loop(loop, backlog, whole);
  expect(std::isfinite(growth), "the growth is not a finite number");
  const Recursion recursion{loop, -growth};
  const double before = finite_depth(recursion, backlog, whole);
  if (whole == seconds) {
    return before;
  }
  return before + (finite_depth(recursion, before, 1) - before) * (seconds - whole);
}

Answer steps_to_drain(const RetryLoop& loop, double backlog) {
  expect_loop(loop, backlog, 0);
  return steps_of(loop, Recursion{loop}, backlog);
}

RetryOutlook retry_outlook(const RetryLoop& loop, double backlog, double steps) {
  expect_loop(loop, backlog, steps);
  expect(steps >= 1, "there are no steps to take");
  const Recursion recursion{loop};
  RetryOutlook outlook;
  outlook.steps_to_drain = steps_of(loop, recursion, backlog);
  outlook.critical_retries =
      critical_retries(loop, std::min(loop.flow.arrival_rate, backlog / loop.timeout));
  outlook.critical_retries_at_any_depth = critical_retries(loop, loop.flow.arrival_rate);
  outlook.critical_depth = critical_depth(loop, recursion);
  outlook.saturated_arrival_rate =
      loop.flow.arrival_rate * (1 + loop.retries_per_timeout);
  outlook.saturated_growth = recursion.saturated_growth();
  outlook.depth_before_last = finite_depth(recursion, backlog, steps - 1);
  outlook.final_depth = finite_depth(recursion, backlog, steps);
  outlook.peak_depth = std::max(backlog, outlook.final_depth);
  return outlook;
}

}  // namespace basin
