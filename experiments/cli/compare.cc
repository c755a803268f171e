#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/comparison_report.h"
#include "experiments/library.h"

namespace basin {

namespace {

// The scenario with what --with says, whose options the messages name.
Scenario changed(const Scenario& scenario, const std::vector<std::string>& with) {
  try {
    return with_values(scenario, with);
  } catch (const ScenarioError& error) {
    std::string text = error.what();
    constexpr std::string_view option = "--set #";
    for (std::size_t at = text.find(option); at != std::string::npos;
         at = text.find(option, at)) {
      text.replace(at, option.size(), "--with #");
    }
    throw UsageError(text);
  }
}

std::string name_of_b(const std::vector<std::string>& words,
                      const std::vector<std::string>& with) {
  std::string name = words.back();
  for (std::size_t k = 0; k < with.size(); ++k) {
    name += (k == 0 ? " with " : ", ") + with[k];
  }
  return name;
}

// Makes B take what the pairs need; a sentence for each value that it had otherwise.
std::vector<std::string> agree(const Scenario& a, Scenario& b) {
  std::vector<std::string> notes;
  if (b.seed != a.seed) {
    notes.push_back(
        fmt::format("B is run with seed {} of A, not with its own {}", a.seed, b.seed));
    b.seed = a.seed;
  }
  if (b.replications != a.replications) {
    notes.push_back(
        fmt::format("B is run with the {} replications of A, not with its own {}",
                    a.replications,
                    b.replications));
    b.replications = a.replications;
  }
  if (!a.common_random_numbers || !b.common_random_numbers) {
    notes.push_back(
        "common_random_numbers = false is left aside: a comparison shares them");
  }
  return notes;
}

std::vector<CellResult> run_both(const Scenario& a,
                                 const Scenario& b,
                                 const Arguments& arguments) {
  RunnerOptions options = runner_options(arguments);
  options.trajectories = TrajectoriesToKeep::none;
  const std::unique_ptr<Progress> progress = make_progress(arguments.progress, stderr);
  std::vector<CellResult> results;
  if (arms_of(a, false) == arms_of(b, false)) {
    results = run_on_terminal({a, b}, options, *progress);
  } else {
    for (const Scenario* scenario : {&a, &b}) {
      results.push_back(
          std::move(run_on_terminal({*scenario}, options, *progress).front()));
    }
  }
  progress->clear();
  return results;
}

}  // namespace

int compare_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const std::vector<std::string> with = arguments.texts_of("with");
  const std::size_t words = arguments.words.size();
  if (words < 1 || words > 2 || (words == 1 && with.empty())) {
    throw UsageError(
        "compare takes two scenarios, or one and what is different: "
        "basin compare S --with key=value");
  }
  if (!arguments.overrides.sweep.empty()) {
    throw UsageError("compare takes no --sweep: it compares two cells");
  }
  Scenario a = load_scenario(arguments.words.front(), arguments.overrides);
  Scenario b =
      words == 1 ? a : load_scenario(arguments.words.back(), arguments.overrides);
  a.axes.clear();
  b = changed(b, with);  // without axes, whatever is in `with`

  std::vector<std::string> notes = agree(a, b);
  for (const Scenario* scenario : {&a, &b}) {
    note_what_is_left_out(*scenario, arguments);
  }
  const std::vector<CellResult> results = run_both(a, b, arguments);
  const std::vector<Arm> arms_of_a = arms_of(a, arguments.explain);
  const std::vector<Arm> arms_of_b = arms_of(b, arguments.explain);
  ComparisonReport report{
      .a = {.scenario = &a, .arms = &arms_of_a, .result = &results[0]},
      .b = {.scenario = &b, .arms = &arms_of_b, .result = &results[1]},
      .name_of_a = arguments.words.front(),
      .name_of_b = name_of_b(arguments.words, with),
      .comparison = {},
      .notes = {}};
  report.comparison = compare(report.a, report.b);
  for (std::string& caution : cautions(report.a, report.b)) {
    notes.push_back(std::move(caution));
  }
  report.notes = notes;

  if (!arguments.quiet) {
    for (const std::string& note : notes) {
      complain("note: " + note);
    }
  }
  bool failed = false;
  for (const auto& [result, name] : {std::pair{&results[0], 'A'}, {&results[1], 'B'}}) {
    if (result->output.status == CellStatus::failed) {
      complain(fmt::format("{} failed: {}", name, result->output.message));
      failed = true;
    }
  }
  print(arguments.json ? comparison_json(report) : comparison_text(report));
  return failed ? exit_some_failed : exit_done;
}

}  // namespace basin
