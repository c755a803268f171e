// What brings a stuck system back, as an engineer on call reads it, and as JSON.
#pragma once

#include <string>

#include "experiments/rescue_search.h"

namespace basin {

// `why_then`: how the instant was found where it was not said, such as "60 s after the
// last incident"; else empty.
std::string rescue_text(const RescueQuestion& question,
                        const RescueAnswer& answer,
                        const std::string& why_then);

// One object, in SI units; what is infinite (never recovered) or not there is null.
std::string rescue_json(const RescueQuestion& question, const RescueAnswer& answer);

}  // namespace basin
