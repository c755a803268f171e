#include "experiments/cli/arguments.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <thread>

#include <boost/program_options.hpp>
#include <unistd.h>

#include "experiments/cli/verbs.h"
#include "experiments/memory.h"
#include "experiments/schema.h"
#include "experiments/units.h"

namespace basin {

namespace {

namespace po = boost::program_options;

constexpr unsigned most_threads = 1024;

po::options_description options_of(const VerbOptions& verb) {
  const unsigned groups = verb.groups;
  po::options_description options;
  auto add = options.add_options();
  const auto text = [](const std::string& name) {
    return po::value<std::string>()->value_name(name);
  };
  const auto texts = [](const std::string& name) {
    return po::value<std::vector<std::string>>()->value_name(name);
  };
  for (const VerbOption& own : verb.own) {
    const std::string name{own.name};
    const std::string doc{own.doc};
    if (own.value.empty()) {
      add(name.c_str(), doc.c_str());
    } else if (own.repeatable) {
      add(name.c_str(), texts(std::string{own.value}), doc.c_str());
    } else {
      add(name.c_str(), text(std::string{own.value}), doc.c_str());
    }
  }
  if ((groups & scenario_options) != 0) {
    add("set",
        texts("KEY=VALUE"),
        "give a key of the scenario another value (repeatable)");
    add("sweep",
        texts("KEY=FROM:TO:STEPS"),
        "an axis; also KEY=VALUE,VALUE,… (repeatable)");
    add("seed", text("N"), "as --set simulation.seed=N");
    add("replications", text("N"), "as --set simulation.replications=N");
    add("solver", text("event|fluid"), "as --set simulation.solver=fluid");
  }
  if ((groups & (output_option | output_file_option)) != 0) {
    add("output,o", text("FILE"), "the output file (HDF5, readable as netCDF-4)");
  }
  if ((groups & output_option) != 0) {
    add("trajectories",
        text("none|summary|all"),
        "what the output keeps of series over time");
  }
  if ((groups & running_options) != 0) {
    add("explain", "a third arm, without retries and redelivery");
    add("threads", text("N"), "threads; all cores if not said");
    add("memory",
        text("SIZE"),
        "for waiting messages, shared by the threads, such as 4GiB; 70% of the machine's "
        "if "
        "not said");
    add("progress", text("auto|bar|plain|json|none"), "how progress is shown");
    add("quiet", "no progress and no notes");
  }
  if ((groups & json_option) != 0) {
    add("json", "one JSON object on standard output");
  }
  add("help,h", "this text");
  return options;
}

[[noreturn]] void refuse_option(const std::string& given,
                                const po::options_description& options) {
  std::string name = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  name.resize(std::min(name.find('='), name.size()));
  for (const Verb& verb : all_verbs()) {
    if (options_of(verb.options).find_nothrow(name, false) != nullptr) {
      throw UsageError("--" + name + " is no option of this verb; basin " +
                       std::string{verb.name} + " takes it");
    }
  }
  std::vector<std::string> names;
  for (const auto& option : options.options()) {
    names.push_back(option->long_name());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest(name, views);
  throw UsageError(
      "there is no option " + given +
      (near.empty() ? std::string{} : "; did you mean --" + std::string{near} + "?"));
}

std::string text_of(const po::variables_map& values, const char* name) {
  return values.count(name) == 0 ? std::string{} : values[name].as<std::string>();
}

std::vector<std::string> texts_of(const po::variables_map& values, const char* name) {
  return values.count(name) == 0 ? std::vector<std::string>{}
                                 : values[name].as<std::vector<std::string>>();
}

// A whole number without a sign; the reader checks the range of those it gets.
std::string digits_of(const po::variables_map& values, const char* name) {
  std::string text = text_of(values, name);
  if (values.count(name) > 0 &&
      (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)) {
    throw UsageError("--" + std::string{name} + " takes a whole number, not '" + text +
                     "'");
  }
  if (text.size() > 18) {
    throw UsageError("--" + std::string{name} + " takes at most 18 digits, not '" + text +
                     "'");
  }
  return text;
}

unsigned threads_of(const po::variables_map& values) {
  const std::string text = digits_of(values, "threads");
  if (text.empty()) {
    return std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
  }
  const unsigned long threads = text.size() > 6 ? most_threads + 1UL : std::stoul(text);
  if (threads < 1 || threads > most_threads) {
    throw UsageError("--threads takes a number from 1 to " +
                     std::to_string(most_threads));
  }
  return static_cast<unsigned>(threads);
}

TrajectoriesToKeep trajectories_of(const std::string& text) {
  if (text == "none") {
    return TrajectoriesToKeep::none;
  }
  if (text.empty() || text == "summary") {
    return TrajectoriesToKeep::summary;
  }
  if (text == "all") {
    return TrajectoriesToKeep::all;
  }
  throw UsageError("--trajectories takes none, summary or all, not '" + text + "'");
}

ProgressStyle progress_of(const std::string& text, bool quiet) {
  if (!text.empty() && text != "auto" && text != "bar" && text != "plain" &&
      text != "json" && text != "none") {
    throw UsageError("--progress takes auto, bar, plain, json or none, not '" + text + "'");
  }
  if (quiet || text == "none") {
    return ProgressStyle::none;
  }
  if (text == "bar") {
    return ProgressStyle::bar;
  }
  if (text == "json") {
    return ProgressStyle::json;
  }
  return text != "plain" && isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar
                                                       : ProgressStyle::plain;
}

po::variables_map parsed(const std::vector<std::string>& words,
                         const VerbOptions& verb,
                         std::vector<std::string>& positional) {
  const po::options_description options = options_of(verb);
  po::options_description all;
  all.add(options);
  all.add_options()("word", po::value<std::vector<std::string>>());
  po::positional_options_description places;
  places.add("word", -1);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(places)
                  .style(po::command_line_style::unix_style &
                         ~po::command_line_style::allow_guessing)
                  .run(),
              values);
    positional = texts_of(values, "word");
  } catch (const po::unknown_option& error) {
    refuse_option(error.get_option_name(), options);
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return values;
}

}  // namespace

std::chrono::steady_clock::duration time_limit_of(const std::string& text) {
  try {
    const Duration span = parse_duration(text).span;
    if (span > Duration{0}) {
      return span;
    }
  } catch (const UnitError&) {
  }
  throw UsageError("--time-limit takes a span such as 3h or 90min, not '" + text + "'");
}

std::optional<std::string> Arguments::text_of(std::string_view option) const {
  const auto found = own.find(option);
  return found == own.end() ? std::nullopt : std::optional{found->second.front()};
}

std::vector<std::string> Arguments::texts_of(std::string_view option) const {
  const auto found = own.find(option);
  return found == own.end() ? std::vector<std::string>{} : found->second;
}

Arguments parse_arguments(const std::vector<std::string>& words,
                          const VerbOptions& options) {
  Arguments arguments;
  const po::variables_map values = parsed(words, options, arguments.words);
  for (const VerbOption& option : options.own) {
    const std::string name{option.name};
    if (values.count(name) > 0) {
      arguments.own[name] =
          option.repeatable
              ? texts_of(values, name.c_str())
              : std::vector{option.value.empty() ? "" : text_of(values, name.c_str())};
    }
  }
  arguments.overrides = {.set = texts_of(values, "set"),
                         .sweep = texts_of(values, "sweep")};
  for (const char* name : {"seed", "replications"}) {
    if (const std::string digits = digits_of(values, name); !digits.empty()) {
      arguments.overrides.set.push_back("simulation." + std::string{name} + "=" + digits);
    }
  }
  if (values.count("solver") > 0) {
    arguments.overrides.set.push_back("simulation.solver=" + text_of(values, "solver"));
  }
  arguments.json = values.count("json") > 0;
  arguments.help = values.count("help") > 0;
  arguments.quiet = values.count("quiet") > 0;
  arguments.explain = values.count("explain") > 0;
  arguments.output = text_of(values, "output");
  if (values.count("output") > 0 && arguments.output.empty()) {
    throw UsageError("--output needs the name of a file");
  }
  arguments.threads = threads_of(values);
  arguments.trajectories_given = values.count("trajectories") > 0;
  arguments.trajectories = trajectories_of(text_of(values, "trajectories"));
  arguments.progress = progress_of(text_of(values, "progress"), arguments.quiet);
  arguments.memory_bytes = default_memory_limit();
  if (values.count("memory") > 0) {
    arguments.memory_given = true;
    const std::string text = text_of(values, "memory");
    const std::optional<std::int64_t> bytes = parse_bytes(text);
    if (!bytes) {
      throw UsageError("--memory takes a size such as 4GiB or 500MB, not '" + text + "'");
    }
    arguments.memory_bytes = *bytes;
  }
  return arguments;
}

std::string describe_options(const VerbOptions& options) {
  std::ostringstream text;
  text << options_of(options);
  return text.str();
}

}  // namespace basin
