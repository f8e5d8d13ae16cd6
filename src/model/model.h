// The source that the window shows (source.h), with its analysis.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/account.h"
#include "io/reading.h"
#include "model/details/recent_figures.h"
#include "model/source/capture_text.h"
#include "model/source/read_file.h"
#include "model/source/source.h"

namespace lanescope::ui {

class Model {
 public:
  Model();
  /// Ends what is shown, and waits for all work in the background: a file that is being written is written to its end.
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  /// Shows the source that the recipe makes. Throws base::Error, and then nothing has changed. If the old and the new
  /// source cannot exist at the same time, the old one ends first, and starts again if the new one fails.
  void start(const Recipe& recipe);
  void start_run(const session::SessionOptions& options);
  /// A recipe that starts the source again, or a run if nothing is shown; empty if the source cannot be started again.
  std::optional<Recipe> restart() const;
  bool can_restart() const { return source().restarting() || nothing(); }
  /// Shows a source whose trace grows, and starts it.
  void show(std::unique_ptr<Source> source);
  /// Shows a file; throws base::FileError, and then nothing has changed. Blocks until the file is read: a window, which
  /// must keep drawing, reads the file through Opening and then shows it.
  void open_file(const std::filesystem::path& path) { show(read_files({path})); }
  /// Shows a file that has been read; takes no longer for a long trace than for a short one.
  void show(ReadFile file);

  /// Once per frame: reads new events.
  void update();

  Source& source() { return *shown_->source; }
  const Source& source() const { return *shown_->source; }
  Steering* steering() { return source().steering(); }
  const Steering* steering() const { return source().steering(); }
  /// The trace is growing, or has grown while the window showed it.
  bool live() const { return source().growth() != nullptr; }
  /// The trace will keep growing unless the run is paused.
  bool running() const { return live() && source().growth()->running(); }
  /// Calls have the stacks of the user's own program, whether it is watched or was recorded.
  bool has_users_code() const { return source().watching() || trace().sites().size() > 0; }
  /// Neither a run nor a file is shown: the program was started with a file that is not there yet or could not be read.
  bool nothing() const { return nothing_; }
  void show_nothing();
  const trace::Trace& trace() const { return source().trace(); }
  /// For work in the background: it keeps the trace, whatever is shown meanwhile.
  trace::SharedTrace shared_trace() const { return {shown_, &trace()}; }
  const analysis::LiveAnalysis& analysis() const { return *shown_->analysis; }
  /// The same, of a trace that does not grow.
  std::shared_ptr<const analysis::LiveAnalysis> shared_analysis() const { return {shown_, shown_->analysis.get()}; }
  /// Changes with every run or file: references into the old trace are then invalid.
  std::uint64_t generation() const { return generation_; }

  /// The newest instant up to which all events are known and analysed.
  Nanoseconds live_edge() const { return live_edge_; }
  /// From the first event to the live edge.
  std::pair<Nanoseconds, Nanoseconds> extent() const;
  bool paused() const { return steering() && steering()->paused(); }
  void set_paused(bool paused);
  /// Virtual time per wall time; always 1 on a device in real time.
  double speed() const { return virtual_time() ? steering()->speed() : 1; }
  void set_speed(double speed);
  /// How much memory the events of this run and of later ones may take up.
  void set_memory_cap(std::size_t bytes);
  bool virtual_time() const { return steering() && steering()->virtual_time(); }
  /// The clock of a device in real time; otherwise the live edge.
  Nanoseconds now() const { return now_; }
  /// Calls still in progress; only on devices in real time.
  const std::vector<trace::OpenCall>& open_calls() const { return open_calls_; }
  const CaptureFacts& capture() const { return capture_; }
  /// Why the run is over, if it failed.
  std::optional<RunNotice> notice() const;
  bool simulated() const { return facts_.simulated; }
  /// Sets a knob. Returns why the value was refused; empty on success.
  std::string set(std::string_view key, const workload::Value& value);
  /// Several knobs ("key=value") as one turn.
  std::string assign(const std::vector<std::string>& assignments);

  /// The figures of the latest stretch, everything on the screen: see RecentFigures.
  const analysis::Summary& recent() const { return figures_.recent(); }
  /// recent() describes the current settings: it began after the last turn of a knob had taken effect, and after the
  /// one iteration that sets up what the new settings need.
  bool recent_is_current() const;
  /// Changes with every new recent().
  std::uint64_t recent_number() const { return figures_.number(); }
  /// What recent() leaves out of an opened trace, if it has iterations.
  const std::optional<analysis::Once>& once() const { return once_; }
  /// How many reads in recent() were of memory into which a copy had not ended.
  std::int64_t recent_stale_reads() const { return recent_stale_reads_; }
  /// The figures of the stretch before the last turn of a knob; empty window if none was turned.
  const analysis::Summary& before_change() const { return figures_.before_turn(); }
  /// The batch sizes of before_change() and recent(); 0: not known.
  double batch_before() const { return figures_.batch_before(); }
  double batch_now() const { return figures_.batch_now(); }
  /// The last turn of one or more knobs: "log interval 1 → 100"; empty if none was turned.
  std::string last_turn() const;
  /// The version of the settings after that turn; 0 if no knob was turned.
  std::uint32_t last_turn_version() const;

  /// Facts that the figures and cards need in addition to the trace.
  analysis::RunConditions conditions() const;

  /// Options for a run like the source: its workload, device, speed, and the settings that the user changed. For a
  /// file, its workload and settings, on the last device.
  session::SessionOptions options_now() const;
  /// Sets the options that options_now() builds on while there has been no run yet.
  void set_first_options(const session::SessionOptions& options) { last_options_ = options; }

  /// The language has changed: renews the texts that are kept.
  void say_again();

  io::RunFacts facts() const { return source().facts(); }
  std::string title() const { return source().title(); }  ///< to be translated

 private:
  /// Owned by the model and by the works that read the trace. The model ends the source, whatever is still read of it;
  /// the last owner frees it.
  struct Shown {
    std::unique_ptr<Source> source;
    std::unique_ptr<analysis::LiveAnalysis> analysis;  // destroyed before its trace
  };

  static void free_aside(const Shown* shown) noexcept;
  void start_after_the_old(const Recipe& recipe);
  void replace(std::unique_ptr<Source> source, std::unique_ptr<analysis::LiveAnalysis> analysis);
  bool settings_await_their_marker() const;
  void summarise();
  Nanoseconds seen_ns(double seconds) const { return static_cast<Nanoseconds>(seconds * speed() * 1e9); }
  void read_capture();

  std::shared_ptr<Shown> shown_;  // never null
  bool nothing_ = true;
  session::SessionOptions last_options_;  // of the newest run, or from the program's start
  std::optional<Recipe> failed_;          // neither this recipe nor the old source could be started
  io::RunFacts facts_;
  std::uint64_t generation_ = 0;
  Nanoseconds live_edge_ = 0, now_ = 0;
  std::vector<trace::OpenCall> open_calls_;
  CaptureFacts capture_;
  std::string start_error_;  // why the recipe failed
  RecentFigures figures_;
  std::int64_t period_ = 1;  // of the loop with the settings in force, and their batch size
  double batch_ = 0;
  std::optional<analysis::Once> once_;
  std::int64_t recent_stale_reads_ = 0;
  std::chrono::steady_clock::time_point summarised_{};
};

}  // namespace lanescope::ui
