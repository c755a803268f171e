#include "models/arrival_paths.h"

#include <cmath>
#include <limits>

#include "engine/contract.h"
#include "engine/log.h"
#include "models/random_purpose.h"

namespace basin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

RandomAddress modulation(std::uint32_t origin, std::uint64_t change) {
  return address_of(Purpose::arrival_modulation, RequestKey::of(origin, change), 0);
}

// reach[i][j]: state j can be reached from i (every state reaches itself).
std::vector<std::vector<bool>> reachability(const MmppArrivals& arrivals) {
  const std::size_t size = arrivals.rates.size();
  std::vector<std::vector<bool>> reach(size, std::vector<bool>(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      reach[i][j] = i == j || arrivals.transitions[i][j] > 0;
    }
  }
  for (std::size_t via = 0; via < size; ++via) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        reach[i][j] = reach[i][j] || (reach[i][via] && reach[via][j]);
      }
    }
  }
  return reach;
}

void expect_valid(const MmppArrivals& arrivals) {
  const std::size_t size = arrivals.rates.size();
  BASIN_EXPECT(size > 0 && arrivals.transitions.size() == size);
  for (std::size_t i = 0; i < size; ++i) {
    BASIN_EXPECT(arrivals.rates[i] >= 0 && arrivals.transitions[i].size() == size);
    for (std::size_t j = 0; j < size; ++j) {
      BASIN_EXPECT(i == j || arrivals.transitions[i][j] >= 0);
    }
  }
}

// The states of the one closed class: those reachable from wherever they lead.
std::vector<std::size_t> closed_class(const MmppArrivals& arrivals) {
  const auto reach = reachability(arrivals);
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < reach.size(); ++i) {
    bool returns = true;
    for (std::size_t j = 0; j < reach.size(); ++j) {
      returns = returns && (!reach[i][j] || reach[j][i]);
    }
    if (returns) {
      BASIN_EXPECT(members.empty() || reach[members.front()][i]);
      members.push_back(i);
    }
  }
  return members;
}

}  // namespace

std::vector<double> stationary_probabilities(const MmppArrivals& arrivals) {
  expect_valid(arrivals);
  const std::vector<std::size_t> members = closed_class(arrivals);
  const std::size_t size = members.size();
  std::vector<std::vector<double>> flow(size, std::vector<double>(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      flow[i][j] = arrivals.transitions[members[i]][members[j]];
    }
  }
  for (std::size_t last = size - 1; last > 0; --last) {
    double out = 0;
    for (std::size_t j = 0; j < last; ++j) {
      out += flow[last][j];
    }
    for (std::size_t i = 0; i < last; ++i) {
      flow[i][last] /= out;
      for (std::size_t j = 0; j < last; ++j) {
        if (i != j) {
          flow[i][j] += flow[i][last] * flow[last][j];
        }
      }
    }
  }
  std::vector<double> weights(size, 1.0);
  double sum = 1;
  for (std::size_t j = 1; j < size; ++j) {
    weights[j] = 0;
    for (std::size_t i = 0; i < j; ++i) {
      weights[j] += weights[i] * flow[i][j];
    }
    sum += weights[j];
  }
  std::vector<double> probabilities(arrivals.rates.size());
  for (std::size_t i = 0; i < size; ++i) {
    probabilities[members[i]] = weights[i] / sum;
  }
  return probabilities;
}

double on_fraction(const OnOffArrivals& arrivals) {
  const double on = mean_of(arrivals.on);
  const double off = mean_of(arrivals.off);
  BASIN_EXPECT(on + off > 0);
  BASIN_EXPECT(!std::isinf(on) || !std::isinf(off));
  return std::isinf(on) ? 1 : on / (on + off);
}

MmppPath::MmppPath(const MmppArrivals& arrivals,
                   const RandomKey& key,
                   std::uint32_t origin,
                   SimTime start)
    : arrivals_{&arrivals}, key_{key}, origin_{origin}, now_{start} {
  expect_valid(arrivals);
  const std::size_t size = arrivals.rates.size();
  const auto reach = reachability(arrivals);
  exit_rates_.resize(size);
  may_arrive_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      exit_rates_[i] += i == j ? 0 : arrivals.transitions[i][j];
      may_arrive_[i] = may_arrive_[i] || (reach[i][j] && arrivals.rates[j] > 0);
    }
  }
  if (arrivals.initial_state.has_value()) {
    state_ = static_cast<std::size_t>(*arrivals.initial_state);
    BASIN_EXPECT(state_ < size);
    return;
  }
  const std::vector<double> probabilities = stationary_probabilities(arrivals);
  double rest = to_unit(random_block(key, modulation(origin, 0))[2]);
  for (std::size_t i = 0; i < size; ++i) {
    if (probabilities[i] > 0) {
      state_ = i;
      rest -= probabilities[i];
      if (rest < 0) {
        break;
      }
    }
  }
}

RateSegment MmppPath::next() {
  const double rate = arrivals_->rates[state_];
  if (exit_rates_[state_] <= 0 || !may_arrive_[state_]) {
    return {.end = ContinuousTime::end(), .rate = rate};
  }
  const RandomBlock block = random_block(key_, modulation(origin_, change_++));
  now_.advance(unit_exponential(block[0]) / exit_rates_[state_]);

  const std::vector<double>& row = arrivals_->transitions[state_];
  double rest = to_unit(block[1]) * exit_rates_[state_];
  std::size_t successor = state_;
  for (std::size_t j = 0; j < row.size() && rest >= 0; ++j) {
    if (j != state_ && row[j] > 0) {
      successor = j;
      rest -= row[j];
    }
  }
  state_ = successor;
  return {.end = now_, .rate = rate};
}

OnOffPath::OnOffPath(const OnOffArrivals& arrivals,
                     const RandomKey& key,
                     std::uint32_t origin,
                     SimTime start)
    : arrivals_{&arrivals},
      key_{key},
      origin_{origin},
      now_{start},
      may_arrive_{(arrivals.on_rate > 0 && mean_of(arrivals.on) > 0) ||
                  (arrivals.off_rate > 0 && mean_of(arrivals.off) > 0)} {
  BASIN_EXPECT(arrivals.on_rate >= 0 && arrivals.off_rate >= 0);
  on_ = to_unit(random_block(key, modulation(origin, 0))[2]) < on_fraction(arrivals);
}

RateSegment OnOffPath::next() {
  if (!may_arrive_) {
    return {.end = ContinuousTime::end()};
  }
  const RandomAddress address = modulation(origin_, period_++);
  RandomAddress more = address;
  more.part = 1;
  now_.advance(sample(on_ ? arrivals_->on : arrivals_->off,
                      random_block(key_, address)[0],
                      RandomStream{key_, more}));
  const double rate = on_ ? arrivals_->on_rate : arrivals_->off_rate;
  on_ = !on_;
  return {.end = now_, .rate = rate};
}

std::vector<SchedulePath::Piece> SchedulePath::pieces_of(
    const ScheduleArrivals& arrivals) {
  const auto& steps = arrivals.steps;
  BASIN_EXPECT(!steps.empty() && steps.front().at == 0);
  BASIN_EXPECT(arrivals.factor >= 0);
  std::vector<Piece> pieces;
  double before = arrivals.period.has_value() ? steps.back().rate * arrivals.factor : 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double end =
        i + 1 < steps.size() ? steps[i + 1].at : arrivals.period.value_or(infinity);
    const double top = steps[i].at + steps[i].ramp;
    const double rate = steps[i].rate * arrivals.factor;
    BASIN_EXPECT(steps[i].at < end && steps[i].ramp >= 0 && top <= end && rate >= 0);
    if (steps[i].ramp > 0) {
      pieces.push_back({top, before, (rate - before) / steps[i].ramp});
    }
    if (top < end) {
      pieces.push_back({end, rate, 0});
    }
    before = rate;
  }
  return pieces;
}

double SchedulePath::requests_a_period(const ScheduleArrivals& arrivals) {
  double requests = 0;
  double begin = 0;
  for (const Piece& piece : pieces_of(arrivals)) {
    const double length = piece.end - begin;
    requests += (piece.rate + 0.5 * piece.slope * length) * length;
    begin = piece.end;
  }
  return requests;
}

SchedulePath::SchedulePath(const ScheduleArrivals& arrivals, SimTime start)
    : arrivals_{&arrivals}, start_{start}, pieces_{pieces_of(arrivals)} {
  if (arrivals.period.has_value() && !(requests_a_period(arrivals) > 0)) {
    pieces_ = {{.end = infinity, .rate = 0, .slope = 0}};
  }
}

RateSegment SchedulePath::next() {
  const Piece& piece = pieces_[piece_];
  // Each end is computed afresh from the start: cycles do not drift.
  long double end = piece.end;
  if (arrivals_->period.has_value()) {
    end += static_cast<long double>(cycle_) * *arrivals_->period;
  }
  const RateSegment segment{.end = ContinuousTime::after(start_, end),
                            .rate = piece.rate,
                            .slope = piece.slope};
  if (++piece_ == pieces_.size()) {
    piece_ = 0;
    ++cycle_;
  }
  return segment;
}

}  // namespace basin
