// What theory says of a scenario: closed forms of the queue, the loop of retries, the
// recovery from its incidents; and of every form that does not apply, why not.
//
// The forms themselves are in analysis/; here is which of them a scenario is a case of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/scenario.h"
#include "experiments/sweep_output.h"

namespace basin {

// How a value stands to the event model's own: exact in law; an approximation that holds
// in some limit; a bound; or the limit of many small messages, without chance.
enum class Standing : std::uint8_t { exact, approximation, bound, fluid };
std::string_view name_of(Standing standing);

struct TheoryValue {
  std::string quantity;  // "mean wait"
  std::string unit;      // "s", "1/s", "1", "messages"
  double value = 0;      // may be infinite, never NaN
  // What a simulation measures of it: a metric of metric_table, or recovery_time or
  // drain_time, of an arm. Empty: nothing.
  std::string metric = {};
  Arm arm = Arm::control;
  // The simulation's estimate is biased in a run of finite length, as a quantile's is: it
  // raises no alarm.
  bool is_quantile = false;
};

struct TheoryForm {
  std::string name;     // "M/M/c"
  std::string subject;  // what it is about, in a few words
  std::string source;
  Standing standing = Standing::exact;
  std::string why_not = {};  // empty where it applies
  std::vector<TheoryValue> values = {};
  std::vector<std::string> notes = {};

  bool applies() const { return why_not.empty(); }
};

// In the order of a reading: the queue in steady state, the loop of retries, recovery.
// Each part is also there by itself.
std::vector<TheoryForm> theory_of(const Scenario& scenario);

std::vector<TheoryForm> steady_state_forms(const Scenario& scenario);
std::vector<TheoryForm> retry_forms(const Scenario& scenario);
std::vector<TheoryForm> recovery_forms(const Scenario& scenario);
std::vector<TheoryForm> fluid_forms(const Scenario& scenario);

}  // namespace basin
