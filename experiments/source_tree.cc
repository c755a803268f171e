#include "experiments/source_tree.h"

#include <utility>

#include "experiments/units.h"

namespace basin {
namespace {

std::string_view line_of(std::string_view text, std::uint32_t line) {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) {
      return {};
    }
    begin = end + 1;
  }
  std::string_view result = text.substr(begin, text.substr(begin).find('\n'));
  if (!result.empty() && result.back() == '\r') {
    result.remove_suffix(1);
  }
  return result;
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The line and a caret below `column`; of a long line the part around it. Bytes that
// would disturb a terminal are shown as '?'.
std::string excerpt(std::string_view line, std::uint32_t column) {
  constexpr std::uint32_t longest = 100;
  const std::uint32_t first = column > longest ? column - longest / 2 : 1;
  std::string shown = "\n    ";
  std::string caret = "\n    ";
  std::uint32_t character = 0;
  for (const char c : line) {
    character += continues_character(c) ? 0U : 1U;
    if (character < first || character >= first + longest) {
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    shown += (byte < 0x20 && c != '\t') || byte == 0x7F ? '?' : c;
    if (character < column && !continues_character(c)) {
      caret += c == '\t' ? '\t' : ' ';
    }
  }
  return shown + caret + '^';
}

std::string worded(const SourceFile& file,
                   const Place& place,
                   const std::string& key,
                   const std::string& problem,
                   std::string_view context) {
  std::string result;
  switch (place.kind) {
    case Place::Kind::nowhere:
      result = file.path;
      break;
    case Place::Kind::file:
      result = file.path + ":" + std::to_string(place.line) + ":" +
               std::to_string(place.column);
      break;
    case Place::Kind::set:
      result = "--set #" + std::to_string(place.number);
      break;
    case Place::Kind::sweep:
      result = "--sweep #" + std::to_string(place.number);
      break;
  }
  result += ": ";
  if (!key.empty()) {
    result += key + ": ";
  }
  result += problem;
  result += context;
  if (place.kind == Place::Kind::file) {
    result += excerpt(line_of(file.text, place.line), place.column);
  }
  return result;
}

}  // namespace

ScenarioError::ScenarioError(const SourceFile& file,
                             Place place,
                             std::string key,
                             std::string problem,
                             std::string_view context)
    : std::runtime_error(worded(file, place, key, problem, context)),
      place_{place},
      key_{std::move(key)},
      problem_{std::move(problem)} {}

const SourceNode* SourceNode::find(std::string_view child) const {
  for (const SourceNode& node : children) {
    if (node.name == child) {
      return &node;
    }
  }
  return nullptr;
}

SourceNode* SourceNode::find(std::string_view child) {
  return const_cast<SourceNode*>(std::as_const(*this).find(child));
}

std::string written(const SourceNode& node) {
  switch (node.kind) {
    case SourceNode::Kind::text:
    case SourceNode::Kind::bare:
    case SourceNode::Kind::date:
      return node.text;
    case SourceNode::Kind::whole:
      return std::to_string(node.whole);
    case SourceNode::Kind::real:
      return format_number(node.real);
    case SourceNode::Kind::flag:
      return node.flag ? "true" : "false";
    case SourceNode::Kind::list:
    case SourceNode::Kind::table:
      break;
  }
  return {};
}

}  // namespace basin
