// The source that the window shows (source.h), with its analysis.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/account.h"
#include "io/chrome_trace.h"
#include "model/capture_text.h"
#include "model/read_file.h"
#include "model/source.h"

namespace lanescope::ui {

class Model {
 public:
  Model();
  /// Shows what the recipe makes; throws base::Error, and then nothing has changed. Where only one of the old source
  /// and the new one can exist, the old one ends first: when the new one then fails, the old one starts again.
  void start(const Recipe& recipe);
  void start_run(const session::SessionOptions& options);
  /// What starts the source again, or a run where there is nothing; empty: it cannot be started again.
  std::optional<Recipe> restart() const;
  bool can_restart() const { return source().restarting() || nothing(); }
  /// Shows a source whose trace grows, and starts it.
  void show(std::unique_ptr<Source> source);
  /// Shows a file; throws base::FileError, and then nothing has changed. It waits for the file: a window, which must
  /// go on drawing, reads it through Opening and then shows it.
  void open_file(const std::filesystem::path& path) { show(read_file(path)); }
  /// Shows what has been read; takes no longer for a long trace than for a short one.
  void show(ReadFile file);

  /// Once per frame: reads what is new.
  void update();

  Source& source() { return *source_; }
  const Source& source() const { return *source_; }
  Steering* steering() { return source_->steering(); }
  const Steering* steering() const { return source().steering(); }
  /// The trace grows, or has grown before the window's eyes.
  bool live() const { return source().growth() != nullptr; }
  /// It will grow on, unless it is paused.
  bool running() const { return live() && source().growth()->running(); }
  /// Neither a run nor a file: the program was started with a file that is not there yet, or could not be read.
  bool nothing() const { return nothing_; }
  void show_nothing();
  const trace::Trace& trace() const { return source().trace(); }
  const analysis::LiveAnalysis& analysis() const { return *analysis_; }
  /// Changes with every run or file: whatever points into a trace is void then.
  std::uint64_t generation() const { return generation_; }

  /// The newest instant that is known and reached.
  Nanoseconds live_edge() const { return live_edge_; }
  /// From the first event to the live edge.
  std::pair<Nanoseconds, Nanoseconds> extent() const;
  bool paused() const { return source().pausing() && source().pausing()->paused(); }
  void set_paused(bool paused);
  /// Virtual time per wall time; a device in real time knows no other than 1.
  double speed() const { return virtual_time() ? source().virtual_clock()->speed() : 1; }
  void set_speed(double speed);
  bool virtual_time() const { return source().virtual_clock() != nullptr; }
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
  const analysis::Summary& recent() const { return recent_.summary; }
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
  /// Of the settings that it led to; 0 when no knob was turned.
  std::uint32_t last_turn_version() const;

  /// What the figures and the cards have to know of what is shown besides its trace.
  analysis::RunConditions conditions() const;

  /// A run like the source: its workload, its device, its speed, and the settings that a person changed. A file's
  /// workload and settings are taken on the last device.
  session::SessionOptions options_now() const;
  /// What options_now() builds on while there has been no run yet.
  void set_first_options(const session::SessionOptions& options) { last_options_ = options; }

  /// The language has changed: what is kept in words is said again.
  void say_again();

  io::RunFacts facts() const { return source().facts(); }
  std::string title() const { return source().title(); }  ///< to be translated

 private:
  void discard_shown();
  void start_after_the_old(const Recipe& recipe);
  void begin_generation(std::unique_ptr<analysis::LiveAnalysis> analysis = nullptr);
  bool settings_await_their_marker() const;
  void summarise();
  Nanoseconds seen_ns(double seconds) const { return static_cast<Nanoseconds>(seconds * speed() * 1e9); }
  void read_capture();

  std::unique_ptr<Source> source_;  // never null
  bool nothing_ = true;
  session::SessionOptions last_options_;  // of the newest run that was started, or of the program's start
  std::optional<Recipe> failed_;          // neither it nor the old source could be started
  io::RunFacts facts_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
  std::uint64_t generation_ = 0;
  Nanoseconds live_edge_ = 0, now_ = 0;
  std::vector<trace::OpenCall> open_calls_;
  CaptureFacts capture_;
  std::string start_error_;  // why not
  analysis::Recent recent_;
  analysis::Summary before_change_;
  std::uint64_t recent_number_ = 0;
  std::int64_t recent_stale_reads_ = 0;
  std::size_t markers_seen_ = 0, turn_begins_ = 0;  // the latter: the number of the turn's first marker
  std::chrono::steady_clock::time_point summarised_{}, turned_{};
  std::vector<std::future<void>> discarding_;  // a long trace takes a while to give its memory back
};

}  // namespace lanescope::ui
