// How much work a message is, in time at speed 1: a function of (request, attempt), of
// the request, or of the delivery, by the address of its draw.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "engine/log.h"
#include "engine/random.h"
#include "engine/time.h"
#include "models/arrivals.h"
#include "models/distribution.h"
#include "models/message.h"
#include "models/random_purpose.h"
#include "models/system_config.h"

namespace basin {

class WorkSampler {
 public:
  WorkSampler(const SystemConfig& config, const RandomKey& key)
      : belongs_to_{config.queue.work},
        key_{key},
        common_{common_service(config.consumers)} {}

  // The work of an attempt, drawn as it is sent: then nothing waits for a logarithm when
  // its processing begins. Known at that time if it does not depend on who receives it
  // when; else work_not_known.
  Duration at_send(RequestKey request, std::uint32_t attempt) const {
    return known_at_send()
               ? of_attempt(*common_, draw(request, attempt), request, attempt)
               : work_not_known;
  }
  // The same of a request's first attempt, with the word that decides it, or not_drawn.
  Duration at_send(std::uint64_t word, RequestKey request) const {
    return known_at_send() && word != not_drawn ? of_attempt(*common_, word, request, 1)
                                                : at_send(request, 1);
  }

  // The same of a block of requests: of `origin`, at `first` and on. `work` is as long.
  void at_send(std::span<const Arrival> arrivals,
               std::uint32_t origin,
               std::uint64_t first,
               std::span<Duration> work) const {
    const auto* exponential =
        known_at_send() ? std::get_if<Exponential>(common_) : nullptr;
    const bool all_drawn =
        std::all_of(arrivals.begin(), arrivals.end(), [](const Arrival& arrival) {
          return arrival.work != not_drawn;
        });
    if (exponential != nullptr && all_drawn) {
      std::array<double, ArrivalStream::block_size> units;
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        units[i] = unit_exponential(arrivals[i].work);  // alone: vectorized
      }
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        work[i] = from_seconds(exponential->mean * units[i]);
      }
      return;
    }
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      if (arrivals[i].time != never) {
        work[i] = at_send(arrivals[i].work, RequestKey::of(origin, first + i));
      }
    }
  }

  // The work of a message whose work was not known.
  Duration at_receipt(const Distribution& service,
                      RequestKey request,
                      std::uint32_t attempt,
                      std::uint16_t receipt) const {
    if (belongs_to_ != WorkBelongsTo::per_delivery) {
      return of_attempt(service, draw(request, attempt), request, attempt);
    }
    RandomAddress address = address_of(Purpose::delivery, request, attempt);
    address.block = static_cast<std::uint32_t>(receipt) << 16;
    const std::uint64_t word = random_block(key_, address)[0];
    ++address.block;
    return work(service, word, {key_, address});
  }

 private:
  static const Distribution* common_service(const ConsumersConfig& consumers) {
    const Distribution& first = consumers.groups.front().service;
    const bool same =
        std::all_of(consumers.groups.begin(),
                    consumers.groups.end(),
                    [&](const ConsumerGroup& group) { return group.service == first; });
    return same ? &first : nullptr;
  }
  bool known_at_send() const {
    return common_ != nullptr && belongs_to_ != WorkBelongsTo::per_delivery;
  }

  RandomAddress address(Purpose purpose,
                        RequestKey request,
                        std::uint32_t attempt) const {
    return address_of(
        purpose, request, belongs_to_ == WorkBelongsTo::per_request ? 1 : attempt);
  }
  std::uint64_t draw(RequestKey request, std::uint32_t attempt) const {
    return random_block(key_, address(Purpose::attempt, request, attempt))[work_word];
  }
  Duration of_attempt(const Distribution& service,
                      std::uint64_t word,
                      RequestKey request,
                      std::uint32_t attempt) const {
    return work(service, word, {key_, address(Purpose::work, request, attempt)});
  }
  static Duration work(const Distribution& service,
                       std::uint64_t word,
                       const RandomStream& more) {
    if (const auto* exponential = std::get_if<Exponential>(&service)) {
      return from_seconds(exponential->mean * unit_exponential(word));
    }
    return from_seconds(sample(service, word, more));
  }

  WorkBelongsTo belongs_to_;
  RandomKey key_;
  const Distribution* common_;  // of all consumers, if they have the same
};

}  // namespace basin
