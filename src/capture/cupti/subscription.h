// Starts and ends the use of CUPTI in this process: subscription, settings, activity kinds, filters, callbacks. Each
// successful step pushes its undo step, so that a failed start leaves nothing enabled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capture/cupti/cupti_capture.h"
#include "capture/cupti/health.h"

namespace lanescope::capture::cupti {

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

}  // namespace lanescope::capture::cupti
