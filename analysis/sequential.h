// Replications until an interval is narrow enough, looked at a few times fixed in
// advance.
//
// A rule that stops as soon as the interval looks narrow favours the samples whose
// variance happens to be small, and its intervals cover less often than they say. Here
// the looks are fixed beforehand, at numbers of replications that double, and each has
// its share of the error probability (Bonferroni): whichever look is the last, its
// interval misses with at most the probability of the whole. For sequential stopping and
// what it costs otherwise: Law, "Simulation Modeling and Analysis", 5th ed., section
// 9.4.1; Jennison and Turnbull, "Group Sequential Methods", chapter 2.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/intervals.h"

namespace basin {

// first, 2*first, 4*first, … below `most`, then `most` itself. 2 <= most, 2 <= first.
std::vector<int> looks_up_to(int most, int first = 10);

// The level of the interval at each of `looks` looks, such that all hold together with
// the probability `level`.
double level_of_look(std::size_t looks, double level = 0.95);

// Half of the width over the mean; 0 for a mean of 0 known exactly, NaN where there is no
// interval, infinite where mean is not.
double relative_half_width(const MeanEstimate& estimate);

}  // namespace basin
