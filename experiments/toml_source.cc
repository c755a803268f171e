// TOML by way of toml++, whose parser is guarded against input that it cannot take: depth
// and length are bounded here before it sees a byte.
#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

#include "experiments/source_tree.h"
#include "experiments/utf8.h"

namespace basin {
namespace {

constexpr int deepest_nesting = 32;     // brackets and braces inside one another
constexpr int longest_key = 32;         // parts of a dotted key
constexpr int most_dots_a_line = 4000;  // whatever they belong to

Place place_at(std::uint32_t line, std::uint32_t column) {
  return {.kind = Place::Kind::file, .line = line, .column = column};
}

Place place_of(const toml::source_region& region) {
  return place_at(std::max(region.begin.line, 1U), std::max(region.begin.column, 1U));
}

void expect_utf8(const SourceFile& file) {
  const std::string_view text = file.text;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    if (length == 0) {
      throw ScenarioError(file,
                          place_at(line, column),
                          "",
                          text[i] == '\0'
                              ? "has a zero byte (expected a text file)"
                              : "is not UTF-8 (expected a text file in UTF-8)");
    }
    line += text[i] == '\n' ? 1U : 0U;
    column = text[i] == '\n' ? 1U : column + 1;
    i += length;
  }
}

// A scanner that knows strings and comments, and no more of TOML than that.
class DepthCheck {
 public:
  explicit DepthCheck(const SourceFile& file) : file_{file}, text_{file.text} {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        count(c);
        advance();
      }
    }
  }

 private:
  void count(char c) {
    switch (c) {
      case '[':
      case '{':
        parts_ = 1;
        if (++depth_ > deepest_nesting) {
          fail("is nested more than 32 deep");
        }
        break;
      case ']':
      case '}':
        parts_ = 1;
        depth_ = std::max(depth_ - 1, 0);
        break;
      case '=':
      case ',':
      case '\n':
        parts_ = 1;
        break;
      case '.':
        if (++parts_ > longest_key) {
          fail("is a key of more than 32 parts");
        }
        break;
      default:
        break;
    }
  }

  // Steps over one byte, keeping line and column.
  void advance() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
      dots_ = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++column_;
      // Counted in strings too, so that no confusion about quotes lets a long key
      // through.
      dots_ += c == '.' ? 1 : 0;
      if (dots_ > most_dots_a_line) {
        fail("is a line with more than 4000 dots");
      }
    }
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    for (int i = 0; i < (is_long ? 3 : 1); ++i) {
      advance();
    }
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        advance();
        if (at_ < text_.size() && (is_long || text_[at_] != '\n')) {
          advance();
        }
      } else if (is_long && text_.substr(at_, 3) == three) {
        while (at_ < text_.size() && text_[at_] == quote) {
          advance();
        }
        return;
      } else if (!is_long && (c == quote || c == '\n')) {
        advance();
        return;
      } else {
        advance();
      }
    }
  }

  [[noreturn]] void fail(const char* problem) const {
    throw ScenarioError(file_, place_at(line_, column_), "", problem);
  }

  const SourceFile& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  int depth_ = 0;
  int parts_ = 1;
  int dots_ = 0;
};

template <typename Date>
std::string text_of(const Date& date) {
  std::ostringstream out;
  out << date;
  return out.str();
}

SourceNode converted(const toml::node& node) {
  SourceNode result;
  result.place = place_of(node.source());
  node.visit([&](const auto& value) {
    using Type = std::remove_cvref_t<decltype(value)>;
    if constexpr (toml::is_table<Type>) {
      result.kind = SourceNode::Kind::table;
      for (const auto& [key, child] : value) {
        result.children.push_back(converted(child));
        result.children.back().name = std::string(key.str());
        result.children.back().name_place = place_of(key.source());
      }
      std::stable_sort(result.children.begin(),
                       result.children.end(),
                       [](const SourceNode& a, const SourceNode& b) {
                         return std::pair{a.name_place.line, a.name_place.column} <
                                std::pair{b.name_place.line, b.name_place.column};
                       });
    } else if constexpr (toml::is_array<Type>) {
      result.kind = SourceNode::Kind::list;
      for (const toml::node& child : value) {
        result.children.push_back(converted(child));
      }
    } else if constexpr (toml::is_string<Type>) {
      result.kind = SourceNode::Kind::text;
      result.text = value.get();
    } else if constexpr (toml::is_integer<Type>) {
      result.kind = SourceNode::Kind::whole;
      result.whole = value.get();
    } else if constexpr (toml::is_floating_point<Type>) {
      result.kind = SourceNode::Kind::real;
      result.real = value.get();
    } else if constexpr (toml::is_boolean<Type>) {
      result.kind = SourceNode::Kind::flag;
      result.flag = value.get();
    } else {
      result.kind = SourceNode::Kind::date;
      result.text = text_of(value.get());
    }
  });
  return result;
}

}  // namespace

SourceNode parse_toml(const SourceFile& file) {
  if (file.text.size() > longest_scenario) {
    throw ScenarioError(file,
                        {},
                        "",
                        "is " + std::to_string(file.text.size()) +
                            " bytes long (expected a scenario of at most 1 MiB)");
  }
  expect_utf8(file);
  DepthCheck(file).run();
  try {
    SourceNode root = converted(toml::parse(std::string_view(file.text)));
    root.place = {};
    return root;
  } catch (const toml::parse_error& error) {
    throw ScenarioError(file,
                        place_of(error.source()),
                        "",
                        "is not TOML: " + std::string(error.description()));
  }
}

}  // namespace basin
