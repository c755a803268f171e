#include "experiments/theory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "experiments/runner.h"
#include "experiments/scenario_reader.h"
#include "experiments/theory_report.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

using testing::HasSubstr;

struct Parts {
  std::string arrivals = R"(process = "poisson"
rate = "0.8/s")";
  std::string service = R"({ distribution = "exponential", rate = "1/s" })";
  int consumers = 1;
  std::string rest = {};
};

Scenario scenario_of(const Parts& parts) {
  return read_scenario_text(fmt::format(R"([simulation]
horizon = "3h"
warmup = "20min"
replications = 10
[arrivals]
{}
[consumers]
count = {}
service = {}
{}
)",
                                        parts.arrivals,
                                        parts.consumers,
                                        parts.service,
                                        parts.rest),
                            "test.toml");
}

const TheoryForm& form_of(const std::vector<TheoryForm>& forms, const std::string& name) {
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const TheoryForm& form) {
        return form.name == name;
      });
  if (found == forms.end()) {
    throw std::logic_error("no form is called " + name);
  }
  return *found;
}

double value_of(const TheoryForm& form, const std::string& quantity) {
  for (const TheoryValue& value : form.values) {
    if (value.quantity == quantity) {
      return value.value;
    }
  }
  ADD_FAILURE() << form.name << " has no " << quantity << " (" << form.why_not << ")";
  return std::nan("");
}

std::vector<std::string> that_apply(const std::vector<TheoryForm>& forms) {
  std::vector<std::string> names;
  for (const TheoryForm& form : forms) {
    if (form.applies()) {
      names.push_back(form.name);
    }
  }
  return names;
}

// Values as in the tests of the forms in tests/analysis/.
TEST(Theory, a_plain_queue_is_mm1) {
  const auto forms = theory_of(scenario_of({}));
  EXPECT_THAT(
      that_apply(forms),
      testing::ElementsAre("M/M/1", "M/M/1 from empty", "Kingman's bound (GI/G/1)"));
  const TheoryForm& form = form_of(forms, "M/M/1");
  expect_relative(value_of(form, "mean depth"), 3.2);
  expect_relative(value_of(form, "mean wait"), 4);
  expect_relative(value_of(form, "sojourn, 99%"), 23.02585092994045684);
  EXPECT_EQ(form.standing, Standing::exact);
}

TEST(Theory, several_consumers_are_mmc) {
  const auto forms = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "22/s")",
                                            .consumers = 25}));
  expect_relative(value_of(form_of(forms, "M/M/c"), "mean wait"), 0.14453081026829178212);
  EXPECT_THAT(form_of(forms, "M/M/1").why_not, HasSubstr("25 consumers"));
}

TEST(Theory, a_bounded_queue_is_mmck) {
  const auto forms = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "4/s")",
                                            .consumers = 3,
                                            .rest = "[queue]\ncapacity = 7"}));
  const TheoryForm& form = form_of(forms, "M/M/c/K");
  expect_relative(value_of(form, "probability to be refused"), 0.26579967584168866505);
  expect_relative(value_of(form, "mean depth"), 4.6785544993062079308);
}

TEST(Theory, services_of_other_laws_are_mg1_and_constant_ones_md1) {
  const auto erlang = theory_of(
      scenario_of({.service = R"({ distribution = "erlang", mean = "1s", shape = 4 })"}));
  expect_relative(value_of(form_of(erlang, "M/G/1"), "mean wait"), 2.5);
  const auto constant = theory_of(
      scenario_of({.service = R"({ distribution = "deterministic", mean = "1s" })"}));
  expect_relative(value_of(form_of(constant, "M/D/1"), "sojourn, 99%"),
                  1 + 10.35588679199495287);
  expect_relative(value_of(form_of(constant, "M/G/1"), "mean wait"), 2);
}

TEST(Theory, regular_gaps_are_gim1) {
  const auto forms = theory_of(scenario_of({.arrivals = R"(process = "deterministic"
rate = "0.8/s")"}));
  const TheoryForm& form = form_of(forms, "GI/M/1");
  expect_relative(value_of(form, "probability to wait, sigma"), 0.62862979649694668024);
  expect_relative(value_of(form, "mean wait"), 1.6927308399198974285);
  EXPECT_EQ(form_of(forms, "Allen-Cunneen (GI/G/c)").standing, Standing::approximation);
  expect_relative(value_of(form_of(forms, "Allen-Cunneen (GI/G/c)"), "mean wait"), 2);
}

TEST(Theory, modulated_arrivals_are_mmpp) {
  const auto forms = theory_of(scenario_of({.arrivals = R"(process = "mmpp"
rates = ["0.4/s", "1.6/s"]
transitions = [["0/s", "0.1/s"], ["0.2/s", "0/s"]])"}));
  expect_relative(value_of(form_of(forms, "MMPP/M/1"), "mean wait"), 9.595198844700209);
}

TEST(Theory, a_ttl_is_patience) {
  const auto forms = theory_of(scenario_of({.rest = "[queue]\nmessage_ttl = \"5s\""}));
  const TheoryForm& form = form_of(forms, "M/M/c+D");
  expect_relative(value_of(form, "share that is dropped"), 0.076986671301761310186);
  expect_relative(value_of(form, "throughput"), 0.73841066295859095185);
  EXPECT_THAT(form_of(forms, "M/M/1").why_not, HasSubstr("TTL"));
}

TEST(Theory, retries_have_edges_and_a_time_until_they_tip) {
  const auto forms = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "0.5/s")",
                                            .rest = R"([producer]
timeout = "10s"
max_attempts = 2
retries_per_timeout = 1.5
[queue]
capacity = 39
)"}));
  EXPECT_FALSE(form_of(forms, "M/M/1").applies());
  const TheoryForm& edge = form_of(forms, "Saturated retries");
  expect_relative(value_of(edge, "recovers from any trigger below C/A"), 0.4);
  // Birth-death retries at lambda 0.5, r 1.5, T 10, K 40, from an exact chain.
  const TheoryForm& chain = form_of(forms, "Birth-death retries");
  EXPECT_EQ(value_of(chain, "tips over at a depth of"), 11);
  expect_relative(value_of(chain, "mean time until it tips by itself"),
                  1947.72027628139272);
  expect_relative(value_of(chain, "spectral gap"), 0.000263283478595383359, 1e-9);
  EXPECT_TRUE(form_of(forms, "Queue and orbit").applies());
}

TEST(Theory, mean_field_has_the_fold) {
  const auto forms = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "0.5/s")",
                                            .rest = R"([producer]
timeout = "10s"
max_attempts = 3
)"}));
  const TheoryForm& form = form_of(forms, "Mean-field retries");
  expect_relative(value_of(form, "healthy up to a load of"), 0.69465805944722242576);
  expect_relative(value_of(form, "attempts, saturated"), 1.5);
}

TEST(Theory, queue_and_orbit_is_the_published_chain) {
  const auto forms = theory_of(
      scenario_of({.arrivals = R"(process = "poisson"
rate = "5/s")",
                   .service = R"({ distribution = "exponential", rate = "10/s" })",
                   .rest = R"([producer]
timeout = "3s"
max_attempts = 5
[queue]
capacity = 98
)"}));
  const TheoryForm& form = form_of(forms, "Queue and orbit");
  expect_relative(value_of(form, "mean in the system"), 1.00232, 1e-5);
  expect_relative(value_of(form, "mean time to empty from full"), 409.602, 1e-5);
  expect_relative(value_of(form, "second eigenvalue"), -2.79933e-3, 1e-5);
}

TEST(Theory, recovery_is_arithmetic) {
  const std::string outage = R"([[incident]]
name = "outage"
kind = "consumer_outage"
start = "30min"
duration = "10s"
fraction = 1.0
)";
  const std::string retries = "[producer]\ntimeout = \"1s\"\nmax_attempts = 2\n";
  const std::string service = R"({ distribution = "deterministic", rate = "300/s" })";
  const auto stays = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "280/s")",
                                            .service = service,
                                            .rest = retries + outage}));
  const TheoryForm& never = form_of(stays, "Recovery under retries");
  EXPECT_TRUE(std::isinf(value_of(never, "goodput returns after")));
  const auto returns = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "140/s")",
                                              .service = service,
                                              .rest = retries + outage}));
  // 140 * (10 + 9) = 2,660 messages, 299 of them in time, falling by 300 - 280.
  expect_relative(
      value_of(form_of(returns, "Recovery under retries"), "goodput returns after"),
      (2660.0 - 299) / 20);
  const auto patient = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "280/s")",
                                              .service = service,
                                              .rest = outage}));
  expect_relative(value_of(form_of(patient, "Drain time"), "drain time"), 140);
}

TEST(Theory, says_why_a_form_does_not_apply) {
  const auto overloaded = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "2/s")"}));
  EXPECT_THAT(form_of(overloaded, "M/M/1").why_not, HasSubstr("no steady state"));
  const auto silent = theory_of(scenario_of({.arrivals = R"(process = "poisson"
rate = "0/s")"}));
  EXPECT_THAT(form_of(silent, "M/M/1").why_not, HasSubstr("nothing arrives"));
  const auto leased =
      theory_of(scenario_of({.rest = "[queue]\nvisibility_timeout = \"2s\""}));
  EXPECT_THAT(form_of(leased, "M/M/1").why_not, HasSubstr("leases of 2s may run out"));
  for (const auto& forms : {overloaded, silent, leased}) {
    for (const TheoryForm& form : forms) {
      EXPECT_EQ(form.applies(), !form.values.empty()) << form.name;
      for (const TheoryValue& value : form.values) {
        EXPECT_FALSE(std::isnan(value.value)) << form.name << " " << value.quantity;
      }
    }
  }
}

// Ten replications whose mean depth is `centre` give or take a tenth.
CellResult simulated(double centre) {
  CellResult result;
  result.output.arms.resize(1);
  for (int k = 0; k < 10; ++k) {
    ArmRecord record;
    record.present = true;
    record.metrics.mean_depth = centre + (k % 2 == 0 ? 0.1 : -0.1);
    record.metrics.mean_wait = 4;
    record.metrics.mean_in_flight = 0.8;
    record.metrics.utilization = 0.8;
    record.metrics.throughput = 0.8;
    record.metrics.mean_latency = 5;
    result.output.arms[0].push_back(record);
  }
  return result;
}

TEST(TheoryReport, says_loudly_where_the_simulation_excludes_an_exact_value) {
  const Scenario scenario = scenario_of({});
  const auto forms = theory_of(scenario);
  const CellResult agrees = simulated(3.2);
  const Exclusions none = exact_exclusions(forms, {Arm::control}, agrees);
  EXPECT_EQ(none.compared, 6U);
  EXPECT_EQ(none.excluded, 0U);
  EXPECT_THAT(theory_text(scenario, forms, {Arm::control}, &agrees, {}),
              HasSubstr("theory agree: all 6 exact values"));
  const CellResult differs = simulated(4);
  const Exclusions one = exact_exclusions(forms, {Arm::control}, differs);
  EXPECT_EQ(one.excluded, 1U);
  EXPECT_EQ(one.beyond_chance, 1U);
  const std::string text = theory_text(scenario, forms, {Arm::control}, &differs, {});
  EXPECT_THAT(text, HasSubstr("!! THEORY AND SIMULATION DISAGREE: 1 of 6"));
  EXPECT_THAT(text, HasSubstr("!! EXCLUDED, beyond chance"));
  EXPECT_THAT(theory_json(scenario, forms, {Arm::control}, &differs),
              HasSubstr("\"alarm\": true"));
}

// The simulation of every exact form at a family level: no alarm at 99.9% in some forty
// values.
TEST(TheorySlow, simulations_agree_with_every_exact_form) {
  class Silent final : public Progress {
   public:
    void update(std::size_t, std::size_t) override {}
    void clear() override {}
  } progress;
  const Parts parts[] = {
      {},
      {.arrivals = "process = \"poisson\"\nrate = \"22/s\"", .consumers = 25},
      {.arrivals = "process = \"poisson\"\nrate = \"4/s\"",
       .consumers = 3,
       .rest = "[queue]\ncapacity = 7"},
      {.service = R"({ distribution = "lognormal", mean = "1s", scv = 0.5 })"},
      {.service = R"({ distribution = "deterministic", mean = "1s" })"},
      {.arrivals = "process = \"deterministic\"\nrate = \"0.8/s\""},
      {.arrivals = R"(process = "mmpp"
rates = ["0.4/s", "1.2/s"]
transitions = [["0/s", "0.1/s"], ["0.2/s", "0/s"]])"},
      {.rest = "[queue]\nmessage_ttl = \"5s\""}};
  for (const Parts& part : parts) {
    Scenario scenario = with_values(scenario_of(part),
                                    {"simulation.horizon=30h",
                                     "simulation.warmup=2h",
                                     "simulation.sample_interval=5min"});
    RunnerOptions options;
    options.simulate =
        [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
          return simulate(config, key, limits);
        };
    options.threads = 2;
    const Candidates ran = run_candidates({scenario}, options, progress);
    const auto forms = theory_of(scenario);
    const Exclusions exclusions = exact_exclusions(forms, {Arm::control}, ran.cells[0]);
    EXPECT_GE(exclusions.compared, 4U);
    EXPECT_EQ(exclusions.beyond_chance, 0U)
        << theory_text(scenario, forms, {Arm::control}, &ran.cells[0], {});
  }
}

}  // namespace
}  // namespace basin
