#include "experiments/grid.h"

#include <bit>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/contract.h"

namespace basin {

namespace {

// FNV-1a, 64 bits: the same on every machine.
class Fnv1a {
 public:
  void add(std::string_view text) {
    for (const char character : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
    }
    hash_ = (hash_ ^ 0xffU) * 0x100000001b3ULL;  // a byte that UTF-8 never uses: an end
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

Grid::Grid(const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    BASIN_EXPECT(!axis.values.empty());
    if (size_ > most_cells / axis.values.size()) {
      throw std::length_error("the sweep has more than " + std::to_string(most_cells) +
                              " cells");
    }
    shape_.push_back(axis.values.size());
    size_ *= axis.values.size();
  }
}

std::vector<std::size_t> Grid::indices_of(std::size_t cell) const {
  BASIN_EXPECT(cell < size_);
  std::vector<std::size_t> indices(shape_.size());
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    indices[axis] = cell % shape_[axis];
    cell /= shape_[axis];
  }
  return indices;
}

std::size_t Grid::cell_at(const std::vector<std::size_t>& indices) const {
  BASIN_EXPECT(indices.size() == shape_.size());
  std::size_t cell = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    BASIN_EXPECT(indices[axis] < shape_[axis]);
    cell = cell * shape_[axis] + indices[axis];
  }
  return cell;
}

std::vector<std::vector<std::size_t>> cells_by_control(const Grid& grid,
                                                       const std::vector<Axis>& axes) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::vector<std::size_t>, std::size_t> group_of;
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    std::vector<std::size_t> touching;
    const std::vector<std::size_t> indices = grid.indices_of(cell);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].touches_control) {
        touching.push_back(indices[axis]);
      }
    }
    const auto [place, is_new] = group_of.try_emplace(std::move(touching), groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[place->second].push_back(cell);
  }
  return groups;
}

namespace {

// "60s" and "1min" are one value.
std::string value_text(bool is_numeric, double si_value, const std::string& written) {
  return is_numeric ? std::to_string(std::bit_cast<std::uint64_t>(si_value)) : written;
}

}  // namespace

std::vector<std::pair<std::string_view, std::string>> exact_values(
    const std::vector<Axis>& axes, const std::vector<std::size_t>& indices) {
  std::vector<std::pair<std::string_view, std::string>> values;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Axis& own = axes[axis];
    const std::size_t k = indices[axis];
    if (own.key != point_axis) {
      values.emplace_back(own.key,
                          value_text(own.is_numeric, own.si_values[k], own.values[k]));
    }
    for (const AxisKey& key : own.with) {
      values.emplace_back(key.key,
                          value_text(key.is_numeric, key.si_values[k], key.values[k]));
    }
  }
  return values;
}

std::uint64_t hash_of_values(const std::vector<Axis>& axes,
                             const std::vector<std::size_t>& indices) {
  Fnv1a hash;
  for (const auto& [key, value] : exact_values(axes, indices)) {
    hash.add(key);
    hash.add(value);
  }
  return hash.value();
}

std::string describe_cell(const std::vector<Axis>& axes,
                          const std::vector<std::size_t>& indices) {
  std::string text;
  const auto add = [&](const std::string& key, const std::string& value) {
    text += (text.empty() ? "" : ", ") + key + " = " + value;
  };
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    add(axes[axis].key, axes[axis].values[indices[axis]]);
    for (const AxisKey& key : axes[axis].with) {
      add(key.key, key.values[indices[axis]]);
    }
  }
  return text;
}

}  // namespace basin
