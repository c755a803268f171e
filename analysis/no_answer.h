// What theory throws where it has no answer.
#pragma once

#include <stdexcept>
#include <string_view>

namespace basin {

// A formula or a solver has no answer for these numbers: no steady state, a parameter out
// of its range, a chain that never gets there. The message says which and why, in words
// that can stand behind a colon: "no steady state: utilization is 1.25, not below 1".
class NoAnswer : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

// A parameter that must be finite and above zero, or not below it; NoAnswer, by its name
// ("the arrival rate is -3, not above 0"), if it is not.
double above_zero(double value, std::string_view name);
double zero_or_more(double value, std::string_view name);
// NoAnswer unless the load (demand over capacity) is below 1.
void expect_stable(double load);

}  // namespace basin
