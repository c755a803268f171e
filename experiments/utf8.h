#pragma once

#include <string>
#include <string_view>

namespace basin {

// Bytes of the valid, non-zero character at the start of `text`; 0 if none stands there.
std::size_t character_length(std::string_view text);

// The text with each byte that is no part of valid UTF-8, and each zero byte, replaced by
// U+FFFD. File names and host names can hold any bytes, and one bad byte in an attribute
// keeps Python from opening the file.
std::string valid_utf8(std::string_view text);

}  // namespace basin
