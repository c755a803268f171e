// How a form of theory gets its values, or the reason why it has none.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "analysis/no_answer.h"
#include "analysis/time_law.h"
#include "experiments/theory.h"

namespace basin {

// The first that is not empty.
inline std::string first_reason(std::initializer_list<std::string> reasons) {
  for (const std::string& reason : reasons) {
    if (!reason.empty()) {
      return reason;
    }
  }
  return "";
}

// Fills in the values of a form that applies; what throws NoAnswer makes it one that does
// not.
template <class Fill>
TheoryForm filled(TheoryForm form, const Fill& fill) {
  if (!form.applies()) {
    return form;
  }
  try {
    fill(form);
  } catch (const NoAnswer& reason) {
    form.why_not = reason.what();
    form.values.clear();
    form.notes.clear();
  }
  return form;
}

// A distribution of the model as the formulas of analysis/ take it.
TimeLaw law_of(const Distribution& distribution);

}  // namespace basin
