#include "experiments/scenario_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "engine/contract.h"
#include "experiments/derived_keys.h"
#include "experiments/fluid_run.h"
#include "experiments/grid.h"
#include "experiments/key_lookup.h"
#include "experiments/scenario_source.h"
#include "experiments/sweep_axes.h"
#include "experiments/system_reading.h"
#include "experiments/units.h"

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
  SourceNode root = with_axes_at(source, indices);
  apply_derived(
      source.file, root, indices.empty() ? source.derived : source.derived_in_cells);
  return root;
}

// [sweep] by itself, since what it derives may be what the rest lacks.
Section sweep_section(const SourceFile& file, const SourceNode& root) {
  const TableInfo& table = scenario_table();
  const auto key = std::ranges::find(table.keys, "sweep", &KeyInfo::name);
  const SourceNode* node = root.find("sweep");
  if (node != nullptr && node->kind != SourceNode::Kind::table) {
    throw ScenarioError(file, node->place, "sweep", "expected a table");
  }
  return {file, *key->table, node, "sweep", node == nullptr ? Place{} : node->name_place};
}

// Trajectories of all cells share their instants: where the horizon varies, and nothing
// is said about samples, the longest one decides. False if there was nothing to do.
bool fix_sample_interval(ScenarioSource& source, const std::vector<Axis>& axes) {
  const SourceNode* simulation = source.root.find("simulation");
  if (simulation != nullptr && simulation->find("sample_interval") != nullptr) {
    return false;
  }
  constexpr std::string_view horizon = "simulation.horizon";
  for (const DerivedKey& derived : source.derived) {
    if (derived.target.path == horizon) {
      throw ScenarioError(
          source.file,
          derived.value.text.place,
          derived.target.path,
          "is derived without a simulation.sample_interval (expected one, "
          "which the trajectories of all cells share)");
    }
  }
  double longest = 0;
  Place place;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].key == horizon) {
      longest = std::ranges::max(axes[i].si_values);
    }
    for (const AxisKey& key : axes[i].with) {
      if (key.key == horizon) {
        longest = std::ranges::max(key.si_values);
      }
    }
    place =
        longest > 0 && place.kind == Place::Kind::nowhere ? source.axes[i].place : place;
  }
  if (longest <= 0) {
    return false;
  }
  constexpr double usual_samples = 600;
  SourceNode interval;
  interval.place = place;
  interval.text = format_duration(
      Duration{static_cast<std::int64_t>(std::ceil(longest * 1e9 / usual_samples))});
  set_value(source.file,
            source.root,
            find_target(source.file, source.root, "simulation.sample_interval", place),
            std::move(interval));
  return true;
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
// some of what is between. Cells that are left out need not make sense.
void check_cells(const ScenarioSource& source,
                 const std::vector<Axis>& axes,
                 const std::vector<bool>& left_out) {
  constexpr std::size_t most_checked = 1000;
  const Grid grid(axes);
  const auto check = [&](const std::vector<std::size_t>& indices) {
    if (left_out.empty() || !left_out[grid.cell_at(indices)]) {
      read_cell(source, indices);
    }
  };
  if (grid.size() <= most_checked) {
    for (std::size_t cell = 0; cell < grid.size(); ++cell) {
      check(grid.indices_of(cell));
    }
    return;
  }
  std::vector<std::size_t> indices(axes.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t size = axes[i].values.size();
    const std::size_t step = std::max<std::size_t>(size / most_checked, 1);
    for (std::size_t k = 0; k < size; k += step) {
      indices[i] = k;
      check(indices);
    }
    indices[i] = size - 1;
    check(indices);
    indices[i] = 0;
  }
}

// The scenario without its axes.
struct Base {
  explicit Base(const ScenarioSource& source) {
    const SourceNode root = root_at(source, {});
    const Section whole = whole_section(source.file, root);
    scenario = resolved(source.file, whole, *source.files);
    resolved_json = settings_json(whole);
  }

  Scenario scenario;
  std::string resolved_json;
};

// Of [sweep.refine]; absent without one, or without axes.
std::optional<RefinementPlan> read_refinement(const Section& sweep,
                                              const ScenarioSource& source,
                                              bool has_objective) {
  const SourceNode* const said = source.root.find("sweep");
  if (said == nullptr || said->find("refine") == nullptr || source.axes.empty()) {
    return std::nullopt;
  }
  const Section* const refine = sweep.find_section("refine");
  if (!has_objective) {
    refine->fail("",
                 "needs an objective (expected objective.latency or producer.timeout)");
  }
  RefinementPlan plan{.shape = {},
                      .is_refined = {},
                      .levels = static_cast<int>(refine->whole("levels")),
                      .looks = {refine->whole("replications")}};
  const std::int64_t most = refine->whole("most_replications");
  if (most < plan.looks.front()) {
    refine->fail("most_replications", "is less than replications");
  }
  while (plan.looks.back() < most) {
    plan.looks.push_back(std::min(2 * plan.looks.back(), most));
  }
  bool any_refined = false;
  for (const AxisSource& axis : source.axes) {
    plan.shape.push_back(axis.size);
    plan.is_refined.push_back(axis.is_stepped);
    any_refined |= axis.is_stepped;
    const std::size_t coarse = std::size_t{1} << static_cast<unsigned>(plan.levels);
    if (axis.is_stepped && (axis.size - 1) % coarse != 0) {
      const std::size_t below = (axis.size - 1) / coarse * coarse + 1;
      throw ScenarioError(
          source.file,
          axis.place,
          axis.keys.front().target.path,
          fmt::format("has {} steps, which {} levels of sweep.refine cannot halve "
                      "(expected {}{})",
                      axis.size,
                      plan.levels,
                      below > 1 ? fmt::format("{} or ", below) : "",
                      below + coarse));
    }
  }
  if (!any_refined) {
    refine->fail("", "has nothing to refine (expected an axis of from, to and steps)");
  }
  if (source.where) {
    refine->fail("", "and sweep.where do not go together (expected one of them)");
  }
  return plan;
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
  source->files = std::make_shared<DataFiles>(
      options.folder, options.read_data_files, overrides.points);
  std::vector<KeyTarget> fixed;
  for (std::size_t i = 0; i < overrides.set.size(); ++i) {
    fixed.push_back(apply_set(file, source->root, overrides.set[i], i));
  }
  const Section sweep = sweep_section(file, source->root);
  source->derived = read_derived(file, source->root, sweep, fixed);
  Base base(*source);
  source->derived_in_cells = source->derived;
  source->axes = read_axes(file,
                           source->root,
                           sweep,
                           *source->files,
                           fixed,
                           overrides.sweep,
                           source->derived_in_cells);
  if (const Setting* where = sweep.find("where")) {
    source->where = read_expression(file, source->root, *where->source, "sweep.where");
  }
  std::vector<Axis> axes;
  for (const AxisSource& axis : source->axes) {
    axes.push_back(typed_axis(file, axis, source->derived_in_cells));
  }
  if (fix_sample_interval(*source, axes)) {
    base = Base(*source);
  }
  Scenario& scenario = base.scenario;
  scenario.axes = std::move(axes);
  scenario.excluded = cells_left_out(*source);
  scenario.refinement = read_refinement(sweep, *source, scenario.objective.has_value());
  if (!source->axes.empty()) {
    check_cells(*source, scenario.axes, scenario.excluded);
  }
  scenario.document = {.path = name,
                       .text = std::string(text),
                       .overrides = {.set = overrides.set,
                                     .sweep = overrides.sweep,
                                     .points = source->files->points()},
                       .resolved_json = std::move(base.resolved_json),
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
  source->where.reset();
  for (std::size_t i = 0; i < set.size(); ++i) {
    const KeyTarget fixed = apply_set(source->file, source->root, set[i], i);
    std::erase_if(source->derived, [&](const DerivedKey& derived) {
      return overlap(derived.target, fixed);
    });
  }
  Base base(*source);
  base.scenario.document = {.path = scenario.document.path,
                            .text = scenario.document.text,
                            .resolved_json = std::move(base.resolved_json),
                            .source = source};
  return std::move(base.scenario);
}

Scenario as_swept(Scenario scenario) {
  if (scenario.refinement) {
    scenario.replications = static_cast<int>(scenario.refinement->looks.back());
  }
  return scenario;
}

std::string resolved_json_at(const Scenario& scenario,
                             const std::vector<std::size_t>& indices) {
  BASIN_EXPECT(indices.size() == scenario.axes.size());
  const ScenarioSource& source = *scenario.document.source;
  return in_cell(
      source, indices, [](const Section& whole) { return settings_json(whole); });
}

}  // namespace basin
