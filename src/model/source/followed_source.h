// A program that something else records while it runs: a recorder on this machine, or one on another machine whose file
// is copied here. What is shown is what the session file has so far.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "attach/recordings.h"
#include "io/session_file.h"
#include "model/source/source.h"

namespace lanescope::ui {

/// What is followed.
struct Followed {
  std::filesystem::path file;
  std::string title;                              ///< the command, without folders
  pid_t recorder = 0;                             ///< on this machine; 0: elsewhere
  std::shared_ptr<attach::RemoteProgram> remote;  ///< null: on this machine
  std::size_t memory_bytes = std::size_t{2} << 30;
};
Followed followed(const attach::Recording& recording);
Followed followed(std::shared_ptr<attach::RemoteProgram> remote);

class FollowedSource final : public Source, private Growth, private CaptureMonitor {
 public:
  /// Throws base::FileError if the file of a recorder on this machine cannot be opened.
  explicit FollowedSource(Followed what);
  ~FollowedSource() override;

  const trace::Trace& trace() const override { return follower_->trace(); }
  io::RunFacts facts() const override;
  std::string title() const override { return what_.title; }
  device::DeviceInfo device() const override;
  SourceWords words() const override;
  bool own() const override { return false; }

  Growth* growth() override { return this; }
  CaptureMonitor* capture_monitor() override { return this; }

 private:
  void start() override;
  /// The program and its recording go on.
  void end() override;
  bool running() const override { return running_.load(std::memory_order_acquire); }
  Nanoseconds live_edge_ns() const override { return trace().complete_until(); }
  Nanoseconds now_ns() const override;
  std::optional<RunNotice> notice() const override { return std::nullopt; }
  void set_memory_cap(std::size_t bytes) override { follower_->trace().set_memory_cap_bytes(bytes); }

  trace::CaptureHealth health() const override;
  double recorder_latency_ms() const override { return 0; }
  std::string no_gpu() const override { return {}; }

  void follow();
  void note_step();
  /// Whoever writes the file has gone, and nothing more has come for a while.
  bool given_up();
  /// What keeps the picture from growing; empty: nothing does.
  std::string trouble() const;

  Followed what_;
  std::unique_ptr<io::SessionFollower> follower_;
  std::thread thread_;
  std::atomic<bool> running_{false}, stop_{false};
  std::atomic<Nanoseconds> present_offset_ns_{std::numeric_limits<Nanoseconds>::max()};  // this clock - the trace's
  Nanoseconds quiet_since_ns_ = 0;                                                       // the thread's
  mutable std::mutex mutex_;
  std::string failure_;
};

}  // namespace lanescope::ui
