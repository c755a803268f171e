#include "analysis/priority.h"

#include <cstddef>
#include <string>

#include "analysis/no_answer.h"
#include "analysis/second_moment.h"

namespace basin {

namespace {

void expect_classes(const std::vector<PriorityClass>& classes) {
  if (classes.empty()) {
    throw NoAnswer("there are no classes");
  }
  long double load = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const PriorityClass& one = classes[k];
    const std::string of = " of class " + std::to_string(k + 1);
    zero_or_more(one.arrival_rate, "the arrival rate" + of);
    expect_moments(one.service, "the service" + of);
    load += static_cast<long double>(one.arrival_rate) * one.service.mean;
  }
  expect_stable(static_cast<double>(load));
}

PriorityAnswers by_littles_law(const PriorityClass& one, long double wait) {
  const long double sojourn = wait + one.service.mean;
  return {.utilization = one.arrival_rate * one.service.mean,
          .mean_wait = static_cast<double>(wait),
          .mean_sojourn = static_cast<double>(sojourn),
          .mean_waiting = static_cast<double>(one.arrival_rate * wait),
          .mean_number = static_cast<double>(one.arrival_rate * sojourn)};
}

// What an arrival finds of the service under way: sum of lambda E[S^2] / 2.
long double residual(const PriorityClass& one) {
  return static_cast<long double>(one.arrival_rate) * one.service.second / 2;
}

}  // namespace

std::vector<PriorityAnswers> answers(const NonPreemptivePriority& queue) {
  expect_classes(queue.classes);
  long double under_way = 0;
  for (const PriorityClass& one : queue.classes) {
    under_way += residual(one);
  }
  std::vector<PriorityAnswers> result;
  long double idle_above = 1;  // share of time that higher classes leave
  for (const PriorityClass& one : queue.classes) {
    const long double idle =
        idle_above - static_cast<long double>(one.arrival_rate) * one.service.mean;
    result.push_back(by_littles_law(one, under_way / (idle_above * idle)));
    idle_above = idle;
  }
  return result;
}

std::vector<PriorityAnswers> answers(const PreemptivePriority& queue) {
  expect_classes(queue.classes);
  std::vector<PriorityAnswers> result;
  long double under_way = 0;
  long double idle_above = 1;
  for (const PriorityClass& one : queue.classes) {
    under_way += residual(one);
    const long double idle =
        idle_above - static_cast<long double>(one.arrival_rate) * one.service.mean;
    // The first part is the wait until service begins, the second that for higher classes
    // while it is interrupted.
    const long double wait = under_way / (idle_above * idle) +
                             one.service.mean * ((1 - idle_above) / idle_above);
    result.push_back(by_littles_law(one, wait));
    idle_above = idle;
  }
  return result;
}

}  // namespace basin
