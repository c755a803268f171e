#include "experiments/distribution_reading.h"

#include <cmath>

#include "engine/contract.h"
#include "engine/portable_math.h"
#include "experiments/units.h"

namespace basin {
namespace {

void expect_key(const Section& table,
                std::string_view key,
                const std::string& alternatives) {
  if (!table.has(key)) {
    table.fail("",
               "needs " + alternatives + " (with distribution " +
                   std::string(table.text("distribution")) + ")");
  }
}

std::optional<double> mean_in(const Section& table) {
  if (const auto mean = table.optional_number("mean")) {
    return mean;
  }
  if (const auto rate = table.optional_number("rate")) {
    return 1 / *rate;
  }
  return std::nullopt;
}

double mean_owed(const Section& table) {
  const auto mean = mean_in(table);
  if (!mean) {
    table.fail("",
               "needs mean or rate (with distribution " +
                   std::string(table.text("distribution")) + ")");
  }
  return *mean;
}

Distribution read_uniform(const Section& table) {
  expect_key(table, "low", "low and high");
  expect_key(table, "high", "low and high");
  const Uniform result{.low = table.seconds("low"), .high = table.seconds("high")};
  if (!(result.low < result.high)) {
    table.fail("high", "is not above low (expected low < high)");
  }
  return result;
}

Distribution read_gamma(const Section& table) {
  const auto shape = table.optional_number("shape");
  const auto scv = table.optional_number("scv");
  if (!shape && !scv) {
    expect_key(table, "shape", "shape or scv");
  }
  return Gamma{.shape = shape ? *shape : 1 / *scv, .mean = mean_owed(table)};
}

Distribution read_hyperexponential(const Section& table) {
  const bool by_phases = table.has("p") || table.has("mean1") || table.has("mean2");
  if (!by_phases) {
    expect_key(table, "scv", "mean (or rate) and scv, or p, mean1 and mean2");
    const double mean = mean_owed(table);
    const double scv = table.number("scv");
    if (scv < 1) {
      table.fail("scv",
                 "is below 1 (expected at least 1: no hyperexponential varies less "
                 "than an exponential)");
    }
    return balanced_means(mean, scv);
  }
  for (const std::string_view key : {"p", "mean1", "mean2"}) {
    expect_key(table, key, "p, mean1 and mean2 together");
  }
  return Hyperexponential{.p = table.number("p"),
                          .mean1 = table.seconds("mean1"),
                          .mean2 = table.seconds("mean2")};
}

Distribution read_weibull(const Section& table) {
  expect_key(table, "shape", "shape, and mean or scale");
  const double shape = table.number("shape");
  if (const auto scale = table.optional_number("scale")) {
    return Weibull{.shape = shape, .scale = *scale};
  }
  // Mean = scale * Gamma(1 + 1/shape).
  const auto unit_mean = portable::tgamma(1 + 1 / static_cast<long double>(shape));
  return Weibull{.shape = shape,
                 .scale = static_cast<double>(mean_owed(table) / unit_mean)};
}

// Mean of a Pareto of scale 1 bounded at `upper` > 1.
long double bounded_mean(long double shape, long double upper) {
  if (shape == 1) {
    return portable::log(upper) * upper / (upper - 1);
  }
  const long double below = 1 - portable::pow(upper, -shape);
  return shape / (shape - 1) * (1 - portable::pow(upper, 1 - shape)) / below;
}

// The scale at which a Pareto bounded at `upper` has this mean. The mean grows with the
// scale, from 0 to `upper`.
double bounded_scale(double shape, double mean, double upper) {
  long double low = 0;
  long double high = mean;
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    if (middle <= low || middle >= high) {
      break;
    }
    (middle * bounded_mean(shape, upper / middle) < mean ? low : high) = middle;
  }
  return static_cast<double>(high);
}

Distribution read_pareto(const Section& table) {
  expect_key(table, "shape", "shape, and mean or scale");
  Pareto result{.shape = table.number("shape")};
  if (const auto upper = table.optional_number("upper")) {
    result.upper = *upper;
  }
  const bool is_bounded = result.upper < HUGE_VAL;
  if (const auto scale = table.optional_number("scale")) {
    result.scale = *scale;
  } else {
    const double mean = mean_owed(table);
    if (is_bounded && mean >= result.upper) {
      table.fail("upper", "is not above the mean (expected mean < upper)");
    }
    if (!is_bounded && result.shape <= 1) {
      table.fail("shape",
                 "is at most 1, where a Pareto has no mean (expected more than 1, "
                 "or scale, or upper)");
    }
    result.scale = is_bounded ? bounded_scale(result.shape, mean, result.upper)
                              : mean * (result.shape - 1) / result.shape;
  }
  if (result.scale >= result.upper) {
    table.fail("upper", "is not above scale (expected scale < upper)");
  }
  if (!(result.scale > 0)) {
    table.fail("shape", "makes the scale vanish (expected a larger shape, or scale)");
  }
  return result;
}

Distribution read_empirical(const Section& table, DataFiles& files) {
  expect_key(table, "file", "file");
  Empirical result;
  try {
    result.values = files.column(table.text("file"),
                                 table.text("column"),
                                 ColumnContent::numbers,
                                 seconds_of_unit(table.text("unit")));
  } catch (const DataFileError& error) {
    table.fail("file", error.what());
  }
  if (const auto factor = table.optional_number("factor")) {
    result.factor = *factor;
  }
  const double mean = mean_of(result);
  if (!(mean > 0) || !std::isfinite(mean)) {
    table.fail("file", "holds no durations above zero (expected a positive mean)");
  }
  if (const auto wanted = mean_in(table)) {
    result.factor = *wanted / mean;
  }
  return result;
}

Distribution read_table(const Section& table, DataFiles& files) {
  const std::string_view family = table.text("distribution");
  if (family == "exponential") {
    return Exponential{.mean = mean_owed(table)};
  }
  if (family == "deterministic") {
    return Deterministic{.mean = mean_owed(table)};
  }
  if (family == "uniform") {
    return read_uniform(table);
  }
  if (family == "erlang") {
    expect_key(table, "shape", "shape, and mean or rate");
    return Erlang{.shape = static_cast<int>(table.whole("shape")),
                  .mean = mean_owed(table)};
  }
  if (family == "gamma") {
    return read_gamma(table);
  }
  if (family == "lognormal") {
    expect_key(table, "scv", "scv, and mean or rate");
    return Lognormal{.mean = mean_owed(table), .scv = table.number("scv")};
  }
  if (family == "hyperexponential") {
    return read_hyperexponential(table);
  }
  if (family == "weibull") {
    return read_weibull(table);
  }
  if (family == "pareto") {
    return read_pareto(table);
  }
  BASIN_EXPECT(family == "empirical");
  return read_empirical(table, files);
}

}  // namespace

Distribution read_distribution(const Section& parent,
                               std::string_view key,
                               DataFiles& files) {
  if (parent.find(key) != nullptr) {
    return Deterministic{.mean = parent.seconds(key)};
  }
  const Section* table = parent.find_section(key);
  BASIN_EXPECT(table != nullptr);
  Distribution result = read_table(*table, files);
  // An overflow or a vanishing parameter in the arithmetic above.
  const double mean = mean_of(result);
  if (!(mean > 0) || std::isnan(mean)) {
    table->fail("", "has a mean of zero (expected a positive one)");
  }
  if (std::isfinite(mean) &&
      mean > to_seconds(std::chrono::duration_cast<Duration>(longest_written_duration))) {
    table->fail("", "has a mean of more than 20 years");
  }
  return result;
}

Distribution scaled(Distribution distribution, double factor) {
  struct Scale {
    double factor;
    void operator()(Exponential& d) const { d.mean *= factor; }
    void operator()(Deterministic& d) const { d.mean *= factor; }
    void operator()(Uniform& d) const {
      d.low *= factor;
      d.high *= factor;
    }
    void operator()(Erlang& d) const { d.mean *= factor; }
    void operator()(Gamma& d) const { d.mean *= factor; }
    void operator()(Lognormal& d) const { d.mean *= factor; }
    void operator()(Hyperexponential& d) const {
      d.mean1 *= factor;
      d.mean2 *= factor;
    }
    void operator()(Weibull& d) const { d.scale *= factor; }
    void operator()(Pareto& d) const {
      d.scale *= factor;
      d.upper *= factor;
    }
    void operator()(Empirical& d) const { d.factor *= factor; }
  };
  std::visit(Scale{factor}, distribution);
  return distribution;
}

double seconds_of_unit(std::string_view unit) {
  return parse_duration("1" + std::string(unit)).seconds;
}

}  // namespace basin
