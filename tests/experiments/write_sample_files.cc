// Writes output files of every shape into the folder given, for check_output.py.
#include <algorithm>
#include <iostream>
#include <numeric>

#include "experiments/store.h"
#include "tests/experiments/synthetic_cells.h"

namespace basin {
namespace {

// Where there are enough cells, cell 1 stays missing and cell 2 fails. The last cell's
// first triggered run is cut after two samples.
void write(const std::string& path, const SyntheticSweep& sweep, bool backwards = false) {
  SweepFile file(path, sweep.layout());
  const auto places = all_places(sweep.scenario.axes);
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (backwards) {
    std::ranges::reverse(order);
  }
  for (const std::size_t cell : order) {
    if (places.size() > 3 && cell == 1) {
      continue;
    }
    if (places.size() > 3 && cell == 2) {
      file.write_cell(failed_cell(places[cell]));
      continue;
    }
    CellOutput output = synthetic_cell(sweep, places[cell], cell);
    if (cell + 1 == places.size()) {
      ArmRecord& record = output.arms[1][0];
      record.truncated = true;
      for (const TrajectoryInfo& info : trajectory_table) {
        (record.trajectory.*info.member).resize(2);
      }
    }
    file.write_cell(output);
  }
  file.commit();
}

void write_all(const std::string& folder) {
  const Axis rate = numeric_axis("arrivals.rate", "1/s", {0.1, 0.2, 0.3, 0.4, 0.5});
  const Axis duration =
      numeric_axis("incident.outage.duration", "s", {60, 120, 240, 480});
  const Axis broker =
      named_axis("queue.broker", {"sqs-standard", "große Schlange", "列"});

  write(folder + "/no_axes.h5", synthetic_sweep({}));
  write(folder + "/one_axis.h5", synthetic_sweep({rate}));

  SyntheticSweep all = synthetic_sweep({rate, broker});
  all.trajectories = TrajectoriesToKeep::all;
  all.arms.push_back(Arm::unamplified);
  write(folder + "/all_trajectories.h5", all);
  write(folder + "/backwards.h5", all, true);

  SyntheticSweep none = synthetic_sweep({rate, broker, duration});
  none.trajectories = TrajectoriesToKeep::none;
  write(folder + "/no_trajectories.h5", none);

  SyntheticSweep single = synthetic_sweep({});
  single.replications = 1;
  single.trajectories = TrajectoriesToKeep::all;
  single.scenario.name.clear();
  single.scenario.description.clear();
  single.scenario.document.text = std::string(100'000, '#') + "\n";
  write(folder + "/one_replication.h5", single);

  // Names that are taken, and one last part twice.
  const std::vector<double> two{1, 2};
  write(folder + "/awkward_names.h5",
        synthetic_sweep({numeric_axis("consumers.count", "1", two),
                         numeric_axis("x.time", "s", two),
                         numeric_axis("x.phase", "1", two),
                         numeric_axis("incident.é.duration", "s", two),
                         numeric_axis("incident.b.duration", "s", two),
                         numeric_axis("replication", "1", two)}));

  // Nothing written yet.
  SweepFile empty(folder + "/all_missing.h5", synthetic_sweep({rate, broker}).layout());
  empty.commit();
}

}  // namespace
}  // namespace basin

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_sample_files FOLDER\n";
    return 2;
  }
  basin::write_all(arguments[1]);
  return 0;
}
