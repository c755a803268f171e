#include "engine/random.h"

#include <cstdint>
#include <set>

#include <gtest/gtest.h>

namespace basin {
namespace {

// Known answers that come with Random123 (kat_vectors, philox4x64 with 10 rounds).
TEST(RandomBlock, gives_the_known_answer_for_zeros) {
  EXPECT_EQ(random_block({}, {}),
            (RandomBlock{0x16554d9eca36314c,
                         0xdb20fe9d672d0fdc,
                         0xd7e772cee186176b,
                         0x7e68b68aec7ba23b}));
}

TEST(RandomBlock, gives_the_known_answer_for_all_ones) {
  // The counter's purpose is 32 bits wide here, so ask the generator itself.
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  const auto words = r123::Philox4x64{}({{ones, ones, ones, ones}}, {{ones, ones}});
  EXPECT_EQ(words[0], 0x87b092c3013fe90bU);
  EXPECT_EQ(words[1], 0x438c3c67be8d0224U);
  EXPECT_EQ(words[2], 0x9cc7d7c69cd777b6U);
  EXPECT_EQ(words[3], 0xa09caebf594f0ba0U);
}

// As numpy.random.Philox(key=[12345, 67890]) draws first; it counts before it draws.
TEST(RandomBlock, agrees_with_numpy) {
  EXPECT_EQ(random_block({.seed = 12345, .cell = 67890}, {.block = 1}),
            (RandomBlock{7980670315518698630U,
                         18033669047615098037U,
                         6236102005989951891U,
                         3891090695232066909U}));
}

// The standard's value for std::philox4x64: seed 20111115, ten thousandth word. Its
// counter starts at 0, so that is the last word of block 2,499.
TEST(RandomBlock, agrees_with_the_standard_engine) {
  EXPECT_EQ(random_block({.seed = 20111115}, {.block = 2499})[3], 3409172418970261260U);
}

TEST(RandomBlock, every_part_of_an_address_and_a_key_matters) {
  std::set<std::uint64_t> first_words;
  const RandomKey key{.seed = 1, .cell = 2, .replication = 3};
  const RandomAddress address{.purpose = 4, .entity = 5, .part = 6, .block = 7};
  const auto put = [&](RandomKey k, RandomAddress a) {
    first_words.insert(random_block(k, a)[0]);
  };
  put(key, address);
  put({.seed = 9, .cell = 2, .replication = 3}, address);
  put({.seed = 1, .cell = 9, .replication = 3}, address);
  put({.seed = 1, .cell = 2, .replication = 9}, address);
  put(key, {.purpose = 9, .entity = 5, .part = 6, .block = 7});
  put(key, {.purpose = 4, .entity = 9, .part = 6, .block = 7});
  put(key, {.purpose = 4, .entity = 5, .part = 9, .block = 7});
  put(key, {.purpose = 4, .entity = 5, .part = 6, .block = 9});
  EXPECT_EQ(first_words.size(), 8U);
}

TEST(RandomStream, gives_the_words_of_its_blocks_in_order) {
  const RandomKey key{.seed = 7, .replication = 2};
  RandomStream stream{key, {.purpose = 3, .entity = 11, .part = 1, .block = 5}};
  for (std::uint32_t block = 5; block < 9; ++block) {
    const RandomBlock words =
        random_block(key, {.purpose = 3, .entity = 11, .part = 1, .block = block});
    for (const std::uint64_t word : words) {
      EXPECT_EQ(stream(), word);
    }
  }
}

TEST(RandomStream, a_copy_goes_on_by_itself) {
  RandomStream stream{{.seed = 7}, {}};
  stream();
  RandomStream copy = stream;
  EXPECT_EQ(stream(), copy());
}

TEST(ToUnit, is_never_0_or_1_and_is_symmetric) {
  EXPECT_EQ(to_unit(0), 0x1p-53);
  EXPECT_EQ(to_unit(UINT64_MAX), 1 - 0x1p-53);
  EXPECT_EQ(to_unit(0) + to_unit(UINT64_MAX), 1);
  EXPECT_LT(to_unit(UINT64_MAX / 2), 0.5);
  EXPECT_GT(to_unit(UINT64_MAX / 2 + 1), 0.5);
}

}  // namespace
}  // namespace basin
