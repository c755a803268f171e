// Basin's side of the comparison: compare_basin WORKLOAD N SEED does one piece of work
// and prints one line of JSON, as every other program of the comparison does.
//
//   A        M/M/1 at utilization 0.8, on the engine alone
//   A_floor  the same by hand, with no pending events: what the engine's loop costs
//   A_model  the same through the whole model
//   B        A with a timer for each customer, cancelled when its service ends
//   C25, C2500  M/M/c at utilization 0.9, on the engine alone
//   C25_model, C2500_model  the same through the whole model
//   D        leases, producers' timers, retries, an outage, a sample a second
//   growth   D without the outage
//   E1, E4   D behind a backlog of five sixths of N, with one and four attempts
//   storm    a short D whose timers and leases end: answers to compare, not speed
//
// N counts customers, or the horizon times the arrival rate. Times are in seconds; the
// mean service of A, B and C is 1.
#include "bench/compare/basin_work.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace basin {
namespace {

using Work = Outcome (*)(std::int64_t n, const RandomKey& key);
constexpr std::pair<std::string_view, Work> works[] = {
    {"A", one_server},
    {"A_floor", one_server_by_hand},
    {"A_model",
     [](std::int64_t n, const RandomKey& key) { return run_servers(1, 0.8, n, key); }},
    {"B", one_server_with_timers},
    {"C25",
     [](std::int64_t n, const RandomKey& key) { return many_servers(25, n, key); }},
    {"C2500",
     [](std::int64_t n, const RandomKey& key) { return many_servers(2500, n, key); }},
    {"C25_model",
     [](std::int64_t n, const RandomKey& key) { return run_servers(25, 0.9, n, key); }},
    {"C2500_model",
     [](std::int64_t n, const RandomKey& key) { return run_servers(2500, 0.9, n, key); }},
    {"D", run_outage},
    {"growth", run_quiet},
    {"E1", [](std::int64_t n, const RandomKey& key) { return run_backlog(n, 1, key); }},
    {"E4", [](std::int64_t n, const RandomKey& key) { return run_backlog(n, 4, key); }},
    {"storm", run_storm},
};

void print(const Outcome& outcome) {
  std::printf(
      R"({"name": "Basin", "count": %lld, "seconds": %.9f, "answer": %.17g, "also": {)",
      static_cast<long long>(outcome.count),
      outcome.seconds,
      outcome.answer);
  const char* separator = "";
  for (const auto& [name, value] : outcome.also) {
    std::printf(R"(%s"%s": %.17g)", separator, name.c_str(), value);
    separator = ", ";
  }
  std::puts("}}");
}

}  // namespace
}  // namespace basin

int main(int argc, char** argv) {
  const std::int64_t n = argc == 4 ? std::strtoll(argv[2], nullptr, 10) : 0;
  for (const auto& [name, work] : basin::works) {
    if (n > 0 && name == argv[1]) {
      basin::print(work(n, {.seed = std::strtoull(argv[3], nullptr, 10)}));
      return 0;
    }
  }
  std::fputs("usage: compare_basin WORKLOAD N SEED\n", stderr);
  return 2;
}
