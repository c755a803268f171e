#include "experiments/overrides_json.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace basin {

std::string overrides_json(const Overrides& overrides) {
  nlohmann::ordered_json json = {{"set", overrides.set}, {"sweep", overrides.sweep}};
  if (!overrides.points.empty()) {
    json["points"] = overrides.points;
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Overrides overrides_from_json(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.set = json.at("set").get<std::vector<std::string>>(),
            .sweep = json.at("sweep").get<std::vector<std::string>>(),
            .points = json.value("points", "")};
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("the overrides of the scenario are not readable");
  }
}

}  // namespace basin
