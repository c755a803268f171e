// What is said of one run beside its metrics: how its replications were chosen.
#pragma once

#include <optional>

#include "experiments/precision.h"

namespace basin {

struct RunStatistics {
  std::optional<PrecisionReport> precision;  // with --precision
};

}  // namespace basin
