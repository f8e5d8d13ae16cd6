// The start and the end of CUPTI in this process: subscription, settings, activity kinds, filters, callbacks. Each step
// that succeeds pushes its inverse, so that a start which fails half-way leaves nothing behind.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capture/cupti/health.h"
#include "capture/cupti/session.h"

namespace lanescope::capture::cupti {

class Subscription {
 public:
  explicit Subscription(const CuptiTable& table) : table_(table) {}

  /// Anything but Running: nothing is left enabled.
  Verdict start(Level level);
  /// Callbacks, then kinds. What has been recorded is still delivered.
  void disable();
  /// The rest, and the subscription itself.
  void end();
  /// Forgets all of it: CUPTI has ended by itself.
  void forget() { undo_.clear(); }

  /// What is missing: "OVERHEAD", "open calls".
  const std::vector<std::string>& refused() const { return refused_; }

  /// Subscribes and nothing else.
  static CUptiResult subscribe(const CuptiTable& table, CUpti_SubscriberHandle* handle, std::string* incumbent);

 private:
  void unwind(std::size_t down_to);
  void set_up();
  CUptiResult enable_kind(CUpti_ActivityKind kind, const char* name, bool dump);
  bool enable_kinds(Level level, CUptiResult* why);
  void filter();
  void enable_callbacks(Level level);

  const CuptiTable& table_;
  CUpti_SubscriberHandle handle_ = nullptr;
  std::vector<std::function<void()>> undo_;
  std::size_t recording_ = 0;  // undo_ from here on: what stops the recording
  std::vector<std::string> refused_;
};

}  // namespace lanescope::capture::cupti
