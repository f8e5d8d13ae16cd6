// What the window shows: a live run or an opened file, with its analysis.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "io/chrome_trace.h"
#include "session/session.h"
#include "ui/capture_text.h"
#include "ui/read_file.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Model {
 public:
  /// Starts a run; throws what session::Session throws, and then nothing has changed. From one GPU to another the old
  /// run must end first, since only one can be captured: when the new one then fails, the old one starts again.
  void start_run(const session::SessionOptions& options);
  /// Shows a file instead; throws base::FileError, and then nothing has changed. It waits for the file: a window that
  /// must go on drawing reads it through Opening, and then shows it.
  void open_file(const std::filesystem::path& path) { show(read_file(path)); }
  /// The same with a run that travels with the program.
  void open_recorded(const RecordedCapture& capture) { show(read_recorded(capture)); }
  /// Shows what has been read; costs no more for a long trace than for a short one.
  void show(ReadFile file);

  /// Once per frame: reads what is new.
  void update();

  bool live() const { return session_ != nullptr; }
  /// Neither a run nor a file: the program was started with a file that is not there yet, or could not be read.
  bool nothing() const { return !live() && file_.empty() && trace().lane_count() == 0; }
  void show_nothing();
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
  /// Virtual time per wall time; a device in real time knows no other than 1.
  double speed() const { return virtual_time() ? session_->pacer().speed() : 1; }
  void set_speed(double speed);
  bool virtual_time() const { return session_ && session_->device().virtual_time; }
  /// The clock of a device in real time; of others, the live edge.
  Nanoseconds now() const { return now_; }
  /// Calls that last, of devices in real time.
  const std::vector<trace::OpenCall>& open_calls() const { return open_calls_; }
  const CaptureFacts& capture() const { return capture_; }
  /// Why the run is over, when it failed.
  std::optional<RunNotice> notice() const;
  bool simulated() const { return facts_.simulated; }
  /// Sets a knob; an impossible value is refused with the reason in the return.
  std::string set(std::string_view key, const workload::Value& value);
  /// Several knobs ("key=value") as one turn.
  std::string assign(const std::vector<std::string>& assignments);

  /// The latest stretch: since the last knob was turned (without the first iteration then), and at most about the last
  /// second a person saw.
  const analysis::Summary& recent() const { return recent_; }
  /// recent() is of the settings as they are now: it began after the last turn of a knob had taken effect, and after
  /// the one iteration that sets up what they need.
  bool recent_is_current() const;
  /// As recent(), over the last `seconds` that a person saw. A loop that reads rarely needs more than one: a stretch
  /// should have many of its reads.
  analysis::Summary recent_over(double seconds) const;
  /// Changes with every new recent().
  std::uint64_t recent_number() const { return recent_number_; }
  /// The reads in recent() of memory into which a copy had not ended.
  std::int64_t recent_stale_reads() const { return recent_stale_reads_; }
  /// The stretch before the last knob was turned; empty window when no knob was.
  const analysis::Summary& before_change() const { return before_change_; }
  /// What was turned then, as one turn: "log interval 1 → 100"; empty when no knob was.
  std::string last_turn() const;

  /// What starts this run again: its device, its workload, its speed, and the settings that a person changed. The
  /// others are the defaults of whatever device it will be. Of a file: its workload and settings, on the last device.
  session::SessionOptions options_now() const;
  /// What options_now() builds on while there has been no run yet.
  void set_first_options(const session::SessionOptions& options) { last_options_ = options; }

  /// The language has changed: what is kept in words is said again.
  void say_again();

  io::RunFacts facts() const;
  std::string title() const;  ///< the workload's, to be translated; or the file's name
  const std::filesystem::path& file() const { return file_; }
  const io::OpenedTrace& opened() const { return opened_; }
  /// The device that is looked at: of a recorded run its id is "recorded:NAME", of another file it is empty.
  device::DeviceInfo shown_device() const;

 private:
  void take(std::unique_ptr<session::Session> session);
  void discard_shown();
  void start_after_the_old(const session::SessionOptions& options);
  void begin_generation(std::unique_ptr<analysis::LiveAnalysis> analysis = nullptr);
  void note_change(const workload::Settings& before);
  void summarise();
  /// Where the CPU runs ahead and waits only now and then, a stretch says how long an iteration takes only if it begins
  /// and ends right after such a wait: the figures of the stretch that the pace is of.
  analysis::Summary of_its_pace(analysis::Summary summary) const;
  void read_capture();

  std::unique_ptr<session::Session> session_;
  io::OpenedTrace opened_;
  std::filesystem::path file_;
  std::string file_title_;
  session::SessionOptions last_options_;  // of the newest run that was started, or of the program's start
  io::RunFacts facts_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
  std::uint64_t generation_ = 0;
  Nanoseconds live_edge_ = 0, now_ = 0;
  std::vector<trace::OpenCall> open_calls_;
  CaptureFacts capture_;
  std::string start_error_;  // neither the new run nor the old one could be started
  analysis::Summary recent_, before_change_;
  std::uint64_t recent_number_ = 0;
  std::int64_t recent_stale_reads_ = 0;
  bool recent_settled_ = false;
  Nanoseconds settled_from_ = 0;                    // where the stretch of the present settings begins
  std::optional<Nanoseconds> awaited_from_;         // a knob was turned then, and its marker has not come
  workload::Settings in_force_;                     // what held before that
  std::size_t markers_seen_ = 0, turn_begins_ = 0;  // the latter: the number of the turn's first marker
  std::chrono::steady_clock::time_point summarised_{}, turned_{};
  std::vector<std::future<void>> discarding_;  // a long trace takes a while to give its memory back
};

}  // namespace lanescope::ui
