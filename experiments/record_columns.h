// The numbers of a record, one by one: what shards and output files hold of each run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/sweep_output.h"

namespace basin {

struct RecordColumn {
  std::string name;      // of its variable in the output file
  bool is_flag = false;  // 0 or 1
  std::string long_name;
  std::string unit = "1";
  std::string comment = {};
  // NaN where there is none, be it a flag.
  std::function<double(const ArmRecord&)> get;
  std::function<void(ArmRecord&, double)> set;
};

// Of a record that is present. Setting all of them gives the record again, but for its
// error, its trajectory, `stuck`, and what belongs to the cell (recovery_objective,
// certain).
const std::vector<RecordColumn>& record_columns();

// The variable that holds a metric: its name, with mean_ before it where the trajectory
// has that name ("mean_goodput" over the run, "goodput" over time).
std::string metric_variable_name(const MetricInfo& metric);

}  // namespace basin
