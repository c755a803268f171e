#include "experiments/scenario_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/contract.h"
#include "experiments/fluid_run.h"
#include "experiments/scenario_source.h"
#include "experiments/sweep_axes.h"
#include "experiments/system_reading.h"

namespace basin {
namespace {

Section whole_section(const SourceFile& file, const SourceNode& root) {
  return {file, scenario_table(), &root, "", Place{}};
}

std::string stem_of(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

// ScenarioError, at its key, for what the fluid limit does not represent.
void expect_fluid(const Section& whole, const Scenario& scenario) {
  const std::optional<FluidMisfit> misfit = fluid_misfit(scenario);
  if (!misfit) {
    return;
  }
  const std::string problem = "with solver = fluid: " + misfit->problem;
  if (misfit->table == "incident" || misfit->table == "intervention") {
    whole.list(misfit->table).at(misfit->entry)->fail(misfit->key, problem);
  }
  whole.find_section(misfit->table)->fail(misfit->key, problem);
}

// Everything but axes and document.
Scenario resolved(const SourceFile& file, const Section& whole, DataFiles& files) {
  Scenario scenario;
  scenario.name = whole.has("name") ? whole.text("name") : stem_of(file.path);
  scenario.description = whole.has("description") ? whole.text("description") : "";
  const Section& simulation = *whole.find_section("simulation");
  scenario.seed = static_cast<std::uint64_t>(simulation.whole("seed"));
  scenario.replications = static_cast<int>(simulation.whole("replications"));
  scenario.common_random_numbers = simulation.flag("common_random_numbers");
  scenario.system = read_system(whole, files);
  scenario.cases = read_cases(whole, scenario.system);
  scenario.objective = read_objective(whole, scenario.system);
  scenario.solver = simulation.choice<Solver>("solver");
  if (scenario.solver == Solver::fluid) {
    expect_fluid(whole, scenario);
    const auto is_drawn = [](const Incident& incident) {
      return !std::holds_alternative<Deterministic>(incident.duration);
    };
    const auto& incidents = scenario.system.incidents;
    if (std::none_of(incidents.begin(), incidents.end(), is_drawn)) {
      scenario.replications = 1;
    }
  }
  return scenario;
}

SourceNode root_at(const ScenarioSource& source,
                   const std::vector<std::size_t>& indices) {
  SourceNode root = source.root;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const AxisSource& axis = source.axes[i];
    BASIN_EXPECT(indices[i] < axis.values.size());
    set_value(source.file, root, axis.target, axis.values[indices[i]]);
  }
  return root;
}

std::string cell_text(const ScenarioSource& source,
                      const std::vector<std::size_t>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    text += (i == 0 ? " [in the cell " : ", ") + source.axes[i].target.path + " = " +
            written(source.axes[i].values[indices[i]]);
  }
  return text.empty() ? text : text + "]";
}

template <typename Reading>
auto in_cell(const ScenarioSource& source,
             const std::vector<std::size_t>& indices,
             const Reading& reading) {
  try {
    const SourceNode root = root_at(source, indices);
    return reading(whole_section(source.file, root));
  } catch (const ScenarioError& error) {
    throw ScenarioError(source.file,
                        error.place(),
                        error.key(),
                        error.problem(),
                        cell_text(source, indices));
  }
}

void read_cell(const ScenarioSource& source, const std::vector<std::size_t>& indices) {
  in_cell(source, indices, [&](const Section& whole) {
    return resolved(source.file, whole, *source.files);
  });
}

// All cells of a small grid; of a large one each axis by itself, thinned to its ends and
// some of what is between.
void check_cells(const ScenarioSource& source) {
  constexpr std::size_t most_checked = 1000;
  std::size_t cells = 1;
  for (const AxisSource& axis : source.axes) {
    cells *= axis.values.size();
  }
  std::vector<std::size_t> indices(source.axes.size(), 0);
  if (cells <= most_checked) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      std::size_t rest = cell;
      for (std::size_t i = source.axes.size(); i-- > 0;) {
        indices[i] = rest % source.axes[i].values.size();
        rest /= source.axes[i].values.size();
      }
      read_cell(source, indices);
    }
    return;
  }
  for (std::size_t i = 0; i < source.axes.size(); ++i) {
    const std::size_t size = source.axes[i].values.size();
    const std::size_t step = std::max<std::size_t>(size / most_checked, 1);
    for (std::size_t k = 0; k < size; k += step) {
      indices[i] = k;
      read_cell(source, indices);
    }
    indices[i] = size - 1;
    read_cell(source, indices);
    indices[i] = 0;
  }
}

}  // namespace

Scenario read_scenario_text(std::string_view text,
                            const std::string& name,
                            const Overrides& overrides,
                            const ReaderOptions& options) {
  auto source = std::make_shared<ScenarioSource>();
  source->file = {.path = name, .text = std::string(text)};
  const SourceFile& file = source->file;
  source->root = parse_toml(file);
  source->files = std::make_shared<DataFiles>(options.folder, options.read_data_files);
  std::vector<KeyTarget> fixed;
  for (std::size_t i = 0; i < overrides.set.size(); ++i) {
    fixed.push_back(apply_set(file, source->root, overrides.set[i], i));
  }
  const Section whole = whole_section(file, source->root);
  Scenario scenario = resolved(file, whole, *source->files);
  source->axes = read_axes(file, source->root, whole, fixed, overrides.sweep);
  for (const AxisSource& axis : source->axes) {
    scenario.axes.push_back(typed_axis(file, axis));
  }
  if (!source->axes.empty()) {
    check_cells(*source);
  }
  scenario.document = {.path = name,
                       .text = std::string(text),
                       .overrides = overrides,
                       .resolved_json = settings_json(whole),
                       .source = source};
  return scenario;
}

Scenario read_scenario_file(const std::string& path, const Overrides& overrides) {
  const auto fail = [&](const std::string& problem) {
    throw ScenarioError(SourceFile{.path = path, .text = ""}, Place{}, "", problem);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    fail("does not exist (expected a scenario file)");
  }
  if (std::filesystem::is_directory(status)) {
    fail("is a directory (expected a scenario file)");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    fail("cannot be opened for reading");
  }
  std::string text(longest_scenario + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) {
    fail("cannot be read");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > longest_scenario) {
    fail("is longer than 1 MiB (expected a scenario file)");
  }
  return read_scenario_text(
      text,
      path,
      overrides,
      {.folder = std::filesystem::path(path).parent_path().string()});
}

Scenario at_cell(const Scenario& scenario, const std::vector<std::size_t>& indices) {
  BASIN_EXPECT(indices.size() == scenario.axes.size());
  if (scenario.axes.empty()) {
    return scenario;
  }
  const ScenarioSource& source = *scenario.document.source;
  Scenario cell = in_cell(source, indices, [&](const Section& whole) {
    return resolved(source.file, whole, *source.files);
  });
  cell.document = {.path = scenario.document.path,
                   .text = scenario.document.text,
                   .resolved_json = "",
                   .source = scenario.document.source};
  return cell;
}

Scenario with_values(const Scenario& scenario, const std::vector<std::string>& set) {
  auto source = std::make_shared<ScenarioSource>(*scenario.document.source);
  source->axes.clear();
  for (std::size_t i = 0; i < set.size(); ++i) {
    apply_set(source->file, source->root, set[i], i);
  }
  const Section whole = whole_section(source->file, source->root);
  Scenario other = resolved(source->file, whole, *source->files);
  other.document = {.path = scenario.document.path,
                    .text = scenario.document.text,
                    .resolved_json = settings_json(whole),
                    .source = source};
  return other;
}

std::string resolved_json_at(const Scenario& scenario,
                             const std::vector<std::size_t>& indices) {
  BASIN_EXPECT(indices.size() == scenario.axes.size());
  const ScenarioSource& source = *scenario.document.source;
  return in_cell(
      source, indices, [](const Section& whole) { return settings_json(whole); });
}

}  // namespace basin
