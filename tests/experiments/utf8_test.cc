#include "experiments/utf8.h"

#include <gtest/gtest.h>

namespace basin {
namespace {

const std::string replacement = "\xEF\xBF\xBD";

TEST(ValidUtf8, valid_text_is_unchanged) {
  for (const std::string text : {"", "abc", "größe", "列", "😀", "\xEF\xBF\xBD"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(ValidUtf8, each_bad_byte_becomes_a_replacement_character) {
  EXPECT_EQ(valid_utf8("gr\xFC\xDF"
                       "e"),
            "gr" + replacement + replacement + "e");
  EXPECT_EQ(valid_utf8("a\xC3"), "a" + replacement);  // cut in the middle
  EXPECT_EQ(valid_utf8(std::string_view("a\0b", 3)), "a" + replacement + "b");
}

TEST(ValidUtf8, overlong_forms_surrogates_and_numbers_beyond_unicode_are_bad) {
  EXPECT_EQ(valid_utf8("\xC0\xAF"), replacement + replacement);
  EXPECT_EQ(valid_utf8("\xE0\x80\xAF"), replacement + replacement + replacement);
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), replacement + replacement + replacement);
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"),
            replacement + replacement + replacement + replacement);
}

}  // namespace
}  // namespace basin
