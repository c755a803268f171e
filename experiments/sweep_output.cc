#include "experiments/sweep_output.h"

namespace basin {

std::string_view name_of(Arm arm) {
  switch (arm) {
    case Arm::control:
      return "control";
    case Arm::triggered:
      return "triggered";
    case Arm::unamplified:
      return "unamplified";
  }
  return "?";
}

}  // namespace basin
