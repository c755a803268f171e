// SimCpp20: M/M/c of coroutines, one that sends customers and one for each server, which
// waits for an event of its own when nobody is there.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fschuetz04/simcpp20.hpp"

namespace {

using Simulation = simcpp20::simulation<>;

constexpr double patience = 30;

struct Customer {
  double arrival;
  std::optional<simcpp20::event<>> timer;
};

struct Model {
  Simulation sim;
  std::mt19937_64 random;
  std::exponential_distribution<> work{1.0};
  std::deque<Customer> line;
  std::vector<simcpp20::event<>> idle;  // what idle servers wait for
  std::int64_t departed = 0;
  std::int64_t fired = 0;
  double sojourns = 0;
};

simcpp20::process<> send_customers(Simulation& sim, Model& model, double rate, bool timed) {
  std::exponential_distribution<> gap{rate};
  for (;;) {
    co_await sim.timeout(gap(model.random));
    Customer& customer = model.line.emplace_back(sim.now());
    if (timed) {
      customer.timer = sim.timeout(patience);
      customer.timer->add_callback([&model] { ++model.fired; });
    }
    if (!model.idle.empty()) {
      model.idle.back().trigger();
      model.idle.pop_back();
    }
  }
}

simcpp20::process<> serve(Simulation& sim, Model& model) {
  for (;;) {
    while (model.line.empty()) {
      auto customer = sim.event();
      model.idle.push_back(customer);
      co_await customer;
    }
    const Customer customer = std::move(model.line.front());
    model.line.pop_front();
    co_await sim.timeout(model.work(model.random));
    model.sojourns += sim.now() - customer.arrival;
    ++model.departed;
    if (customer.timer) {
      customer.timer->abort();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  const std::string workload = argv[1];
  const std::int64_t customers = std::atoll(argv[2]);
  const int servers = workload[0] == 'C' ? std::atoi(argv[1] + 1) : 1;
  Model model;
  model.random.seed(std::strtoull(argv[3], nullptr, 10));

  const auto start = std::chrono::steady_clock::now();
  send_customers(
      model.sim, model, (servers == 1 ? 0.8 : 0.9) * servers, workload == "B");
  for (int i = 0; i < servers; ++i) {
    serve(model.sim, model);
  }
  while (model.departed < customers) {
    model.sim.step();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const double served = static_cast<double>(customers);
  std::printf(R"({"name": "SimCpp20", "count": %lld, "seconds": %.9f, "answer": %.17g, )"
              R"("also": {"fired": %.17g}})"
              "\n",
              static_cast<long long>(customers),
              elapsed.count(),
              model.sojourns / served,
              static_cast<double>(model.fired) / served);
}
