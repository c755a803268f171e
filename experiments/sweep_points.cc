#include "experiments/sweep_points.h"

#include <algorithm>
#include <cmath>

#include "engine/portable_math.h"
#include "experiments/decimal_text.h"
#include "experiments/key_lookup.h"
#include "experiments/sweep_design.h"
#include "experiments/sweep_values.h"

namespace basin {
namespace {

constexpr std::size_t most_point_keys = 100;

struct Field {
  std::string text;
  std::uint32_t column = 1;  // from 1, in characters
};

std::uint32_t characters(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Fields between commas, without the space around them; one in quotes may hold commas,
// and quotes written twice.
std::vector<Field> fields_of(std::string_view line) {
  constexpr std::string_view space = " \t\r";
  std::vector<Field> fields;
  std::size_t at = 0;
  for (;;) {
    at = std::min(line.find_first_not_of(space, at), line.size());
    Field field{.text = {}, .column = characters(line.substr(0, at)) + 1};
    if (at < line.size() && line[at] == '"') {
      ++at;
      while (at < line.size() && (line[at] != '"' || line.substr(at, 2) == "\"\"")) {
        at += line[at] == '"' ? 1U : 0U;
        field.text += line[at++];
      }
      at = std::min(line.find(',', at), line.size());
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      const std::string_view text = line.substr(at, end - at);
      field.text = text.substr(0, text.find_last_not_of(space) + 1);
      at = end;
    }
    fields.push_back(std::move(field));
    if (at == line.size()) {
      return fields;
    }
    ++at;
  }
}

void expect_new(const SourceFile& file,
                const std::vector<AxisSource::Key>& keys,
                const KeyTarget& target,
                const Place& place) {
  for (const AxisSource::Key& other : keys) {
    if (overlap(other.target, target)) {
      throw ScenarioError(file,
                          place,
                          target.path,
                          "varies beside " + other.target.path +
                              ", which says the same (expected one of them)");
    }
  }
}

// One reading of a CSV file of points.
class PointsFile {
 public:
  PointsFile(const SourceFile& scenario,
             const SourceNode& root,
             const Place& place,
             std::string name,
             const std::string& text)
      : scenario_{scenario}, root_{root}, place_{place}, csv_{std::move(name), text} {}

  AxisSource read() {
    AxisSource axis;
    axis.is_points = true;
    axis.place = place_;
    std::string_view rest = csv_.text;
    if (rest.starts_with("\xEF\xBB\xBF")) {
      rest.remove_prefix(3);
    }
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
      ++line_;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
        continue;
      }
      const std::vector<Field> fields = fields_of(line);
      if (axis.keys.empty()) {
        read_header(fields, axis);
      } else {
        read_point(fields, axis);
      }
    }
    if (axis.size == 0) {
      throw ScenarioError(csv_,
                          {},
                          "",
                          axis.keys.empty()
                              ? "is empty (expected a line of keys, then points)"
                              : "has no points (expected one a line after the keys)");
    }
    return axis;
  }

 private:
  Place at(std::uint32_t column) const {
    return {.kind = Place::Kind::file, .line = line_, .column = column};
  }

  void read_header(const std::vector<Field>& fields, AxisSource& axis) const {
    if (fields.size() > most_point_keys) {
      throw ScenarioError(csv_, at(1), "", "has more than 100 columns");
    }
    for (const Field& field : fields) {
      KeyTarget target;
      try {
        target = sweep_target(scenario_, root_, field.text, place_);
      } catch (const ScenarioError& error) {
        throw ScenarioError(csv_, at(field.column), error.key(), error.problem());
      }
      expect_new(csv_, axis.keys, target, at(field.column));
      axis.keys.push_back({.target = std::move(target), .values = {}});
    }
  }

  void read_point(const std::vector<Field>& fields, AxisSource& axis) const {
    if (fields.size() != axis.keys.size()) {
      throw ScenarioError(csv_,
                          at(1),
                          "",
                          "has " + std::to_string(fields.size()) + " values for " +
                              std::to_string(axis.keys.size()) + " keys");
    }
    if (axis.size == static_cast<std::size_t>(most_values)) {
      throw ScenarioError(csv_, at(1), "", "has more than 100000 points");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      AxisSource::Key& key = axis.keys[i];
      SourceNode node;
      node.place = at(fields[i].column);
      node.text = fields[i].text;
      if (node.text.empty()) {
        throw ScenarioError(
            csv_,
            node.place,
            key.target.path,
            "has no value (expected " + expected_value(*key.target.key) + ")");
      }
      si_value(csv_, key.target, node);
      node.place = place_;  // from here on, a place in the scenario
      key.values.push_back(std::move(node));
    }
    ++axis.size;
  }

  const SourceFile& scenario_;
  const SourceNode& root_;
  Place place_;
  SourceFile csv_;
  std::uint32_t line_ = 0;
};

// Where the points of a sample lie in one key.
class Range {
 public:
  Range(const SourceFile& file, const Section& range, const KeyTarget& target)
      : target_{target}, place_{range.place()} {
    const bool by_ends = range.has("from") || range.has("to");
    if (by_ends == range.has("values")) {
      range.fail("",
                 by_ends ? "has from or to beside values (expected one or the other)"
                         : "has no values (expected from and to, or values)");
    }
    if (!by_ends) {
      values_ = range.at("values").source->children;
      if (values_.empty()) {
        range.fail("values", "is empty (expected at least one value)");
      }
      for (const SourceNode& value : values_) {
        si_value(file, target, value);
      }
      return;
    }
    for (const std::string_view key : {"from", "to"}) {
      if (!range.has(key)) {
        range.fail(key, "is missing (expected from and to together)");
      }
    }
    if (!is_numeric(*target.key)) {
      range.fail("from", "has no values between two others (expected values = […])");
    }
    is_log_ = range.text("scale") == "log";
    ends_ = common_ends(file, target, *range.at("from").source, *range.at("to").source);
    if (!(ends_.from < ends_.to)) {
      range.fail("to", "is not more than from");
    }
    if (is_log_ && !(ends_.from > 0)) {
      range.fail("from", "has no logarithm (expected more than 0 with scale = log)");
    }
  }

  // The value at a share of the way, 0 < share < 1.
  SourceNode at(double share) const {
    if (!values_.empty()) {
      const double place = std::floor(share * static_cast<double>(values_.size()));
      return values_[std::min(static_cast<std::size_t>(place), values_.size() - 1)];
    }
    SourceNode node;
    node.place = place_;
    const long double number = number_at(static_cast<long double>(share));
    node.text = target_.key->type == ValueType::whole
                    ? std::to_string(std::llround(number))
                    : decimal_text(number) + ends_.unit;
    return node;
  }

 private:
  // Whole numbers each have the same share of a linear range, ends included.
  long double number_at(long double share) const {
    const bool is_whole = target_.key->type == ValueType::whole;
    if (is_log_) {
      const long double low = portable::log(ends_.from);
      const long double value =
          portable::exp(low + share * (portable::log(ends_.to) - low));
      return std::clamp(is_whole ? std::round(value) : value, ends_.from, ends_.to);
    }
    if (is_whole) {
      return std::min(ends_.from + std::floor(share * (ends_.to - ends_.from + 1)),
                      ends_.to);
    }
    return ends_.from + share * (ends_.to - ends_.from);
  }

  const KeyTarget& target_;
  Place place_;
  bool is_log_ = false;
  Ends ends_;
  std::vector<SourceNode> values_;
};

AxisSource sampled(const SourceFile& file,
                   const SourceNode& root,
                   const Section& sample) {
  AxisSource axis;
  axis.is_points = true;
  axis.place = sample.place();
  for (const std::string_view key : {"points", "ranges"}) {
    if (!sample.has(key)) {
      sample.fail(key, "is missing (expected points and ranges)");
    }
  }
  axis.size = static_cast<std::size_t>(sample.whole("points"));
  const auto seed = static_cast<std::uint64_t>(sample.whole("seed"));
  const std::vector<const Section*> ranges = sample.list("ranges");
  const std::vector<UnitPoint> points =
      sample.text("method") == "sobol" ? sobol_points(axis.size, ranges.size(), seed)
                                       : latin_hypercube(axis.size, ranges.size(), seed);
  for (std::size_t dimension = 0; dimension < ranges.size(); ++dimension) {
    const Section& section = *ranges[dimension];
    const Place place = section.at("key").place;
    AxisSource::Key key{.target = sweep_target(file, root, section.text("key"), place),
                        .values = {}};
    expect_new(file, axis.keys, key.target, place);
    const Range range(file, section, key.target);
    for (const UnitPoint& point : points) {
      key.values.push_back(range.at(point[dimension]));
    }
    axis.keys.push_back(std::move(key));
  }
  return axis;
}

bool is_said(const Section& section) {
  return std::ranges::any_of(section.settings(),
                             [](const Setting& s) { return s.source != nullptr; }) ||
         !section.sections().empty();
}

}  // namespace

std::optional<AxisSource> read_points(const SourceFile& file,
                                      const SourceNode& root,
                                      const Section& sweep,
                                      DataFiles& files) {
  const Section& points = *sweep.find_section("points");
  const Section& sample = *sweep.find_section("sample");
  if (is_said(points) && is_said(sample)) {
    points.fail("", "is given beside sample (expected one of them)");
  }
  if (is_said(sample)) {
    return sampled(file, root, sample);
  }
  if (!is_said(points)) {
    return std::nullopt;
  }
  const std::string name(points.text("file"));
  try {
    const std::string& text = files.points(name);
    if (text.empty() && !files.reads()) {
      // No file is touched: as if it had one point without keys.
      return AxisSource{
          .keys = {}, .size = 1, .is_points = true, .place = points.at("file").place};
    }
    return PointsFile(file, root, points.at("file").place, name, text).read();
  } catch (const DataFileError& error) {
    points.fail("file", error.what());
  }
}

}  // namespace basin
