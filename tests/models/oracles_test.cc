// The simulated system against numbers that nobody here computed by simulation: closed
// forms and Markov chains of the queueing literature, to all their digits.
//
// Long runs from empty, after a warm-up of at least thirty relaxation times. The quick
// suite runs a part of them, a fraction as long. What the model has no words for is not
// here: patience or backoff of exponential length (Erlang A, classical retrial),
// priorities, tandems, shared processors.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/theory_check.h"

namespace basin {
namespace {

using namespace std::chrono_literals;
using Estimate = std::function<double(const RunResult&)>;

Estimate metric(double Metrics::*member) {
  return [member](const RunResult& result) { return result.metrics.*member; };
}

double in_system(const RunResult& result) {
  return result.metrics.mean_depth + result.metrics.mean_in_flight;
}

// Half of the widest bin of the latency histogram.
constexpr double quantile_resolution = 0.004;

TheoryValue number_in_system(double exact) {
  return {"L", exact, in_system, 0, true};
}
TheoryValue waiting(double exact) {
  return {"Lq", exact, metric(&Metrics::mean_depth), 0, true};
}
TheoryValue wait(double exact) {
  return {"Wq", exact, metric(&Metrics::mean_wait), 0, true};
}
TheoryValue sojourn(double exact) {
  return {"W", exact, metric(&Metrics::mean_latency), 0, true};
}
TheoryValue busy(double exact) {
  return {"P(server busy)", exact, metric(&Metrics::utilization)};
}
TheoryValue sojourn_p50(double exact) {
  return {"sojourn p50", exact, metric(&Metrics::latency_p50), quantile_resolution};
}
TheoryValue sojourn_p99(double exact) {
  return {"sojourn p99", exact, metric(&Metrics::latency_p99), quantile_resolution};
}
TheoryValue throughput(double exact) {
  return {"throughput", exact, metric(&Metrics::throughput)};
}
TheoryValue blocked(double exact) {
  return {"P(blocked)", exact, [](const RunResult& result) {
            return result.metrics.rejected_rate / result.metrics.base_rate;
          }};
}
TheoryValue in_system_is(const SystemConfig& config, float number, double exact) {
  return {"P(N = " + std::to_string(static_cast<int>(number)) + ")",
          exact,
          sampled_probability(config, [number](float depth, float in_flight) {
            return depth + in_flight == number;
          })};
}

// Nobody is refused or leaves: then the share of time that consumers are busy is the load
// (Little's law for the consumers), whatever the queue does.
ControlVariate load_is(double load) {
  return {load, metric(&Metrics::utilization)};
}

// Fire and forget, no leases: the textbook's queue. Service has mean 1 s.
SystemConfig queue(const Arrivals& arrivals,
                   const Distribution& service,
                   int consumers,
                   Duration horizon) {
  SystemConfig config;
  config.arrivals = arrivals;
  config.consumers.groups = {{.name = "", .count = consumers, .service = service}};
  config.horizon = horizon;
  config.warmup = 6000s;
  config.sample_interval = 1000s;
  config.outcome_interval = 1000s;
  return config;
}

TheoryCase mm1() {
  return {.name = "mm1",
          .source = "M/M/1, load 0.8: L = rho/(1-rho), W ~ Exp(mu - lambda)",
          .config = queue(PoissonArrivals{0.8}, Exponential{1}, 1, 1'250'000s),
          .control = load_is(0.8),
          .values = {number_in_system(4),
                     waiting(3.2),
                     sojourn(5),
                     wait(4),
                     busy(0.8),
                     sojourn_p50(3.4657359027997265471),
                     sojourn_p99(23.02585092994045684)}};
}

TheoryCase mmc() {
  TheoryCase theory{
      .name = "mmc",
      .source = "M/M/25, 22 erlang: Erlang C, by B_k = a B_{k-1} / (k + a B_{k-1})",
      .config = queue(PoissonArrivals{22}, Exponential{1}, 25, 92'000s),
      .control = load_is(0.88),
      .values = {number_in_system(25.179677825902419207),
                 waiting(3.1796778259024192067),
                 sojourn(1.1445308102682917821),
                 wait(0.14453081026829178212)}};
  theory.config.warmup = 1000s;
  theory.config.sample_interval = 1s;
  theory.values.push_back({"P(wait), Erlang C",
                           0.43359243080487534636,
                           sampled_probability(theory.config, [](float, float in_flight) {
                             return in_flight == 25;
                           })});
  return theory;
}

// Of capacity K in the system; who finds it full is lost.
SystemConfig bounded(double rate, int consumers, int capacity, Duration horizon) {
  SystemConfig config = queue(PoissonArrivals{rate}, Exponential{1}, consumers, horizon);
  config.queue.capacity = capacity - consumers;
  config.producer.on_reject = OnReject::silent;
  return config;
}

TheoryCase mm1k() {
  return {.name = "mm1k",
          .source = "M/M/1/10, load 0.9: p_n proportional to rho^n",
          .config = bounded(0.9, 1, 10, 390'000s),
          .values = {blocked(0.050813731327412388635),
                     number_in_system(3.9694405985861735252),
                     waiting(3.1151729567808446749),
                     wait(3.6466006721237050209),
                     throughput(0.85426764180532885023),
                     busy(1 - 0.14573235819467114977)}};
}

TheoryCase mmck() {
  return {.name = "mmck",
          .source = "M/M/3/10, load 4/3: p_n proportional to lambda^n / prod min(i, c)",
          .config = bounded(4, 3, 10, 20'000s),
          .values = {blocked(0.26579967584168866505),
                     number_in_system(7.6153557959394532706),
                     waiting(4.6785544993062079308),
                     wait(1.5930783279991437676),
                     throughput(2.9368012966332453398)}};
}

TheoryCase mg1_lognormal() {
  return {.name = "mg1_lognormal",
          .source = "M/G/1, load 0.7, lognormal of SCV 4: Pollaczek and Khinchine",
          .config =
              queue(PoissonArrivals{0.7}, Lognormal{.mean = 1, .scv = 4}, 1, 2'100'000s),
          .control = load_is(0.7),
          .values = {wait(5.8333333333333333333),
                     waiting(4.0833333333333333333),
                     sojourn(6.8333333333333333333),
                     number_in_system(4.7833333333333333333)}};
}

TheoryCase mg1_erlang() {
  return {
      .name = "mg1_erlang",
      .source = "M/G/1, load 0.8, Erlang of 4 phases: Pollaczek and Khinchine",
      .config = queue(PoissonArrivals{0.8}, Erlang{.shape = 4, .mean = 1}, 1, 200'000s),
      .control = load_is(0.8),
      .values = {wait(2.5), waiting(2), sojourn(3.5), number_in_system(2.8)}};
}

TheoryCase mg1_hyperexponential() {
  return {.name = "mg1_hyperexponential",
          .source = "M/H2/1, load 0.8, balanced means of SCV 4: Pollaczek and Khinchine",
          .config = queue(PoissonArrivals{0.8},
                          Hyperexponential{.p = 0.88729833462074168852,
                                           .mean1 = 1 / 1.774596669241483377,
                                           .mean2 = 1 / 0.22540333075851662296},
                          1,
                          640'000s),
          .control = load_is(0.8),
          .values = {wait(10), waiting(8), number_in_system(8.8)}};
}

TheoryCase md1() {
  TheoryCase theory{
      .name = "md1",
      .source = "M/D/1, load 0.8: Pollaczek and Khinchine; embedded chain for P(N = n)",
      .config = queue(PoissonArrivals{0.8}, Deterministic{1}, 1, 200'000s),
      .control = load_is(0.8),
      .values = {wait(2), waiting(1.6), sojourn(3), number_in_system(2.4), busy(0.8)}};
  theory.config.sample_interval = 1s;
  theory.values.push_back(in_system_is(theory.config, 1, 0.24510818569849352092));
  theory.values.push_back(in_system_is(theory.config, 2, 0.18941175062173462308));
  theory.values.push_back(in_system_is(theory.config, 5, 0.054127649574156305409));
  return theory;
}

TheoryCase dm1() {
  return {.name = "dm1",
          .source = "D/M/1, load 0.8: W ~ Exp(mu (1-sigma)), sigma = A*(mu (1-sigma))",
          .config = queue(DeterministicArrivals{0.8}, Exponential{1}, 1, 610'000s),
          .control = load_is(0.8),
          .values = {wait(1.6927308399198974285),
                     sojourn(2.6927308399198974285),
                     waiting(1.3541846719359179428),
                     number_in_system(2.1541846719359179428),
                     sojourn_p99(12.400483782889783525)}};
}

TheoryCase h2m1() {
  return {.name = "h2m1",
          .source = "H2/M/1, load 0.8, gaps of SCV 4: W ~ Exp(mu (1-sigma))",
          .config = queue(
              RenewalArrivals{balanced_means(1.25, 4)}, Exponential{1}, 1, 480'000s),
          .control = load_is(0.8),
          .values = {wait(9.8191927719839323339),
                     sojourn(10.819192771983932334),
                     waiting(7.8553542175871458671),
                     number_in_system(8.6553542175871458671)}};
}

TheoryCase mmpp_m1() {
  return {.name = "mmpp_m1",
          .source = "MMPP(2)/M/1: matrix-geometric solution, R = least root",
          .config = queue(MmppArrivals{.rates = {0.4, 1.6},
                                       .transitions = {{0, 0.1}, {0.2, 0}},
                                       .initial_state = {}},
                          Exponential{1},
                          1,
                          680'000s),
          .control = load_is(0.8),
          .values = {number_in_system(8.476159075760167),
                     waiting(7.676159075760167),
                     sojourn(10.59519884470021),
                     wait(9.595198844700209),
                     busy(0.8)}};
}

// Who has waited longer than tau is dropped when its turn comes: those served, and their
// waits, are the same as if it had left the queue at tau. The published mean wait counts
// tau for those who leave.
TheoryCase mm1_deadline() {
  constexpr double tau = 5;
  constexpr double leave = 0.076986671301761310186;
  constexpr double wait_of_all = 1.7673865322489220046;
  TheoryCase theory{
      .name = "mm1_deadline",
      .source = "M/M/1+D, load 0.8, patience 5 s: Baccelli and Hebuterne 1981",
      .config = queue(PoissonArrivals{0.8}, Exponential{1}, 1, 170'000s),
      .values = {{"P(left)",
                  leave,
                  [](const RunResult& result) {
                    return result.metrics.expired_rate / result.metrics.base_rate;
                  }},
                 throughput(0.73841066295859095185),
                 busy(0.73841066295859095185),
                 {"wait of those served",
                  (wait_of_all - leave * tau) / (1 - leave),
                  metric(&Metrics::mean_wait)}}};
  theory.config.queue.message_ttl = from_seconds(tau);
  return theory;
}

std::vector<TheoryCase> all_cases() {
  return {mm1(),
          mmc(),
          mm1k(),
          mmck(),
          mg1_lognormal(),
          mg1_erlang(),
          mg1_hyperexponential(),
          md1(),
          dm1(),
          h2m1(),
          mmpp_m1(),
          mm1_deadline()};
}

std::vector<TheoryCase> quick_cases() {
  std::vector<TheoryCase> cases{
      mm1(), mmc(), mm1k(), mg1_erlang(), md1(), mm1_deadline()};
  for (TheoryCase& theory : cases) {
    theory.config.horizon =
        theory.config.warmup + (theory.config.horizon - theory.config.warmup) / 12;
  }
  return cases;
}

std::string name_of_case(const ::testing::TestParamInfo<TheoryCase>& info) {
  return info.param.name;
}

class Oracles : public ::testing::TestWithParam<TheoryCase> {};
TEST_P(Oracles, simulation_agrees_with_theory) {
  check(GetParam(), 0.08);
}
INSTANTIATE_TEST_SUITE_P(, Oracles, ::testing::ValuesIn(quick_cases()), name_of_case);

class OraclesSlow : public ::testing::TestWithParam<TheoryCase> {};
TEST_P(OraclesSlow, simulation_agrees_with_theory) {
  check(GetParam(), 0.02);
}
INSTANTIATE_TEST_SUITE_P(, OraclesSlow, ::testing::ValuesIn(all_cases()), name_of_case);

}  // namespace
}  // namespace basin
