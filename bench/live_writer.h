// Events at a constant rate, written by a thread into the run of a real window.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>

#include "experiment/session.h"
#include "synthetic_loop.h"

namespace lanescope::bench {

// Writes at a constant rate on the run's clock, slightly behind the present, like a capture.
class LiveWriter {
 public:
  LiveWriter(session::Session& session, double events_per_second)
      : session_(session), events_per_second_(events_per_second), writer_(session.recorder().open_writer()) {
    writer_->complete_until(session.now_ns());
    thread_ = std::jthread([this](const std::stop_token& stop) { write(stop); });
  }
  /// By the writer only; the run writes, too.
  std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }

 private:
  void write(const std::stop_token& stop) {
    // Another thread of the program, on the same GPU: a second GPU would have an analysis of its own.
    SyntheticLoop loop([&](const trace::LaneInfo& info) { return session_.recorder().lane(info); },
                       [&](std::string_view text) { return session_.recorder().name(text); }, 2, 0, session_.now_ns(),
                       1u << 30);
    // Iterations are slightly shorter than the rate requires; the rest of each is a pause.
    const double each = static_cast<double>(SyntheticLoop::kEventsPerIteration) / events_per_second_ * 1e9;
    double next = static_cast<double>(session_.now_ns());
    while (!stop.stop_requested()) {
      const auto now = static_cast<double>(session_.now_ns());
      for (; next + each < now; next += each) {
        loop.skip_to(static_cast<Nanoseconds>(next));
        loop.iteration([&](const trace::Event& e) { writer_->write(e); });
        writer_->complete_until(loop.now());
        written_.fetch_add(SyntheticLoop::kEventsPerIteration, std::memory_order_relaxed);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    writer_.reset();  // reports that nothing more will come
  }

  session::Session& session_;
  double events_per_second_;
  std::unique_ptr<trace::EventWriter> writer_;
  std::atomic<std::uint64_t> written_{0};
  std::jthread thread_;
};

}  // namespace lanescope::bench
