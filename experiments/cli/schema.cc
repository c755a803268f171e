#include "experiments/schema.h"

#include <nlohmann/json.hpp>

#include "experiments/cli/arguments.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"

namespace basin {

int schema_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  if (!arguments.words.empty()) {
    throw UsageError("schema takes no words");
  }
  std::string text = arguments.has("reference") ? reference_manual() : json_schema();
  if (arguments.has("reference") && arguments.json) {
    text = nlohmann::ordered_json{{"reference", text}}.dump(2);
  }
  if (!text.ends_with('\n')) {
    text += '\n';
  }
  print(text);
  return exit_done;
}

}  // namespace basin
