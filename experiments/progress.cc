#include "experiments/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace basin {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t columns_of(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

class NoProgress final : public Progress {
 public:
  void update(std::size_t /*done*/, std::size_t /*total*/) override {}
  void clear() override {}
};

class PlainProgress final : public Progress {
 public:
  explicit PlainProgress(std::FILE* stream) : stream_{stream} {}

  void update(std::size_t done, std::size_t total) override {
    if (Clock::now() - last_ < std::chrono::seconds{30}) {
      return;
    }
    last_ = Clock::now();
    fmt::print(stream_, "{}\n", progress_line(done, total, seconds_since(start_)));
    std::fflush(stream_);
  }
  void clear() override {}

 private:
  std::FILE* stream_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

class JsonProgress final : public Progress {
 public:
  explicit JsonProgress(std::FILE* stream) : stream_{stream} {}

  void update(std::size_t done, std::size_t total) override {
    if (Clock::now() - last_ < std::chrono::seconds{1} && done < total) {
      return;
    }
    last_ = Clock::now();
    fmt::print(stream_,
               "{{\"done\":{},\"total\":{},\"seconds\":{:.3f}}}\n",
               done,
               total,
               seconds_since(start_));
    std::fflush(stream_);
  }
  void clear() override {}

 private:
  std::FILE* stream_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

class BarProgress final : public Progress {
 public:
  explicit BarProgress(std::FILE* stream) : stream_{stream} {}
  ~BarProgress() override { BarProgress::clear(); }
  BarProgress(const BarProgress&) = delete;
  BarProgress& operator=(const BarProgress&) = delete;
  BarProgress(BarProgress&&) = delete;
  BarProgress& operator=(BarProgress&&) = delete;

  void update(std::size_t done, std::size_t total) override {
    if (drawn_ && Clock::now() - last_ < std::chrono::milliseconds{100}) {
      return;
    }
    last_ = Clock::now();
    drawn_ = true;
    // A bar in the last column would make some terminals wrap.
    const std::size_t columns = std::max<std::size_t>(columns_of(stream_), 2) - 1;
    fmt::print(
        stream_, "\r{}\x1b[K", progress_bar(done, total, seconds_since(start_), columns));
    std::fflush(stream_);
  }
  void clear() override {
    if (drawn_) {
      fmt::print(stream_, "\r\x1b[K");
      std::fflush(stream_);
      drawn_ = false;
    }
  }

 private:
  std::FILE* stream_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool drawn_ = false;
};

std::string time_left(std::size_t done, std::size_t total, double elapsed) {
  if (done == 0 || elapsed <= 0) {
    return "";
  }
  const double left = elapsed * static_cast<double>(total - std::min(done, total)) /
                      static_cast<double>(done);
  return rough_duration(left) + " left";
}

}  // namespace

std::string rough_duration(double seconds) {
  if (!(seconds < 1e12)) {
    return "unknown";
  }
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  if (whole < 48LL * 3600) {
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  }
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

std::string progress_bar(std::size_t done,
                         std::size_t total,
                         double elapsed,
                         std::size_t columns) {
  const double share = total == 0 ? 1.0
                                  : static_cast<double>(std::min(done, total)) /
                                        static_cast<double>(total);
  const std::string percent = fmt::format("{:3.0f}%", std::floor(share * 100));
  const std::string counts = fmt::format("{}/{} runs", done, total);
  const std::string left = time_left(done, total, elapsed);

  // What fits, the most telling first; the bar takes the room that is left, if that is
  // enough to see anything.
  std::string text = percent;
  if (text.size() + 2 + left.size() <= columns && !left.empty()) {
    text += "  " + left;
  }
  if (text.size() + 2 + counts.size() <= columns) {
    text.insert(percent.size(), "  " + counts);
  }
  if (columns >= text.size() + 3 + 8) {
    const std::size_t width = std::min<std::size_t>(columns - text.size() - 3, 40);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    text =
        "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " + text;
  }
  return text.substr(0, columns);
}

std::string progress_line(std::size_t done, std::size_t total, double elapsed) {
  const std::string left = time_left(done, total, elapsed);
  return fmt::format("basin: {} of {} runs after {}{}{}",
                     done,
                     total,
                     rough_duration(elapsed),
                     left.empty() ? "" : ", about ",
                     left);
}

std::unique_ptr<Progress> make_progress(ProgressStyle style, std::FILE* stream) {
  switch (style) {
    case ProgressStyle::none:
      return std::make_unique<NoProgress>();
    case ProgressStyle::plain:
      return std::make_unique<PlainProgress>(stream);
    case ProgressStyle::json:
      return std::make_unique<JsonProgress>(stream);
    case ProgressStyle::bar:
      return std::make_unique<BarProgress>(stream);
  }
  return std::make_unique<NoProgress>();
}

}  // namespace basin
