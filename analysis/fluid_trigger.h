// A burst of arrivals and what is left of it, as a fluid: how deep the backlog gets, how
// long it takes to drain, and whether retries let it. Rates are per second and constant,
// nothing is random. Ways to say "never" are Answers with the reason.
#pragma once

#include "analysis/drain_arithmetic.h"

namespace basin {

// Arrivals at the trigger's rate for the trigger's time, then at the usual rate; nobody
// retries.
struct FluidTrigger {
  double arrival_rate = 0;  // lambda, >= 0, after the trigger
  double capacity = 1;      // mu of all servers, >= 0
  double trigger_rate = 0;  // lambda_T, >= 0
  double trigger_time = 0;  // t_T, seconds
};

struct FluidTriggerAnswers {
  double peak_backlog = 0;  // (lambda_T - mu) t_T, not below 0
  Answer drain_time;        // peak / (mu - lambda)
  Answer episode;           // trigger and drain
};
FluidTriggerAnswers answers(const FluidTrigger& trigger);

// First come first served, and a caller who has waited T sends the request again, at most
// `attempts` times in all, without pause; attempts once sent are served even if nobody
// waits for them any more. Whoever joins behind more than C T times out.
struct RetryAftermath {
  double arrival_rate = 0;  // lambda, > 0: requests
  double capacity = 1;      // C, > 0: attempts served
  double attempts = 1;      // A >= 1, of a request whose attempts all time out
  double timeout = 1;       // T > 0
  double backlog = 0;       // B: attempts waiting when the trigger is over
};

struct RetryAftermathAnswers {
  // Loads from the first to below the second are vulnerable: a backlog of more than C T
  // keeps itself up, a smaller one drains. Below, every backlog drains; from the second
  // on none does.
  double vulnerable_from = 0;     // C / A
  double overloaded_from = 0;     // C
  double sustaining_backlog = 0;  // C T
  // Seconds after the trigger. (B - C T) / (C - A lambda) until requests are served in
  // time again, 0 if B is no more than C T.
  Answer goodput_returns;
  // B / (C - A lambda) until the queue is empty, if every request took A attempts until
  // then: an upper bound. (Of no more than C T nobody times out: B / (C - lambda).)
  Answer empty;
  // The same with the last retries sent T after goodput returns, by those who joined
  // behind C T: (B - C T) / (C - A lambda) + T + A lambda T / (C - lambda).
  Answer empty_as_retries_end;
};
RetryAftermathAnswers answers(const RetryAftermath& aftermath);

}  // namespace basin
