// A progress bar on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lanescope::app {

/// Draws nothing if standard error is not a terminal. The bar is erased when done.
class Progress {
 public:
  Progress(std::string label, std::uint64_t total, std::string noun = {});  ///< "iterations" by default
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string label_;
  const std::uint64_t total_;
  const std::string noun_;
  const bool shown_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_{};
};

/// The text of the bar: "linear-mse  [######......]  50 %  500,000 of 1,000,000 iterations, 2 s left".
std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, double elapsed_s,
                          const std::string& noun = {});

}  // namespace lanescope::app
