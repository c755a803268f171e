// M/G/1 with retrials: nobody waits in line. Who finds the server busy goes into orbit
// and tries again after an exponential time, as often as it takes.
//
// Falin and Templeton, Retrial Queues (1997), chapter 1. RetrialQueue in retry_chains.h
// has several servers, places to wait, and customers who give up, for exponential
// service.
#pragma once

#include "analysis/time_law.h"

namespace basin {

struct Mg1Retrial {
  double arrival_rate = 0;  // lambda, > 0
  Moments service;          // mean > 0, a finite second moment
  double retry_rate = 0;    // gamma of each in orbit, > 0
};

struct Mg1RetrialAnswers {
  double busy_probability = 0;      // rho, by time
  double blocking_probability = 0;  // rho: what a first attempt finds
  double mean_orbit = 0;
  double mean_number = 0;          // in orbit and in service
  double mean_wait = 0;            // in orbit, of all
  double mean_sojourn = 0;         // until served
  double attempts_per_served = 0;  // mean number of attempts, the first included
};
// NoAnswer unless rho = lambda E[S] < 1.
Mg1RetrialAnswers answers(const Mg1Retrial& queue);

}  // namespace basin
