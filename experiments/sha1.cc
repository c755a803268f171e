#include "experiments/sha1.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include <boost/uuid/detail/sha1.hpp>
#include <fmt/format.h>

namespace basin {

namespace {

using Hash = boost::uuids::detail::sha1;

std::array<std::uint32_t, 5> digest_of(Hash& hash) {
  Hash::digest_type digest;
  hash.get_digest(digest);
  std::array<std::uint32_t, 5> words{};
  std::copy(std::begin(digest), std::end(digest), words.begin());
  return words;
}

std::string text_of(const std::array<std::uint32_t, 5>& digest) {
  std::string text;
  for (const std::uint32_t word : digest) {
    text += fmt::format("{:08x}", word);
  }
  return text;
}

}  // namespace

std::array<std::uint32_t, 5> sha1(std::string_view bytes) {
  Hash hash;
  hash.process_bytes(bytes.data(), bytes.size());
  return digest_of(hash);
}

std::string sha1_text(std::string_view bytes) {
  return text_of(sha1(bytes));
}

std::string sha1_text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return "";
  }
  Hash hash;
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.process_bytes(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return in.bad() ? "" : text_of(digest_of(hash));
}

}  // namespace basin
