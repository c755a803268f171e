#include "experiments/memory.h"

#include <gtest/gtest.h>

namespace basin {
namespace {

TEST(Memory, sizes_are_read_with_their_units) {
  EXPECT_EQ(parse_bytes("4GiB"), std::int64_t{4} << 30);
  EXPECT_EQ(parse_bytes("1.5G"), std::int64_t{3} << 29);
  EXPECT_EQ(parse_bytes("500MB"), 500'000'000);
  EXPECT_EQ(parse_bytes("64 MiB"), std::int64_t{64} << 20);
  EXPECT_EQ(parse_bytes("800000000"), 800'000'000);
}

TEST(Memory, what_is_no_size_is_refused) {
  for (const char* text :
       {"", "GiB", "4Gib", "0", "-1", "1.2.3GB", "1e9", "99999999999TB"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(Memory, the_machine_has_some) {
  EXPECT_GT(default_memory_limit(), std::int64_t{16} << 20);
  EXPECT_LT(default_memory_limit(), memory_of_machine());
}

TEST(Memory, sizes_are_printed_roughly) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(0x1.8p30), "1.5 GiB");
}

}  // namespace
}  // namespace basin
