#include "experiments/phase_map.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "engine/contract.h"
#include "experiments/grid.h"

namespace basin {

namespace {

bool has_phase(const MapCell& cell) {
  return cell.status == CellStatus::done || cell.status == CellStatus::inferred;
}


constexpr std::array<Phase, phase_count> all_phases{Phase::stable,
                                                    Phase::draining,
                                                    Phase::vulnerable,
                                                    Phase::spontaneous,
                                                    Phase::overloaded};

// Black on a colour of the terminal's own palette.
std::string_view colour_of(Phase phase) {
  switch (phase) {
    case Phase::stable:
      return "\x1b[30;42m";
    case Phase::draining:
      return "\x1b[30;46m";
    case Phase::vulnerable:
      return "\x1b[30;41m";
    case Phase::spontaneous:
      return "\x1b[30;45m";
    case Phase::overloaded:
      return "\x1b[30;47m";
  }
  return "";
}

std::string painted(const MapCell& cell, std::size_t width, const MapStyle& style) {
  std::string text = width > 1 ? " " : "";
  text += letter_of(cell);
  text.resize(width, ' ');
  if (!style.colour || !has_phase(cell)) {
    return text;
  }
  return fmt::format("{}{}\x1b[0m", colour_of(cell.phase), text);
}

// A value as the file writes it, or shorter where that is long.
std::string label_of(const Axis& axis, std::size_t index) {
  constexpr std::size_t longest = 10;
  const std::string& written = axis.values[index];
  if (written.size() <= longest) {
    return written;
  }
  if (axis.is_numeric) {
    std::string number = fmt::format("{:.4g}", axis.si_values[index]);
    if (axis.unit.empty() || axis.unit == "1") {
      return number;
    }
    return axis.unit == "1/s" ? number + "/s" : number + " " + axis.unit;
  }
  return written.substr(0, longest - 1) + "~";
}

std::size_t longest_label(const Axis& axis) {
  std::size_t longest = 0;
  for (std::size_t k = 0; k < axis.values.size(); ++k) {
    longest = std::max(longest, label_of(axis, k).size());
  }
  return longest;
}

// Places on an axis, smallest value first; names in the order of the file.
std::vector<std::size_t> ascending(const Axis& axis) {
  std::vector<std::size_t> order(axis.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (axis.is_numeric) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return axis.si_values[a] < axis.si_values[b];
    });
  }
  return order;
}

// Ticks and labels below the places `from` to `to` of `order`, as many as fit.
struct Columns {
  std::size_t margin;  // before the first cell
  std::size_t width;   // of a cell
  std::size_t most;    // of the line
};
std::string across_labels(const Axis& axis,
                          const std::vector<std::size_t>& order,
                          std::size_t from,
                          std::size_t to,
                          const Columns& columns) {
  std::string ticks;
  std::string labels;
  for (std::size_t k = from; k < to; ++k) {
    const std::size_t column =
        columns.margin + (k - from) * columns.width + (columns.width > 1 ? 1 : 0);
    const std::string label = label_of(axis, order[k]);
    if (column < labels.size() || column + label.size() > columns.most) {
      continue;
    }
    ticks.resize(column, ' ');
    labels.resize(column, ' ');
    ticks += '|';
    labels += label + " ";
  }
  labels.erase(labels.find_last_not_of(' ') + 1);
  return ticks + "\n" + labels + "\n";
}

// A map with one axis up (null for a strip) and one across.
class Panel {
 public:
  Panel(const Axis* up, const Axis& across, const MapStyle& style)
      : up_{up},
        across_{across},
        style_{style},
        rows_{up == nullptr ? std::vector<std::size_t>{0} : ascending(*up)},
        columns_{ascending(across)},
        margin_{up == nullptr ? 2 : longest_label(*up) + 2} {
    const std::size_t room =
        std::max<std::size_t>(style.columns, margin_ + 12) - margin_ - 1;
    // Wide enough for every label, else for a gap between letters, else letters alone.
    const std::size_t labelled = longest_label(across) + 1;
    for (const std::size_t width : {labelled, std::size_t{2}, std::size_t{1}}) {
      width_ = width;
      if (room >= width * columns_.size()) {
        break;
      }
    }
    band_ = std::min(columns_.size(), room / width_);
  }

  bool fits() const { return band_ == columns_.size(); }

  // `at` gives the cell of a place up and a place across.
  template <class At>
  std::string render(const At& at) const {
    std::string text;
    for (std::size_t from = 0; from < columns_.size(); from += band_) {
      const std::size_t to = std::min(from + band_, columns_.size());
      for (std::size_t row = rows_.size(); row-- > 0;) {
        const std::string label = up_ == nullptr ? "" : label_of(*up_, rows_[row]);
        text += std::string(margin_ - 2 - std::min(margin_ - 2, label.size()), ' ') +
                label + " |";
        for (std::size_t column = from; column < to; ++column) {
          text += painted(at(rows_[row], columns_[column]), width_, style_);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
      }
      text += across_labels(across_,
                            columns_,
                            from,
                            to,
                            {.margin = margin_, .width = width_, .most = style_.columns});
    }
    return text;
  }

 private:
  const Axis* up_;
  const Axis& across_;
  const MapStyle& style_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::size_t margin_;
  std::size_t width_ = 2;
  std::size_t band_ = 1;  // columns side by side
};

std::string legend(const std::vector<MapCell>& cells, const MapStyle& style) {
  std::string text;
  bool any_undecided = false;
  for (const Phase phase : all_phases) {
    const auto count =
        std::count_if(cells.begin(), cells.end(), [&](const MapCell& cell) {
          return has_phase(cell) && cell.phase == phase;
        });
    if (count > 0) {
      const MapCell example{.status = CellStatus::done, .phase = phase};
      text += fmt::format("  {} {:<12}{:>6}  {}\n",
                          painted(example, 2, style),
                          name_of(phase),
                          count,
                          meaning_of(phase));
    }
  }
  for (const MapCell& cell : cells) {
    any_undecided |= has_phase(cell) && !cell.decided;
  }
  if (any_undecided) {
    text += "   Lower case (i for !): undecided, more replications would tell.\n";
  }
  const auto with_status = [&](CellStatus status) {
    return std::count_if(cells.begin(), cells.end(), [&](const MapCell& cell) {
      return cell.status == status;
    });
  };
  if (const auto failed = with_status(CellStatus::failed); failed > 0) {
    text +=
        fmt::format("   ? {:<12}{:>6}  no result, see the messages\n", "failed", failed);
  }
  if (const auto missing = with_status(CellStatus::missing); missing > 0) {
    text += fmt::format("     {:<12}{:>6}  not run\n", "blank", missing);
  }
  return text;
}

std::string title(const Axis& axis) {
  return axis.unit.empty() || axis.unit == "1" || !axis.is_numeric
             ? axis.key
             : fmt::format("{} [{}]", axis.key, axis.unit);
}

// All panels of three or more axes, or as many as the style allows, spread evenly.
std::vector<std::size_t> chosen_panels(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (count <= most || most < 2) {
    chosen.resize(std::min(count, std::max<std::size_t>(most, 1)));
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  for (std::size_t k = 0; k < most; ++k) {
    chosen.push_back(k * (count - 1) / (most - 1));
  }
  return chosen;
}

}  // namespace

char letter_of(const MapCell& cell) {
  switch (cell.status) {
    case CellStatus::missing:
    case CellStatus::excluded:
      return ' ';
    case CellStatus::failed:
      return '?';
    case CellStatus::done:
    case CellStatus::inferred:
      break;
  }
  switch (cell.phase) {
    case Phase::stable:
      return cell.decided ? 'S' : 's';
    case Phase::draining:
      return cell.decided ? 'D' : 'd';
    case Phase::vulnerable:
      return cell.decided ? 'V' : 'v';
    case Phase::spontaneous:
      return cell.decided ? '!' : 'i';
    case Phase::overloaded:
      return cell.decided ? 'O' : 'o';
  }
  return '?';
}

std::string_view meaning_of(Phase phase) {
  switch (phase) {
    case Phase::stable:
      return "comes back after the trigger";
    case Phase::draining:
      return "not back at the horizon, but its backlog is draining";
    case Phase::vulnerable:
      return "stays down after the trigger is gone";
    case Phase::spontaneous:
      return "collapses without a trigger";
    case Phase::overloaded:
      return "is never healthy, trigger or not";
  }
  return "";
}

std::string render_phase_map(const std::vector<Axis>& axes,
                             const std::vector<MapCell>& cells,
                             const MapStyle& style) {
  const Grid grid{axes};
  BASIN_EXPECT(!axes.empty() && cells.size() == grid.size());
  std::string text;
  if (axes.size() == 1) {
    text = fmt::format("{}\n", title(axes[0]));
    text += Panel{nullptr, axes[0], style}.render(
        [&](std::size_t, std::size_t place) { return cells[place]; });
    return text + "\n" + legend(cells, style);
  }

  // The first axis goes across, unless only the other way round fits.
  const bool turned =
      !Panel{&axes[1], axes[0], style}.fits() && Panel{&axes[0], axes[1], style}.fits();
  const Axis& across = turned ? axes[1] : axes[0];
  const Axis& up = turned ? axes[0] : axes[1];
  text = fmt::format("{} up, {} across\n", title(up), title(across));
  const std::vector<Axis> others(axes.begin() + 2, axes.end());
  const Grid panels{others};
  const std::vector<std::size_t> chosen = chosen_panels(panels.size(), style.most_panels);
  const Panel panel{&up, across, style};
  for (const std::size_t which : chosen) {
    const std::vector<std::size_t> rest = panels.indices_of(which);
    if (!others.empty()) {
      text += fmt::format("\n{}\n", describe_cell(others, rest));
    }
    text += panel.render([&](std::size_t place_up, std::size_t place_across) {
      std::vector<std::size_t> indices{turned ? place_up : place_across,
                                       turned ? place_across : place_up};
      indices.insert(indices.end(), rest.begin(), rest.end());
      return cells[grid.cell_at(indices)];
    });
  }
  if (chosen.size() < panels.size()) {
    text += fmt::format("\n{} of {} panels shown.\n", chosen.size(), panels.size());
  }
  return text + "\n" + legend(cells, style);
}

}  // namespace basin
