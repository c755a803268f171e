// A real number for Boost.Math whose results have the same bits on every machine.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace basin {

// Software through and through, 64 bits of significand: Boost.Math over double or long
// double calls libm, whose last bits depend on the machine (see
// engine/portable_math.h). A quantile takes some 100 us.
using PortableReal = boost::multiprecision::cpp_bin_float_double_extended;

}  // namespace basin
