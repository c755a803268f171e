// Small random systems that cross every feature with every other, and their description.
#pragma once

#include <cstdint>
#include <string>

#include "models/system_config.h"

namespace basin {

// A pure function of `seed`. Half of the systems have all their times on a grid of 250
// ms, so that ties at one nanosecond abound; the others have drawn times.
SystemConfig random_config(std::uint64_t seed);

// What differs from the defaults, one line a part, for failure messages.
std::string describe(const SystemConfig& config);

}  // namespace basin
