// The progress of reading a file: written by the reading thread, readable by any other, which can also stop it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.h"
#include "io/first_picture.h"

namespace lanescope::io {

enum class ReadStage : std::uint8_t {
  Reading,    ///< `done` and `total` are bytes of the file on disk
  Arranging,  ///< events are put into the trace: `done` and `total` are events
};

struct ReadProgress {
  std::atomic<ReadStage> stage{ReadStage::Reading};
  std::atomic<std::uint64_t> done{0}, total{0};  ///< of the stage; total 0: unknown (a pipe)
  std::atomic<std::uint64_t> events{0};          ///< found so far
  FirstPicture picture;
  std::atomic<bool> cancelled{false};  ///< set it to stop: reading soon throws Cancelled
};

/// Thrown when reading was stopped.
class Cancelled : public base::Error {
 public:
  using base::Error::Error;
};

/// For long loops and the comparisons of a sort: throws Cancelled soon after a stop was requested. For one thread.
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
