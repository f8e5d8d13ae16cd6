// The program's code next to its run: what its statements cost, which one is running, and what the user chose.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/code_costs.h"
#include "base/background_job.h"
#include "inspect/locate.h"
#include "model/code/user_files.h"

namespace lanescope::ui {

class Model;

/// The three figures of a line, in the order of their columns.
enum class CodeFigure : std::uint8_t { Cpu, Wait, Gpu };
inline constexpr std::size_t kCodeFigures = 3;

/// The cost of a statement per iteration; in a program of the user's, of a line, see CodeState::per_second().
struct LineCost {
  std::array<double, kCodeFigures> ns{};
  double idle_ns = 0;        ///< GPU idle time, in bubbles that the statement's calls cause or end too late
  double per_iteration = 0;  ///< how often it runs; in a program of the user's, how many calls it makes
  analysis::Place example;

  double host_ns() const { return ns[0] + ns[1]; }
};

/// A source file of the user's program.
struct UserFile {
  std::string path;            ///< as recorded
  Nanoseconds waiting_ns = 0;  ///< of its lines, in the stretch that the figures are of
  bool library = false;
};

/// How brightly each line is lit, from 0 (dark) to 1 (full), and on what basis.
struct CodeLight {
  enum class Basis : std::uint8_t {
    None,
    Share,    ///< iterations pass too quickly to follow: each line is lit by its share of the time
    Running,  ///< the line that the program reached last
    Instant,  ///< the line at the hovered instant, or of the selection
  };
  Basis basis = Basis::None;
  std::vector<float> lines;
};

class CodeState {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenLooks{500};
  static constexpr std::chrono::milliseconds kFlash{1600};
  static constexpr std::int64_t kMostLiveEvents = 50'000;
  /// GPU idle time below this share of an iteration is not marked.
  static constexpr double kIdleMatters = 0.02;
  /// An iteration that lasts longer than this on screen can be followed line by line.
  static constexpr double kFollowedSeconds = 0.7;

  /// What update() needs to know about the window.
  struct Situation {
    bool seen = false;   ///< the code is visible, so results are worth computing
    bool still = false;  ///< the view is frozen: it does not show what is running now
    bool animation = true;
    double seconds = 0;                  ///< since the last update
    std::optional<Nanoseconds> instant;  ///< under the mouse
    std::optional<EventRef> selected;
    std::optional<Nanoseconds> selected_at;  ///< for a selected bubble
  };
  void update(const Model& model, const Situation& situation, Clock::time_point now);
  /// Forgets everything but where files are.
  void end();
  bool busy() const { return job_.busy(); }
  /// Whether an animation is in progress.
  bool moving(Clock::time_point now) const { return gliding_ || flashing(now) > 0; }

  const workload::Code& code() const { return code_; }
  /// The loop that the code is of; empty as long as there is no code.
  struct Loop {
    std::string workload;
    workload::Settings settings;
    bool on_cpu = false;  ///< its tensors are on the CPU
  };
  const std::optional<Loop>& loop() const { return loop_; }

  // The user's own program, while one is watched: instead of a loop, one of its source files.
  /// The files, found by their recorded paths. Set the folders that have moved before update().
  UserFiles files;
  bool of_user() const { return of_user_; }
  /// The path of the file, as recorded; empty: none has been seen yet.
  const std::string& file() const { return file_; }
  /// Files with lines that make calls: those that wait most come first, libraries last.
  const std::vector<UserFile>& user_files() const { return user_files_; }
  /// Shows this file; brings the line (from 1; 0: none) into view.
  void show_file(const std::string& recorded, std::uint32_t line);
  /// The figures are per second: no loop has been found.
  bool per_second() const { return line_costs_.per == analysis::LineCosts::Per::Second; }
  /// Of the stretch, nothing but waits was recorded.
  bool only_waits() const { return !line_costs_.empty() && line_costs_.recorded_ns == 0; }
  /// The line of the file, from 0, that the calls of this stack come from.
  std::optional<std::size_t> line_of_site(std::uint32_t site) const;
  /// The costs of a line; null while they are not known, and for a line that leaves no events.
  const LineCost* cost(std::size_t line) const;
  std::int64_t iterations() const { return iterations_; }
  /// A bar's length now, 0 to 1, where 1 is the largest of all figures.
  float bar(std::size_t line, CodeFigure figure) const;
  const CodeLight& light() const { return light_; }
  /// The statement that the selected event belongs to.
  std::optional<std::size_t> pointed_to() const { return pointed_to_; }
  /// The statement that makes the GPU idle most, if that is a significant share of an iteration.
  std::optional<std::size_t> costliest() const { return costliest_; }
  /// The line's share of the CPU time of all statements.
  double share(std::size_t line) const;
  const std::vector<CodeChange>& changed() const { return changed_; }
  float flashing(Clock::time_point now) const;  ///< 1 right after a knob was turned, 0 when the flash is over

  /// The clicked line; `hovered` is the line under the mouse.
  std::optional<std::size_t> chosen() const;
  void choose(std::optional<std::size_t> line);
  std::optional<std::size_t> hovered;    ///< set in every frame
  std::optional<EventRef> went_to;       ///< the example that a click selected
  std::optional<std::size_t> in_view;    ///< the line that was scrolled to last
  std::optional<std::size_t> scroll_to;  ///< the line to be brought into view
  bool drawn = false;                    ///< in the last frame

 private:
  struct Findings {
    std::vector<std::string> keys;
    analysis::StatementCosts costs;
    std::vector<double> idle_ns;  ///< per iteration, of each statement
    // Of a program of the user's.
    analysis::LineCosts lines;
    std::map<std::uint32_t, double> idle_of_site;  ///< per iteration
  };
  static Findings look_at(const trace::Trace& trace, std::pair<Nanoseconds, Nanoseconds> stretch, trace::GpuNumber gpu,
                          const workload::Code& code, const base::Stop& stop);

  static Findings look_at_lines(const trace::Trace& trace, std::pair<Nanoseconds, Nanoseconds> stretch,
                                analysis::LineCosts::Per per, trace::GpuNumber gpu, const base::Stop& stop);

  void update_user(const Model& model, const Situation& situation, Clock::time_point now);
  void take_lines(const Model& model, Findings look);
  void choose_file(const Model& model, const Situation& situation);
  void show_lines(const Model& model);
  void cost_lines(const Model& model);
  void look_user(const Model& model, Clock::time_point now);
  std::optional<std::size_t> line_at(const Model& model, Nanoseconds t) const;
  std::optional<std::size_t> running_line(const Model& model) const;
  void find_costliest();
  void take_code(const Model& model, Clock::time_point now);
  void look(const Model& model, Clock::time_point now);
  void light(const Model& model, const Situation& situation);
  std::vector<float> lit_alone(std::optional<std::size_t> line) const;
  void glide(const Situation& situation);

  std::uint64_t generation_ = 0;
  std::optional<Loop> loop_;
  workload::Code code_;
  std::vector<std::string> keys_;  // of the lines
  std::vector<CodeChange> changed_;
  Clock::time_point changed_at_{};
  std::map<std::string, LineCost> costs_;  // by the line's key: turning a knob keeps the costs of unchanged lines
  std::int64_t iterations_ = 0;
  double iteration_ns_ = 0, all_host_ns_ = 0;
  double scale_ns_ = 0;
  std::map<std::string, std::array<float, kCodeFigures>> bars_;
  CodeLight light_;
  bool follows_ = false;
  bool gliding_ = false;
  std::optional<std::size_t> pointed_to_, costliest_;
  std::optional<EventRef> located_;  // the selection that pointed_to_ was found for
  std::optional<std::size_t> located_at_;
  std::string chosen_;
  bool looked_ = false;
  std::uint64_t looked_at_ = 0;
  Clock::time_point started_{};
  std::optional<std::pair<Nanoseconds, Nanoseconds>> stretch_;
  // The user's own program.
  bool of_user_ = false;
  std::string file_, shown_file_;
  trace::NameId file_id_ = 0;
  std::uint32_t wanted_line_ = 0;
  std::vector<UserFile> user_files_;
  analysis::LineCosts line_costs_;
  std::map<std::uint32_t, double> idle_of_site_;
  std::optional<EventRef> followed_;         // the selection that the file was last chosen for
  std::vector<std::uint32_t> line_of_site_;  // from 1; by site - 1
  base::BackgroundJob<Findings> job_;
};

}  // namespace lanescope::ui
