// ns-3: M/M/c by events alone (A, C25, C2500), and with a cancelled timer for each
// customer (B). ns-3 has the events and the random numbers; the line is a deque.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

#include "ns3/core-module.h"

namespace {

using namespace ns3;

struct Customer {
  Time arrival;
  EventId timer;
};

struct Model {
  Ptr<ExponentialRandomVariable> gap = CreateObject<ExponentialRandomVariable>();
  Ptr<ExponentialRandomVariable> work = CreateObject<ExponentialRandomVariable>();
  std::deque<Customer> line;
  int idle = 1;
  bool timed = false;
  std::int64_t customers = 0;
  std::int64_t departed = 0;
  std::int64_t fired = 0;
  Time sojourns;

  void serve(const Customer& customer) {
    Simulator::Schedule(Seconds(work->GetValue()), &Model::depart, this, customer);
  }

  void arrive() {
    Customer customer{Simulator::Now(), {}};
    if (timed) {
      customer.timer = Simulator::Schedule(Seconds(30), &Model::give_up, this);
    }
    if (idle > 0) {
      --idle;
      serve(customer);
    } else {
      line.push_back(customer);
    }
    Simulator::Schedule(Seconds(gap->GetValue()), &Model::arrive, this);
  }

  void depart(Customer customer) {
    sojourns += Simulator::Now() - customer.arrival;
    if (timed) {
      Simulator::Remove(customer.timer);
    }
    if (++departed == customers) {
      Simulator::Stop();
    }
    if (line.empty()) {
      ++idle;
    } else {
      serve(line.front());
      line.pop_front();
    }
  }

  void give_up() { ++fired; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  const std::string workload = argv[1];
  RngSeedManager::SetSeed(static_cast<std::uint32_t>(std::atoll(argv[3])));
  Model model;
  model.customers = std::atoll(argv[2]);
  model.timed = workload == "B";
  model.idle = workload[0] == 'C' ? std::atoi(argv[1] + 1) : 1;
  const double rate = (model.idle == 1 ? 0.8 : 0.9) * model.idle;
  model.gap->SetAttribute("Mean", DoubleValue(1 / rate));
  model.work->SetAttribute("Mean", DoubleValue(1));

  const auto start = std::chrono::steady_clock::now();
  ObjectFactory scheduler("ns3::PriorityQueueScheduler");  // the fastest of them here
  Simulator::SetScheduler(scheduler);
  Simulator::Schedule(Seconds(model.gap->GetValue()), &Model::arrive, &model);
  Simulator::Run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  const double departed = static_cast<double>(model.departed);
  std::printf(R"({"name": "ns-3", "count": %lld, "seconds": %.9f, "answer": %.17g, )"
              R"("also": {"fired": %.17g}})"
              "\n",
              static_cast<long long>(model.departed),
              elapsed.count(),
              model.sojourns.GetSeconds() / departed,
              static_cast<double>(model.fired) / departed);
  Simulator::Destroy();
}
