#include "experiments/presets.h"

#include <array>

namespace basin {
namespace {

constexpr std::array none_values{
    PresetValue{"order", "fifo", "", "", "oldest first"},
    PresetValue{"capacity", "none", "", "", "unbounded"},
    PresetValue{"visibility_timeout", "none", "", "", "no leases: a receive removes"},
    PresetValue{"receive_batch", "1", "", "", "one message a receive"},
    PresetValue{
        "stale_ack", "accept", "", "", "without leases no acknowledgement is stale"},
    PresetValue{"redeliver_at", "original", "", "", "keeps the order of the sends"},
    PresetValue{"max_receives", "none", "", "", "no dead-letter queue"},
    PresetValue{"message_ttl", "none", "", "", "messages are kept for ever"},
    PresetValue{"work", "per_message", "", "", "a message is the same work each time"},
};

constexpr std::array sqs_standard_values{
    PresetValue{
        "order",
        "fifo",
        "",
        "",
        "SQS promises best-effort order; the oldest send first is the ideal of it"},
    PresetValue{"capacity", "none", "", "", "SQS does not limit the waiting messages"},
    PresetValue{"visibility_timeout",
                "30s",
                "",
                "12h",
                "VisibilityTimeout: default 30 s, at most 43,200 s, from the receive"},
    PresetValue{
        "receive_batch", "1", "1", "10", "MaxNumberOfMessages: default 1, from 1 to 10"},
    PresetValue{
        "stale_ack",
        "accept",
        "",
        "",
        "a delete with an old receipt succeeds, and may not delete a message that was "
        "received again"},
    PresetValue{
        "redeliver_at",
        "original",
        "",
        "",
        "not documented before the third receive; a returned message keeps the time "
        "it was sent. Try back as well: verdicts can differ"},
    PresetValue{
        "max_receives",
        "none",
        "1",
        "1000",
        "no dead-letter queue unless a redrive policy names one; maxReceiveCount is "
        "from 1 to 1,000"},
    PresetValue{"message_ttl",
                "4d",
                "60s",
                "14d",
                "MessageRetentionPeriod: default 4 days, from 60 s to 14 days"},
    PresetValue{"work", "per_message", "", "", "a message is the same work each time"},
};

constexpr std::array all_presets{
    Preset{"none", "A plain queue without leases.", none_values},
    Preset{"sqs-standard",
           "An Amazon SQS standard queue, as its developer guide and API describe it.",
           sqs_standard_values},
};

}  // namespace

std::span<const Preset> presets() {
  return all_presets;
}

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : all_presets) {
    if (preset.name == name) {
      return &preset;
    }
  }
  return nullptr;
}

}  // namespace basin
