// What theory throws where it has no answer.
#pragma once

#include <stdexcept>

namespace basin {

// A formula or a solver has no answer for these numbers: no steady state, a parameter out
// of its range, a chain that never gets there. The message says which and why, in words
// that can stand behind a colon: "no steady state: utilization is 1.25, not below 1".
class NoAnswer : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

}  // namespace basin
