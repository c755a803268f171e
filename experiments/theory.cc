#include "experiments/theory.h"

#include "experiments/theory_filling.h"

namespace basin {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::exact:
      return "exact";
    case Standing::approximation:
      return "approximation";
    case Standing::bound:
      return "bound";
    case Standing::fluid:
      return "fluid limit";
  }
  return "?";
}

TimeLaw law_of(const Distribution& distribution) {
  return std::visit(
      Overloaded{
          [](const Exponential& law) { return exponential_law(law.mean); },
          [](const Deterministic& law) { return deterministic_law(law.mean); },
          [](const Uniform& law) { return uniform_law(law.low, law.high); },
          [](const Erlang& law) { return gamma_law(law.shape, law.mean); },
          [](const Gamma& law) { return gamma_law(law.shape, law.mean); },
          [](const Lognormal& law) { return lognormal_law(law.mean, law.scv); },
          [](const Hyperexponential& law) {
            return hyperexponential_law(law.p, law.mean1, law.mean2);
          },
          [](const Weibull& law) { return weibull_law(law.shape, law.scale); },
          [](const Pareto& law) { return pareto_law(law.shape, law.scale, law.upper); },
          [](const Empirical& law) {
            std::vector<double> values = *law.values;
            for (double& value : values) {
              value *= law.factor;
            }
            return sample_law(values);
          }},
      distribution);
}

std::vector<TheoryForm> theory_of(const Scenario& scenario) {
  std::vector<TheoryForm> forms = steady_state_forms(scenario);
  for (const auto& part :
       {retry_forms(scenario), recovery_forms(scenario), fluid_forms(scenario)}) {
    forms.insert(forms.end(), part.begin(), part.end());
  }
  return forms;
}

}  // namespace basin
