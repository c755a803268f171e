// GI/G/1 and GI/G/c by two moments of gaps and services: an upper bound and
// approximations of the mean wait in the queue, first come first served. What is exact is
// said; the rest is not, and how far off it is depends on more than two moments.
//
// NoAnswer unless the load is below 1. Gaps and services are independent, their means
// above zero and their second moments finite.
#pragma once

#include <cstdint>

#include "analysis/time_law.h"

namespace basin {

struct GiGc {
  Moments gap;  // between arrivals
  Moments service;
  std::int64_t servers = 1;
};

// Upper bounds for one server (NoAnswer for more). Kingman (1962):
// lambda (Var gap + Var service) / (2 (1 - rho)); Daley (1977), never above it, has
// rho (2 - rho) Var gap in place of Var gap. Both approach the mean wait as the load
// nears 1.
double kingman_bound(const GiGc& queue);
double daley_bound(const GiGc& queue);

// Kingman's approximation for one server in heavy traffic (NoAnswer for more):
// rho / (1 - rho) (ca2 + cs2) / 2 E[S], with the squared coefficients of variation of
// gaps and services. Exact for M/G/1.
double kingman_approximation(const GiGc& queue);
// For any number of servers (Allen 1990): Erlang C / (c mu - lambda) (ca2 + cs2) / 2.
// Exact for M/M/c and M/G/1.
double allen_cunneen_approximation(const GiGc& queue);

}  // namespace basin
