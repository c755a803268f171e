// A scenario that says a little of everything.
#pragma once

#include <string_view>

namespace basin {

inline constexpr std::string_view example_scenario = R"(name = "payments-outage"
description = "A payment service is gone for eight minutes; producers retry."

[simulation]
horizon = "2h"
warmup = "5min"            # discarded; no incident may start in it
sample_interval = "5s"      # default: horizon/600
replications = 20
seed = 1

[arrivals]
process = "poisson"        # deterministic, renewal, mmpp, on_off, …
rate = "100/s"

[producer]
timeout = "30s"
max_attempts = 4
backoff = { kind = "exponential", base = "1s", factor = 2, cap = "20s", jitter = "full" }

[queue]
broker = "sqs-standard"    # a preset: it fills in what is not said below
visibility_timeout = "30s"
receive_batch = 10

[consumers]
count = 32
service = { distribution = "exponential", rate = "4/s" }

[[incident]]
name = "outage"
kind = "consumer_outage"
start = "10min"
duration = "8min"
fraction = 1.0

[objective]
goodput = 0.95
latency = "60s"           # from creation
recovery_time = "30min"

[sweep]
axes = [
  { key = "arrivals.rate", from = "20/s", to = "120/s", steps = 21 },
  { key = "incident.outage.duration", values = ["1min", "2min", "4min", "8min"] },
]
)";

}  // namespace basin
