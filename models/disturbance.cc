#include "models/disturbance.h"

#include <algorithm>
#include <variant>

#include "engine/contract.h"

namespace basin {

namespace {

double receipt_unit(const RandomKey& key,
                    Purpose purpose,
                    RequestKey request,
                    std::uint32_t attempt,
                    std::uint16_t receipt,
                    std::uint32_t incident) {
  RandomAddress address = address_of(purpose, request, attempt);
  address.block = (static_cast<std::uint32_t>(receipt) << 8) | incident;
  return to_unit(random_block(key, address)[0]);
}

}  // namespace

Disturbance::Disturbance(const std::vector<Incident>& incidents,
                         const RandomKey& key,
                         int consumers)
    : incidents_{incidents}, key_{key}, consumers_{consumers} {}

void Disturbance::update(const IncidentTimeline& timeline) {
  poison_.clear();
  failures_.clear();
  ack_losses_.clear();
  black_holes_.clear();
  slowdowns_.clear();
  replies_lost_ = false;
  messages_held_ = false;
  for (std::uint32_t i = 0; i < incidents_.size(); ++i) {
    if (!timeline.is_on(i)) {
      continue;
    }
    const IncidentEffect& effect = incidents_[i].effect;
    if (std::holds_alternative<Poison>(effect)) {
      poison_.push_back(i);
    } else if (std::holds_alternative<DownstreamFailure>(effect)) {
      failures_.push_back(i);
    } else if (std::holds_alternative<AckLoss>(effect)) {
      ack_losses_.push_back(i);
    } else if (std::holds_alternative<BlackHole>(effect)) {
      black_holes_.push_back(i);
    } else if (std::holds_alternative<Slowdown>(effect)) {
      slowdowns_.insert(
          slowdowns_.end(), static_cast<std::size_t>(timeline.occurrences_on(i)), i);
    } else if (const auto* partition = std::get_if<Partition>(&effect)) {
      replies_lost_ |= partition->side == Partition::Side::replies;
      messages_held_ |= partition->side == Partition::Side::messages;
    }
  }
}

bool Disturbance::draws_poison(RequestKey request) const {
  return std::any_of(poison_.begin(), poison_.end(), [&](std::uint32_t i) {
    RandomAddress address = address_of(Purpose::poison, request, 0);
    address.block = i;
    return to_unit(random_block(key_, address)[0]) <
           std::get<Poison>(incidents_[i].effect).probability;
  });
}

std::optional<Disturbance::Failure> Disturbance::draw_failure(
    int consumer,
    bool poison,
    RequestKey request,
    std::uint32_t attempt,
    std::uint16_t receipt) const {
  Failure failure{.after_work = poison, .after = {}};
  const auto show_after = [&](const std::optional<Duration>& span) {
    if (!span) {
      failure.after_work = true;
    } else if (!failure.after || *span < *failure.after) {
      failure.after = span;
    }
  };
  for (const std::uint32_t i : black_holes_) {
    const auto& hole = std::get<BlackHole>(incidents_[i].effect);
    if (consumer < consumers_in(hole.share, consumers_)) {
      show_after(hole.fails_after);
    }
  }
  for (const std::uint32_t i : failures_) {
    const auto& downstream = std::get<DownstreamFailure>(incidents_[i].effect);
    if (receipt_unit(key_, Purpose::failure, request, attempt, receipt, i) <
        downstream.probability) {
      show_after(downstream.fails_after);
    }
  }
  const bool fails = failure.after_work || failure.after;
  return fails ? std::optional{failure} : std::nullopt;
}

bool Disturbance::draws_ack_loss(RequestKey request,
                                 std::uint32_t attempt,
                                 std::uint16_t receipt) const {
  return std::any_of(ack_losses_.begin(), ack_losses_.end(), [&](std::uint32_t i) {
    return receipt_unit(key_, Purpose::ack_loss, request, attempt, receipt, i) <
           std::get<AckLoss>(incidents_[i].effect).probability;
  });
}

double Disturbance::speed_of(int consumer) const {
  double speed = 1;
  for (const std::uint32_t i : slowdowns_) {
    const auto& slowdown = std::get<Slowdown>(incidents_[i].effect);
    if (consumer < consumers_in(slowdown.share, consumers_)) {
      speed *= slowdown.speed;
    }
  }
  return speed;
}

Surges::Surges(const std::vector<Incident>& incidents, const RandomKey& key) {
  processes_.reserve(incidents.size());  // streams keep references
  for (std::uint32_t i = 0; i < incidents.size(); ++i) {
    if (const auto* surge = std::get_if<ArrivalSurge>(&incidents[i].effect)) {
      processes_.emplace_back(PoissonArrivals{surge->extra_rate});
      ArrivalStream stream{processes_.back(), key, i + 1, SimTime{}};
      const Arrival first = stream.next();
      surges_.push_back({i, std::move(stream), first, Duration{0}, SimTime{}, false});
    }
  }
}

void Surges::update(const IncidentTimeline& timeline, SimTime now) {
  for (Surge& surge : surges_) {
    const bool on = timeline.is_on(surge.incident);
    if (on && !surge.on) {
      surge.stream_behind = now - surge.stream_clock;
    } else if (!on && surge.on) {
      surge.stream_clock = now - surge.stream_behind;
    }
    surge.on = on;
  }
}

SimTime Surges::next() const {
  SimTime earliest = never;
  for (const Surge& surge : surges_) {
    if (surge.on && surge.next_of_stream.time != never) {
      earliest = std::min(earliest, surge.next_of_stream.time + surge.stream_behind);
    }
  }
  return earliest;
}

Surges::Taken Surges::take() {
  Surge* earliest = nullptr;
  for (Surge& surge : surges_) {
    if (surge.on && surge.next_of_stream.time != never &&
        (earliest == nullptr ||
         surge.next_of_stream.time + surge.stream_behind <
             earliest->next_of_stream.time + earliest->stream_behind)) {
      earliest = &surge;
    }
  }
  BASIN_EXPECT(earliest != nullptr);  // next() was not `never`
  const Taken taken{earliest->incident + 1, earliest->next_of_stream.work};
  earliest->next_of_stream = earliest->stream.next();
  return taken;
}

}  // namespace basin
