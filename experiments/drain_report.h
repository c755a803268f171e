// The arithmetic of a backlog as an engineer on call reads it, and as JSON.
#pragma once

#include <string>

#include "experiments/drain_answers.h"
#include "experiments/drain_problem.h"

namespace basin {

// The answer in a sentence, without a line break.
std::string drain_headline(const DrainProblem& problem, const DrainAnswers& answers);

// The sentence and everything else, in ASCII and at most 80 columns; what was not given
// is said at the end.
std::string drain_text(const DrainProblem& problem, const DrainAnswers& answers);

// One object with every number, in SI units. Numbers that are not there are null: an
// infinite one has its reason in `reasons` under its path, and what was not given is in
// `missing`.
std::string drain_json(const DrainProblem& problem, const DrainAnswers& answers);

}  // namespace basin
