#include "models/system_config.h"

namespace basin {

int total_count(const ConsumersConfig& consumers) {
  int count = 0;
  for (const ConsumerGroup& group : consumers.groups) {
    count += group.count;
  }
  return count;
}

double total_service_rate(const ConsumersConfig& consumers) {
  double rate = 0;
  for (const ConsumerGroup& group : consumers.groups) {
    rate += group.count / mean_of(group.service);
  }
  return rate;
}

bool is_disturbed(const SystemConfig& system) {
  return !system.incidents.empty() || !system.interventions.empty();
}

}  // namespace basin
