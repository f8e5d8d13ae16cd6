#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/terminal.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

constexpr std::chrono::milliseconds kMoment{500};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr const char* kWipe = "\r\033[K";

}  // namespace

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, double elapsed_s,
                          const std::string& noun) {
  constexpr std::size_t kWidth = 24;
  const double fraction = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<std::size_t>(fraction * kWidth);
  std::string line = base::tr(
      "{}  [{}{}] {:3.0f} %  {} of {} {}", label, std::string(full, '#'), std::string(kWidth - full, '.'),
      std::floor(fraction * 100), base::format_count(static_cast<std::int64_t>(done)),
      base::format_count(static_cast<std::int64_t>(total)), noun.empty() ? base::tr("iterations") : noun.c_str());
  if (fraction > 0) {
    line += base::tr(", {:.0f} s left", std::ceil(elapsed_s / fraction - elapsed_s));
  }
  return line;
}

Progress::Progress(std::string label, std::uint64_t total, std::string noun)
    : label_(std::move(label)), total_(total), noun_(std::move(noun)), shown_(is_terminal(stderr)) {}

Progress::~Progress() {
  if (drawn_ != Clock::time_point{}) std::fputs(kWipe, stderr);
}

void Progress::update(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - started_ < kMoment || now - drawn_ < kRedraw) return;
  drawn_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - started_).count();
  fmt::print(stderr, "{}{}", kWipe, progress_line(label_, done, total_, elapsed_s, noun_));
  std::fflush(stderr);
}

}  // namespace lanescope::app
