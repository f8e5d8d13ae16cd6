// How far the reading of a file has come: written by the thread that reads, looked at by any other, which may also stop
// it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.h"

namespace lanescope::io {

enum class ReadStage : std::uint8_t {
  Reading,    ///< `done` and `total` are bytes of the file, as they lie on the disk
  Arranging,  ///< the events go into the trace: `done` and `total` are events
};

struct ReadProgress {
  std::atomic<ReadStage> stage{ReadStage::Reading};
  std::atomic<std::uint64_t> done{0}, total{0};  ///< of the stage; total 0: not known (a pipe)
  std::atomic<std::uint64_t> events{0};          ///< found so far
  std::atomic<bool> cancelled{false};            ///< set it to stop: the reading ends with Cancelled within a moment
};

/// What reading throws when it was stopped.
class Cancelled : public base::Error {
 public:
  using base::Error::Error;
};

/// For long loops and the comparisons of a sort: throws Cancelled soon after the reading was stopped. Of one thread.
class StopCheck {
 public:
  explicit StopCheck(const ReadProgress& progress) : progress_(progress) {}
  void operator()() {
    if (++calls_ % kEvery == 0) now();
  }
  void now() const {
    if (progress_.cancelled.load(std::memory_order_relaxed)) throw Cancelled("");
  }

 private:
  static constexpr std::uint32_t kEvery = 16'384;  // well under a millisecond
  const ReadProgress& progress_;
  std::uint32_t calls_ = 0;
};

}  // namespace lanescope::io
