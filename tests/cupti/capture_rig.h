// Common code of the session's tests: a sink that keeps what is written.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capture/cupti/cupti_capture.h"
#include "trace/sink.h"
#include "until.h"

namespace lanescope::capture::cupti {

class KeepingSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override;
  trace::NameId name(std::string_view text) override;
  std::unique_ptr<trace::EventWriter> open_writer() override;

  std::vector<trace::Event> events() const;
  std::vector<trace::LaneInfo> lanes() const;
  std::string name_of(trace::NameId id) const;
  std::size_t size() const { return written_; }

  std::atomic<bool> stuck{false};    ///< a writer waits until it is false
  std::atomic<bool> waiting{false};  ///< a writer does

 private:
  class Writer;
  mutable std::mutex mutex_;
  std::vector<trace::LaneInfo> lanes_;
  std::vector<std::string> names_;
  std::vector<trace::Event> events_;
  std::atomic<std::size_t> written_{0};
};

std::int64_t monotonic_now_ns();
/// Of 25 calls each, so that many are needed.
CaptureOptions small_buffers();

}  // namespace lanescope::capture::cupti
