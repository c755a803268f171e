// Contracts. BASIN_EXPECT states what a caller owes and is checked in every build;
// BASIN_ASSERT states our own reasoning and is checked where BASIN_CONTRACTS is defined
// (the dev build). A broken contract is a bug: it throws ContractViolation, and the
// runner adds seed, replication and time.
#pragma once

#include <stdexcept>
#include <string>

namespace basin {

class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] inline void broken_contract(const char* what, const char* file, int line) {
  throw ContractViolation(std::string(file) + ":" + std::to_string(line) + ": " + what);
}
}  // namespace detail

}  // namespace basin

#define BASIN_EXPECT(condition) \
  ((condition) ? void(0)        \
               : ::basin::detail::broken_contract(#condition, __FILE__, __LINE__))

#ifdef BASIN_CONTRACTS
#define BASIN_ASSERT(condition) BASIN_EXPECT(condition)
#else
#define BASIN_ASSERT(condition) void(0)
#endif
