#include "experiments/cli/terminal.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

namespace basin {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

void complain(std::string_view message) {
  const std::string line = "basin: " + std::string{message} + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

bool output_has_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::string_view{terminal} != "dumb";
}

bool output_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      const std::string_view locale{value};
      return locale.find("UTF-8") != std::string_view::npos ||
             locale.find("utf8") != std::string_view::npos;
    }
  }
  return false;
}

}  // namespace basin
