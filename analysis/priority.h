// M/G/1 with classes of priority; within a class first come first served.
//
// Classes are listed from the highest priority down. Cobham, Operations Research 2
// (1954); Kleinrock, Queueing Systems vol. 2 (1976), chapter 3. NoAnswer unless the load
// of all classes is below 1. (Where service is interrupted, a class knows nothing of
// those below: without them the formulas answer for the classes above also under
// overload.)
#pragma once

#include <vector>

#include "analysis/time_law.h"

namespace basin {

struct PriorityClass {
  double arrival_rate = 0;  // lambda, >= 0
  Moments service;          // mean > 0, a finite second moment
};

// A service once begun is finished.
struct NonPreemptivePriority {
  std::vector<PriorityClass> classes;
};
// An arrival of a higher class interrupts; what is interrupted goes on where it stopped.
struct PreemptivePriority {
  std::vector<PriorityClass> classes;
};

struct PriorityAnswers {
  double utilization = 0;   // of this class alone
  double mean_wait = 0;     // Wq; with preemption all time not in service
  double mean_sojourn = 0;  // W
  double mean_waiting = 0;  // Lq; with preemption those interrupted too
  double mean_number = 0;   // L
};
// One for each class. Where a class has no arrivals, what one would find.
std::vector<PriorityAnswers> answers(const NonPreemptivePriority& queue);
std::vector<PriorityAnswers> answers(const PreemptivePriority& queue);

}  // namespace basin
