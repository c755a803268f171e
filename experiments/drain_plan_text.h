// The rows of a drain report on recovering in time and on what to shed.
#pragma once

#include <string>

#include "experiments/drain_answers.h"
#include "experiments/drain_problem.h"

namespace basin {

// The RTO, the consumers it needs, the longest incident that fits and what to order now.
// Empty without an RTO.
std::string recovery_rows(const DrainProblem& problem, const DrainAnswers& answers);

// Shed or drain, and the bound that a time to live sets. Empty without one.
std::string shed_rows(const DrainProblem& problem, const DrainAnswers& answers);

}  // namespace basin
