#include "experiments/record_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace basin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Of the assessment, which NaN in `ever_healthy` takes away. It comes first.
RecordColumn assessed(const std::string& name,
                      double ArmAssessment::*member,
                      const std::string& long_name,
                      const std::string& comment = {}) {
  return {.name = name,
          .long_name = long_name,
          .unit = "messages",
          .comment = comment,
          .get =
              [member](const ArmRecord& record) {
                return record.assessment ? *record.assessment.*member : nan;
              },
          .set =
              [member](ArmRecord& record, double value) {
                if (record.assessment) {
                  *record.assessment.*member = value;
                }
              }};
}

RecordColumn assessed_flag(const std::string& name,
                           bool ArmAssessment::*member,
                           const std::string& long_name) {
  return {.name = name,
          .is_flag = true,
          .long_name = long_name,
          .get =
              [member](const ArmRecord& record) {
                return record.assessment ? (*record.assessment.*member ? 1.0 : 0.0) : nan;
              },
          .set =
              [member](ArmRecord& record, double value) {
                if (record.assessment) {
                  *record.assessment.*member = value == 1;
                }
              }};
}

RecordColumn counted(const std::string& name,
                     std::int64_t InterventionCounts::*member,
                     const std::string& unit,
                     const std::string& long_name) {
  return {.name = name,
          .long_name = long_name,
          .unit = unit,
          .get =
              [member](const ArmRecord& record) {
                return static_cast<double>(record.interventions.*member);
              },
          .set =
              [member](ArmRecord& record, double value) {
                record.interventions.*member =
                    std::isnan(value) ? 0 : static_cast<std::int64_t>(value);
              }};
}

std::vector<RecordColumn> all_columns() {
  std::vector<RecordColumn> columns;
  columns.push_back(
      {.name = "truncated",
       .is_flag = true,
       .long_name = "stopped by the memory limit",
       .get = [](const ArmRecord& record) { return record.truncated ? 1.0 : 0.0; },
       .set = [](ArmRecord& record, double value) { record.truncated = value == 1; }});
  columns.push_back({.name = "ever_healthy",
                     .is_flag = true,
                     .long_name = "some window of the measured part was healthy",
                     .get =
                         [](const ArmRecord& record) {
                           return !record.assessment                ? nan
                                  : record.assessment->ever_healthy ? 1.0
                                                                    : 0.0;
                         },
                     .set =
                         [](ArmRecord& record, double value) {
                           record.assessment.reset();
                           if (!std::isnan(value)) {
                             record.assessment = ArmAssessment{};
                             record.assessment->ever_healthy = value == 1;
                             record.assessment->truncated = record.truncated;
                           }
                         }});
  columns.push_back(
      assessed_flag("recovered", &ArmAssessment::recovered, "healthy over the tail"));
  columns.push_back({.name = "recovery_time",
                     .long_name = "end of the last incident to recovery",
                     .unit = "s",
                     .comment = "infinite if not recovered by the horizon",
                     .get = [](const ArmRecord& record) { return record.recovery_time; },
                     .set =
                         [](ArmRecord& record, double value) {
                           record.recovery_time = value;
                           if (record.assessment) {
                             record.assessment->recovery_time = value;
                           }
                         }});
  columns.push_back(
      {.name = "drain_time",
       .long_name = "end of the last incident to the depth before the first",
       .unit = "s",
       .comment = "infinite if not drained by the horizon",
       .get = [](const ArmRecord& record) { return record.drain_time; },
       .set = [](ArmRecord& record, double value) { record.drain_time = value; }});
  columns.push_back(assessed("mean_work",
                             &ArmAssessment::mean_work,
                             "time average of waiting, in flight and retries pending"));
  columns.push_back(assessed("work_before",
                             &ArmAssessment::work_before,
                             "the same from the warm-up to the first incident"));
  columns.push_back(assessed("work_ahead",
                             &ArmAssessment::work_ahead,
                             "what it comes to one horizon later at the last pace",
                             "infinite where it does not fall; a run that is not "
                             "recovered is draining if this is at most work_before"));
  for (const MetricInfo& metric : metric_table) {
    columns.push_back(
        {.name = metric_variable_name(metric),
         .long_name = std::string(metric.doc),
         .unit = std::string(metric.unit),
         .get = [member = metric.member](
                    const ArmRecord& record) { return record.metrics.*member; },
         .set = [member = metric.member](
                    ArmRecord& record,
                    double value) { record.metrics.*member = value; }});
  }
  columns.push_back(counted("shed",
                            &InterventionCounts::shed,
                            "requests",
                            "requests turned away by interventions"));
  columns.push_back(counted(
      "purged", &InterventionCounts::purged, "messages", "messages purged by operators"));
  columns.push_back(counted("dropped_expired",
                            &InterventionCounts::expired,
                            "messages",
                            "messages dropped as too old by interventions"));
  columns.push_back(counted("retries_cancelled",
                            &InterventionCounts::retries_cancelled,
                            "retries",
                            "retries that operators turned off while they waited"));
  return columns;
}

}  // namespace

const std::vector<RecordColumn>& record_columns() {
  static const std::vector<RecordColumn> columns = all_columns();
  return columns;
}

std::string metric_variable_name(const MetricInfo& metric) {
  const bool is_trajectory = std::ranges::any_of(
      trajectory_table,
      [&](const TrajectoryInfo& trajectory) { return trajectory.name == metric.name; });
  return (is_trajectory ? "mean_" : "") + std::string(metric.name);
}

}  // namespace basin
