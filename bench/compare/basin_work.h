// The work that Basin does in the comparison: see basin_work.cc for the list.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/random.h"

namespace basin {

struct Outcome {
  std::int64_t count = 0;
  double seconds = 0;  // wall time of the run alone
  double answer = 0;
  std::vector<std::pair<std::string, double>> also;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// M/M/1 at utilization 0.8, mean service 1, until `customers` have left. Answers are the
// mean time in the system.
Outcome one_server(std::int64_t customers, const RandomKey& key);
Outcome one_server_by_hand(std::int64_t customers, const RandomKey& key);
Outcome one_server_with_timers(std::int64_t customers, const RandomKey& key);
// M/M/c at utilization 0.9.
Outcome many_servers(std::size_t servers, std::int64_t customers, const RandomKey& key);

// The same through the whole model.
Outcome run_servers(int count,
                    double utilization,
                    std::int64_t customers,
                    const RandomKey& key);

// 10,000 messages a second on 32 consumers; answers are goodput.
Outcome run_outage(std::int64_t messages, const RandomKey& key);
Outcome run_quiet(std::int64_t messages, const RandomKey& key);
Outcome run_backlog(std::int64_t messages, int max_attempts, const RandomKey& key);
Outcome run_storm(std::int64_t messages, const RandomKey& key);

}  // namespace basin
