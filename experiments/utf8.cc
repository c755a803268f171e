#include "experiments/utf8.h"

namespace basin {

// The ranges are those of The Unicode Standard, table 3-7.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto in = [](unsigned value, unsigned low, unsigned high) {
    return low <= value && value <= high;
  };
  const auto is_tail = [&](std::size_t i) { return in(byte(i), 0x80, 0xBF); };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (in(first, 0x01, 0x7F)) {
    return 1;
  }
  if (in(first, 0xC2, 0xDF)) {
    return is_tail(1) ? 2 : 0;
  }
  if (in(first, 0xE0, 0xEF)) {
    const bool second_fits =
        in(second, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second_fits && is_tail(2) ? 3 : 0;
  }
  if (in(first, 0xF0, 0xF4)) {
    const bool second_fits =
        in(second, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second_fits && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    result += length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

}  // namespace basin
