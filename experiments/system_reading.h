// From the sections of a scenario to the system under test.
#pragma once

#include <optional>

#include "analysis/verdict.h"
#include "experiments/data_files.h"
#include "experiments/scenario.h"
#include "experiments/settings.h"
#include "models/system_config.h"

namespace basin {

ProducerConfig read_producer(const Section& producer);
QueueConfig read_queue(const Section& queue);
ConsumersConfig read_consumers(const Section& consumers, DataFiles& files);

// The incidents of a system whose other parts have been read. What they may not do: start
// in the warm-up, touch more consumers than there are, lose acknowledgements without
// leases.
std::vector<Incident> read_incidents(const Section& whole,
                                     const SystemConfig& system,
                                     DataFiles& files);

// The cases that they make up, by their keys case and weight.
std::vector<IncidentCase> read_cases(const Section& whole, const SystemConfig& system);

// Its interventions, which may not start in the warm-up or after the horizon.
std::vector<Intervention> read_interventions(const Section& whole,
                                             const SystemConfig& system);

// None where neither objective.latency nor producer.timeout says what success is.
std::optional<Objective> read_objective(const Section& whole, const SystemConfig& system);

// The whole of it, with what holds between its parts. Throws ScenarioError.
SystemConfig read_system(const Section& whole, DataFiles& files);

}  // namespace basin
