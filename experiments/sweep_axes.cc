#include "experiments/sweep_axes.h"

#include <algorithm>
#include <set>

#include "engine/contract.h"
#include "experiments/derived_keys.h"
#include "experiments/key_lookup.h"
#include "experiments/sweep_points.h"
#include "experiments/sweep_values.h"
#include "experiments/units.h"

namespace basin {
namespace {

// A key and its values as asked for, before the values are made.
struct KeyPlan {
  KeyTarget target;
  Place place;
  std::vector<SourceNode> values;  // as given
  SourceNode from;                 // else from, to and steps
  SourceNode to;
  std::int64_t steps = 0;

  std::size_t size() const {
    return steps > 0 ? static_cast<std::size_t>(steps) : values.size();
  }
};

struct AxisPlan {
  std::vector<KeyPlan> keys;  // all of one size
  Place place;

  std::size_t size() const { return keys.front().size(); }
};

// Of an axis, or of one key of a zip.
KeyPlan key_plan(const SourceFile& file, const SourceNode& root, const Section& axis) {
  KeyPlan plan;
  plan.place = axis.place();
  plan.target = sweep_target(file, root, axis.text("key"), axis.at("key").place);
  const bool by_steps = axis.has("from") || axis.has("to") || axis.has("steps");
  if (by_steps == axis.has("values")) {
    axis.fail("",
              by_steps ? "has from, to or steps beside values (expected one or the other)"
                       : "has no values (expected from, to and steps, or values)");
  }
  if (!by_steps) {
    plan.values = axis.at("values").source->children;
    if (plan.values.empty()) {
      axis.fail("values", "is empty (expected at least one value)");
    }
    if (plan.values.size() > static_cast<std::size_t>(most_values)) {
      axis.fail("values", "has more than 100000 entries");
    }
    return plan;
  }
  for (const std::string_view key : {"from", "to", "steps"}) {
    if (!axis.has(key)) {
      axis.fail(key, "is missing (expected from, to and steps together)");
    }
  }
  plan.from = *axis.at("from").source;
  plan.to = *axis.at("to").source;
  plan.steps = axis.whole("steps");
  return plan;
}

AxisPlan plan_from_file(const SourceFile& file,
                        const SourceNode& root,
                        const Section& axis) {
  AxisPlan plan{.keys = {}, .place = axis.place()};
  const std::vector<const Section*> zipped = axis.list("zip");
  if (zipped.empty()) {
    if (!axis.has("key")) {
      axis.fail("key", "is missing (expected a key, or zip for keys that move together)");
    }
    plan.keys.push_back(key_plan(file, root, axis));
    return plan;
  }
  for (const std::string_view key : {"key", "from", "to", "steps", "values"}) {
    if (axis.has(key)) {
      axis.fail(key, "is given beside zip (expected it in the entries of zip)");
    }
  }
  for (const Section* entry : zipped) {
    KeyPlan key = key_plan(file, root, *entry);
    for (const KeyPlan& other : plan.keys) {
      if (overlap(other.target, key.target)) {
        entry->fail("key",
                    "moves beside " + other.target.path +
                        ", which says the same (expected one of them)");
      }
    }
    if (!plan.keys.empty() && key.size() != plan.size()) {
      entry->fail("",
                  "has " + std::to_string(key.size()) + " values where " +
                      plan.keys.front().target.path + " has " +
                      std::to_string(plan.size()) +
                      " (keys that move together have as many)");
    }
    plan.keys.push_back(std::move(key));
  }
  return plan;
}

KeyPlan plan_from_option(const SourceFile& file,
                         const SourceNode& root,
                         std::string_view option,
                         std::size_t index) {
  KeyPlan plan;
  plan.place = Place::option(Place::Kind::sweep, index);
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos || equals + 1 == option.size()) {
    throw ScenarioError(file,
                        plan.place,
                        std::string(option.substr(0, std::min<std::size_t>(equals, 100))),
                        "has no values (expected key=from:to:steps or key=value,value)");
  }
  plan.target = sweep_target(file, root, option.substr(0, equals), plan.place);
  const std::string_view values = option.substr(equals + 1);
  const auto bare = [&](std::string_view text) {
    SourceNode node;
    node.place = plan.place;
    node.text = text;
    return node;
  };
  if (values.find(':') == std::string_view::npos) {
    for (const std::string_view value : split(values, ',')) {
      plan.values.push_back(bare(value));
    }
    return plan;
  }
  const auto parts = split(values, ':');
  const auto fail = [&](const std::string& problem) {
    throw ScenarioError(file, plan.place, plan.target.path, problem);
  };
  if (parts.size() != 3) {
    fail("is not from:to:steps (expected such as 20/s:120/s:21)");
  }
  plan.from = bare(parts[0]);
  plan.to = bare(parts[1]);
  try {
    plan.steps = parse_whole(parts[2]);
  } catch (const UnitError& error) {
    fail("steps " + std::string(error.what()));
  }
  if (plan.steps < 2 || plan.steps > most_values) {
    fail("has " + std::to_string(plan.steps) +
         " steps (expected the number of points, from 2 to 100000)");
  }
  return plan;
}

AxisSource made(const SourceFile& file, AxisPlan plan) {
  AxisSource axis;
  axis.place = plan.place;
  axis.size = plan.size();
  axis.is_stepped = plan.keys.size() == 1 && plan.keys.front().steps > 0;
  for (KeyPlan& key : plan.keys) {
    std::vector<SourceNode> values =
        key.steps > 0
            ? stepped_values(file, key.target, key.from, key.to, key.steps, key.place)
            : std::move(key.values);
    axis.keys.push_back({.target = std::move(key.target), .values = std::move(values)});
  }
  return axis;
}

bool has_key(const AxisSource& axis, const KeyTarget& target) {
  return std::ranges::any_of(axis.keys, [&](const AxisSource::Key& key) {
    return key.target.path == target.path;
  });
}

[[noreturn]] void fail_twice(const SourceFile& file,
                             const Place& place,
                             const std::string& key) {
  throw ScenarioError(file, place, key, "is an axis already (expected each key once)");
}

void add_axis(const SourceFile& file, AxisSource axis, std::vector<AxisSource>& axes) {
  for (const AxisSource& other : axes) {
    for (const AxisSource::Key& key : axis.keys) {
      if (has_key(other, key.target)) {
        fail_twice(file, axis.place, key.target.path);
      }
    }
  }
  axes.push_back(std::move(axis));
}

// In the place of the file's axis with the same key, or as the last.
void add_option(const SourceFile& file, AxisSource axis, std::vector<AxisSource>& axes) {
  const KeyTarget& target = axis.keys.front().target;
  for (AxisSource& other : axes) {
    if (!has_key(other, target)) {
      continue;
    }
    if (other.place.kind == Place::Kind::sweep) {
      fail_twice(file, axis.place, target.path);
    }
    if (other.is_points || other.keys.size() > 1) {
      throw ScenarioError(file,
                          axis.place,
                          target.path,
                          "moves together with other keys (--set would fix it, and leave "
                          "the others)");
    }
    other = std::move(axis);
    return;
  }
  axes.push_back(std::move(axis));
}

void drop_fixed(AxisSource& axis, const std::vector<KeyTarget>& fixed) {
  std::erase_if(axis.keys, [&](const AxisSource::Key& key) {
    return std::ranges::any_of(
        fixed, [&](const KeyTarget& other) { return other.path == key.target.path; });
  });
}

void expect_not_derived(const SourceFile& file,
                        const AxisSource& axis,
                        const std::vector<DerivedKey>& derived) {
  for (const AxisSource::Key& key : axis.keys) {
    for (const DerivedKey& other : derived) {
      if (overlap(other.target, key.target)) {
        throw ScenarioError(file,
                            other.value.text.place,
                            other.target.path,
                            "is derived, and " + key.target.path +
                                " an axis (expected one or the other)");
      }
    }
  }
}

void expect_not_too_many(const SourceFile& file, const std::vector<AxisSource>& axes) {
  double cells = 1;
  for (const AxisSource& axis : axes) {
    cells *= static_cast<double>(axis.size);
    if (cells > most_cells) {
      throw ScenarioError(file,
                          axis.place,
                          axis.keys.empty() ? "sweep" : axis.keys.front().target.path,
                          "makes the grid larger than 10 million cells");
    }
  }
}

void expect_different(const SourceFile& file,
                      const AxisSource& axis,
                      const std::vector<double>& values) {
  const AxisSource::Key& key = axis.keys.front();
  std::set<double> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!seen.insert(values[i]).second) {
      throw ScenarioError(
          file,
          key.values[i].place,
          key.target.path,
          written(key.values[i]) + " is on the axis twice (expected values that differ" +
              (axis.keys.size() > 1 ? ", of the first key of a zip)" : ")"));
    }
  }
}

AxisKey typed_key(const SourceFile& file, const AxisSource::Key& key) {
  AxisKey result;
  result.key = key.target.path;
  result.unit = unit_of(*key.target.key);
  result.is_numeric = is_numeric(*key.target.key);
  for (const SourceNode& node : key.values) {
    result.si_values.push_back(si_value(file, key.target, node));
    result.values.push_back(written(node));
  }
  return result;
}

// Of words 0, 1, 2, … in the order in which they first appear.
void number_words(AxisKey& key) {
  if (key.is_numeric) {
    return;
  }
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < key.values.size(); ++i) {
    const auto found = std::ranges::find(seen, key.values[i]);
    key.si_values[i] = static_cast<double>(found - seen.begin());
    if (found == seen.end()) {
      seen.push_back(key.values[i]);
    }
  }
}

}  // namespace

std::vector<AxisSource> read_axes(const SourceFile& file,
                                  const SourceNode& root,
                                  const Section& sweep,
                                  DataFiles& files,
                                  const std::vector<KeyTarget>& fixed,
                                  const std::vector<std::string>& options,
                                  std::vector<DerivedKey>& derived) {
  std::vector<AxisSource> axes;
  for (const Section* entry : sweep.list("axes")) {
    AxisSource axis = made(file, plan_from_file(file, root, *entry));
    drop_fixed(axis, fixed);
    if (!axis.keys.empty()) {
      add_axis(file, std::move(axis), axes);
    }
  }
  if (std::optional<AxisSource> points = read_points(file, root, sweep, files)) {
    const bool had_keys = !points->keys.empty();
    drop_fixed(*points, fixed);
    if (!points->keys.empty() || !had_keys) {
      add_axis(file, std::move(*points), axes);
    }
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    KeyPlan plan = plan_from_option(file, root, options[i], i);
    const Place place = plan.place;
    AxisPlan axis_plan{.keys = {}, .place = place};
    axis_plan.keys.push_back(std::move(plan));
    AxisSource axis = made(file, std::move(axis_plan));
    std::erase_if(derived, [&](const DerivedKey& key) {
      return overlap(key.target, axis.keys.front().target);
    });
    add_option(file, std::move(axis), axes);
  }
  expect_not_too_many(file, axes);
  for (const AxisSource& axis : axes) {
    expect_not_derived(file, axis, derived);
  }
  return axes;
}

AxisSource axis_of_option(const SourceFile& file,
                          const SourceNode& root,
                          const std::string& option) {
  KeyPlan plan = plan_from_option(file, root, option, 0);
  const Place place = plan.place;
  AxisPlan axis{.keys = {}, .place = place};
  axis.keys.push_back(std::move(plan));
  return made(file, std::move(axis));
}

Axis typed_axis(const SourceFile& file,
                const AxisSource& axis,
                const std::vector<DerivedKey>& derived) {
  Axis result;
  if (axis.is_points) {
    result.key = "point";
    result.unit = "1";
    for (std::size_t i = 0; i < axis.size; ++i) {
      result.values.push_back(std::to_string(i));
      result.si_values.push_back(static_cast<double>(i));
    }
  }
  result.touches_control = false;
  for (std::size_t i = 0; i < axis.keys.size(); ++i) {
    const AxisSource::Key& source = axis.keys[i];
    AxisKey key = typed_key(file, source);
    result.touches_control = result.touches_control || touches_control(key.key);
    for (const DerivedKey* other : changed_by(source.target, derived)) {
      result.touches_control =
          result.touches_control || touches_control(other->target.path);
    }
    if (axis.is_points || i > 0) {
      number_words(key);
      result.with.push_back(std::move(key));
      continue;
    }
    expect_different(file, axis, key.si_values);
    number_words(key);
    result.key = std::move(key.key);
    result.unit = std::move(key.unit);
    result.values = std::move(key.values);
    result.si_values = std::move(key.si_values);
    result.is_numeric = key.is_numeric;
  }
  return result;
}

SourceNode with_axes_at(const ScenarioSource& source,
                        const std::vector<std::size_t>& indices) {
  SourceNode root = source.root;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const AxisSource& axis = source.axes[i];
    BASIN_EXPECT(indices[i] < axis.size);
    for (const AxisSource::Key& key : axis.keys) {
      set_value(source.file, root, key.target, key.values[indices[i]]);
    }
  }
  return root;
}

std::string cell_text(const ScenarioSource& source,
                      const std::vector<std::size_t>& indices) {
  std::string text;
  const auto separator = [&] { return text.empty() ? " [in the cell " : ", "; };
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const AxisSource& axis = source.axes[i];
    if (axis.is_points) {
      text += separator() + ("point = " + std::to_string(indices[i]));
    }
    for (const AxisSource::Key& key : axis.keys) {
      text += separator() + (key.target.path + " = " + written(key.values[indices[i]]));
    }
  }
  return text.empty() ? text : text + "]";
}

std::vector<bool> cells_left_out(const ScenarioSource& source) {
  if (!source.where) {
    return {};
  }
  if (source.axes.empty()) {
    holds(source.file, source.root, source.derived, *source.where);  // is it a condition?
    return {};
  }
  std::size_t cells = 1;
  std::vector<bool> matters;
  for (const AxisSource& axis : source.axes) {
    cells *= axis.size;
    matters.push_back(std::ranges::any_of(axis.keys, [&](const AxisSource::Key& key) {
      return depends_on(*source.where, source.derived_in_cells, key.target);
    }));
  }
  std::vector<bool> left_out(cells, false);
  std::vector<std::size_t> indices(source.axes.size(), 0);
  std::size_t count = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    // The condition is the same for cells that differ only in axes that do not matter to
    // it: the one with index 0 there comes first and speaks for all.
    std::size_t rest = cell;
    std::size_t first = 0;
    std::size_t stride = 1;
    for (std::size_t i = source.axes.size(); i-- > 0;) {
      indices[i] = rest % source.axes[i].size;
      rest /= source.axes[i].size;
      first += matters[i] ? indices[i] * stride : 0;
      stride *= source.axes[i].size;
    }
    if (first != cell) {
      left_out[cell] = left_out[first];
    } else {
      try {
        left_out[cell] = !holds(source.file,
                                with_axes_at(source, indices),
                                source.derived_in_cells,
                                *source.where);
      } catch (const ScenarioError& error) {
        throw ScenarioError(source.file,
                            error.place(),
                            error.key(),
                            error.problem(),
                            cell_text(source, indices));
      }
    }
    count += left_out[cell] ? 1U : 0U;
  }
  if (count == cells) {
    throw ScenarioError(source.file,
                        source.where->text.place,
                        "sweep.where",
                        "is false for every cell (nothing is left to run)");
  }
  return count == 0 ? std::vector<bool>{} : left_out;
}

}  // namespace basin
