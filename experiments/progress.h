// How far a sweep is, for the person who waits: a bar with the time left on a terminal, a
// line every 30 s elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace basin {

// Told of every step, from one thread at a time.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;
  virtual ~Progress() = default;
  virtual void update(std::size_t done, std::size_t total) = 0;
  // Nothing more will come, or a message is about to be printed: clears the bar.
  virtual void clear() = 0;
};

// json: an object a line, at most one each second.
enum class ProgressStyle : std::uint8_t { none, plain, bar, json };

// Writes to `stream`, which must outlive it. A bar is drawn at most ten times a second
// and fits the terminal's width as it is at that moment.
std::unique_ptr<Progress> make_progress(ProgressStyle style, std::FILE* stream);

// The texts, apart from clocks and terminals. `elapsed` in seconds; the time left is that
// of the runs so far. The bar takes at most `columns` columns (of at least 1) and no
// more.
std::string progress_bar(std::size_t done,
                         std::size_t total,
                         double elapsed,
                         std::size_t columns);
std::string progress_line(std::size_t done, std::size_t total, double elapsed);

// "42 s", "3 min 05 s", "2 h 07 min", "3 d 4 h"
std::string rough_duration(double seconds);

}  // namespace basin
