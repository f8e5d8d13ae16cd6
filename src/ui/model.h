// What the window shows: a live run or an opened file, with its analysis.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "analysis/live_analysis.h"
#include "io/chrome_trace.h"
#include "session/session.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Model {
 public:
  /// Starts a run; throws what session::Session throws, and then nothing has changed.
  void start_run(const session::SessionOptions& options);
  /// Shows a file instead; throws base::FileError, and then nothing has changed.
  void open_file(const std::filesystem::path& path);

  /// Once per frame: reads what is new.
  void update();

  bool live() const { return session_ != nullptr; }
  session::Session* session() { return session_.get(); }
  const session::Session* session() const { return session_.get(); }
  const trace::Trace& trace() const { return session_ ? session_->trace() : *opened_.trace; }
  const analysis::LiveAnalysis& analysis() const { return *analysis_; }
  /// Changes with every run or file: whatever points into a trace is void then.
  std::uint64_t generation() const { return generation_; }

  /// The newest instant that is known and reached.
  Nanoseconds live_edge() const { return live_edge_; }
  /// From the first event to the live edge.
  std::pair<Nanoseconds, Nanoseconds> extent() const;
  bool paused() const { return session_ && session_->pacer().paused(); }
  void set_paused(bool paused);
  double speed() const { return session_ ? session_->pacer().speed() : 1; }
  void set_speed(double speed);
  bool simulated() const { return facts_.simulated; }
  /// Sets a knob; an impossible value is refused with the reason in the return.
  std::string set(std::string_view key, const workload::Value& value);

  /// The latest stretch: since the last knob was turned, and at most about the last second a person saw.
  const analysis::Summary& recent() const { return recent_; }
  /// The stretch before the last knob was turned; empty window when no knob was.
  const analysis::Summary& before_change() const { return before_change_; }

  io::RunFacts facts() const;
  std::string title() const;  ///< the experiment's, or the file's name
  const std::filesystem::path& file() const { return file_; }
  const io::OpenedTrace& opened() const { return opened_; }

 private:
  void begin_generation();
  void summarise();

  std::unique_ptr<session::Session> session_;
  io::OpenedTrace opened_;
  std::filesystem::path file_;
  io::RunFacts facts_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
  std::uint64_t generation_ = 0;
  Nanoseconds live_edge_ = 0;
  analysis::Summary recent_, before_change_;
  std::size_t markers_seen_ = 0;
  std::chrono::steady_clock::time_point summarised_{}, turned_{};
};

}  // namespace lanescope::ui
