#include "experiments/text_diff.h"

#include <algorithm>
#include <vector>

namespace basin {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string text_diff(std::string_view from,
                      std::string_view to,
                      const DiffStyle& style) {
  std::vector<std::string_view> old_lines = lines_of(from);
  std::vector<std::string_view> new_lines = lines_of(to);
  // Quadratic; scenarios are pages, not books.
  constexpr std::size_t longest = 2000;
  old_lines.resize(std::min(old_lines.size(), longest));
  new_lines.resize(std::min(new_lines.size(), longest));

  // common[i][j]: length of the longest common subsequence of the rests from i and j.
  std::vector<std::vector<std::size_t>> common(
      old_lines.size() + 1, std::vector<std::size_t>(new_lines.size() + 1, 0));
  for (std::size_t i = old_lines.size(); i-- > 0;) {
    for (std::size_t j = new_lines.size(); j-- > 0;) {
      common[i][j] = old_lines[i] == new_lines[j]
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }

  std::string text = "--- " + style.from + "\n+++ " + style.to + "\n";
  std::size_t shown = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  const auto show = [&](char sign, std::string_view line) {
    if (shown++ < style.most_lines) {
      text.append(1, sign).append(line).append(1, '\n');
    }
  };
  while (i < old_lines.size() || j < new_lines.size()) {
    if (i < old_lines.size() && j < new_lines.size() && old_lines[i] == new_lines[j]) {
      ++i;
      ++j;
    } else if (j == new_lines.size() ||
               (i < old_lines.size() && common[i + 1][j] >= common[i][j + 1])) {
      show('-', old_lines[i++]);
    } else {
      show('+', new_lines[j++]);
    }
  }
  if (shown > style.most_lines) {
    text += "and " + std::to_string(shown - style.most_lines) + " more lines\n";
  }
  text.pop_back();
  return text;
}

}  // namespace basin
