// The parts of a session; see cupti_capture.h.
//
//   flusher   makes all CUPTI calls between the start and the end of the subscription; holds no lock
//   decoder   owns the Decoder: completed buffers, rounds, the end
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "capture/cupti/cupti_capture.h"
#include "capture/cupti/decoder.h"
#include "capture/cupti/health.h"
#include "capture/cupti/hub.h"

namespace lanescope::capture::cupti {

// --- subscription ----------------------------------------------------------------------------------------------------
// Starts and ends the use of CUPTI in this process: subscription, settings, activity kinds, filters, callbacks. Each
// successful step pushes its undo step, so that a failed start leaves nothing enabled.

class Subscription {
 public:
  explicit Subscription(const CuptiTable& table) : table_(table) {}

  /// If the result is not Running, nothing is left enabled.
  Verdict start(trace::CaptureLevel level);
  /// Disables callbacks, then activity kinds. Records so far are still delivered.
  void disable();
  /// Undoes the remaining steps and unsubscribes.
  void end();
  /// Drops all undo steps, because CUPTI has shut down by itself.
  void forget() { undo_.clear(); }

  /// The features CUPTI has refused: "OVERHEAD", "open calls".
  const std::vector<std::string>& refused() const { return refused_; }

  /// Only subscribes.
  static CUptiResult subscribe(const CuptiTable& table, CUpti_SubscriberHandle* handle, std::string* incumbent);

 private:
  void unwind(std::size_t down_to);
  void set_up();
  CUptiResult enable_kind(CUpti_ActivityKind kind, const char* name, bool dump);
  bool enable_kinds(trace::CaptureLevel level, CUptiResult* why);
  void filter();
  void enable_callbacks(trace::CaptureLevel level);

  const CuptiTable& table_;
  CUpti_SubscriberHandle handle_ = nullptr;
  std::vector<std::function<void()>> undo_;
  std::size_t recording_ = 0;  // undo_ from this index on stops the recording
  std::vector<std::string> refused_;
};

// --- cupti capture impl ----------------------------------------------------------------------------------------------

class CuptiCapture::Impl final : public Hub::Live, public std::enable_shared_from_this<CuptiCapture::Impl> {
 public:
  Impl(const CuptiTable& table, trace::EventSink& sink, const CaptureOptions& options);

  void start();
  trace::CaptureHealth health() const;
  std::vector<trace::OpenCall> open_calls() const;
  void set_main_thread(std::uint32_t thread) noexcept;
  bool is_main(std::uint32_t thread) const noexcept;  ///< it is or was a main thread: the decoder writes the calls of
                                                      ///< all of them to one lane
  void flush(int limit_ms);
  void stop(std::chrono::milliseconds limit, bool at_exit);
  void stop_at_exit() noexcept override;

 private:
  enum class Phase : std::uint8_t { Refused, Idle, Running, Stopping, Stopped };  // Idle: subscribed, no threads

  Nanoseconds trace_ns() const { return monotonic_ns() - options_.origin_ns; }

  // Flusher.
  void flush_loop();
  void flush_round();
  void wind_up();
  void poll_dropped();

  // Decoder.
  void decode_loop();
  void decode_round();
  void update_main_thread();
  bool was_main(std::uint32_t thread) const noexcept;
  void give_up_decoding(const char* why);

  void start_threads();
  std::string missing_text() const;
  trace::CaptureHealth health_now() const;

  const CuptiTable table_;
  trace::EventSink& sink_;
  const CaptureOptions options_;
  Hub& hub_;
  BufferPool* pool_ = nullptr;
  Counts counts_;
  Subscription subscription_;
  Verdict started_;  // constant after start()
  // In the order of the calls; a program may create its device on one thread and use it on another. 0: not written yet.
  static constexpr std::size_t kMostMainThreads = 64;
  std::array<std::atomic<std::uint32_t>, kMostMainThreads> main_threads_{};
  std::atomic<std::size_t> main_thread_count_{0};
  trace::CaptureHealth final_;  // written before phase_ becomes Stopped
  std::atomic<Phase> phase_{Phase::Refused};

  std::atomic<bool> stop_asked_{false}, at_exit_{false};
  std::atomic<std::uint64_t> flush_asked_{0};  // tickets
  std::atomic<std::uint64_t> flush_done_{0};   // the newest ticket served by a completed flush
  std::atomic<std::int64_t> asked_ns_{0};      // trace time at which that flush began
  std::atomic<double> interval_ms_{0};
  Watch watch_;  // flusher thread

  std::unique_ptr<Decoder> decoder_;
  std::int64_t asked_before_ns_ = 0;    // decoder thread
  std::size_t main_threads_seen_ = 0;   // decoder thread
  std::uint32_t main_thread_seen_ = 0;  // decoder thread
  std::atomic<bool> decoding_failed_{false};
  std::string decoding_problem_;  // written before decoding_failed_
  std::atomic<bool> end_decoding_{false};

  std::mutex progress_mutex_;  // never held during a CUPTI call
  std::condition_variable progress_;
  std::uint64_t flush_written_ = 0;  // the newest ticket whose round the decoder has written
  bool wound_up_ = false;            // the flusher has finished

  std::atomic<bool> stop_begun_{false};
  std::thread flusher_, decoder_thread_;

  mutable std::mutex names_mutex_;
  mutable std::map<std::uint32_t, trace::LaneId> lanes_;                            // by thread
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, trace::NameId> names_;  // by domain and function
};

}  // namespace lanescope::capture::cupti
