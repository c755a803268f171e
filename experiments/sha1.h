// SHA-1, to tell contents apart; no defence against malice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace basin {

std::array<std::uint32_t, 5> sha1(std::string_view bytes);
std::string sha1_text(std::string_view bytes);  // 40 hexadecimal digits
// Empty where the file cannot be read.
std::string sha1_text_of_file(const std::string& path);

}  // namespace basin
