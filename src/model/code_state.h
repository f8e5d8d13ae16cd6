// The program's code beside its run: what its statements cost, which of them is running, and what a person chose.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statement_costs.h"
#include "base/background_job.h"
#include "inspect/locate.h"

namespace lanescope::ui {

class Model;

/// The three figures of a line, in the order of their columns.
enum class CodeFigure : std::uint8_t { Cpu, Wait, Gpu };
inline constexpr std::size_t kCodeFigures = 3;

/// Of a statement, per iteration.
struct LineCost {
  std::array<double, kCodeFigures> ns{};
  double idle_ns = 0;        ///< of the GPU, in bubbles that its calls cause or end too late
  double per_iteration = 0;  ///< how often it runs
  analysis::Place example;

  double host_ns() const { return ns[0] + ns[1]; }
};

/// What lights the lines: 0 is dark, 1 is all of the light.
struct CodeLight {
  enum class Basis : std::uint8_t {
    None,
    Share,    ///< iterations pass too quickly to be followed: each line by its share of the time
    Running,  ///< the line that the program was at last
    Instant,  ///< what is pointed at or selected
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
  /// Less of an iteration than this is not worth a mark.
  static constexpr double kIdleMatters = 0.02;
  /// An iteration that a person sees for longer than this can be followed line by line.
  static constexpr double kFollowedSeconds = 0.7;

  /// What an update wants to know of the window.
  struct Situation {
    bool seen = false;   ///< it is worth looking
    bool still = false;  ///< the view is frozen: what runs now is not what is shown
    bool animation = true;
    double seconds = 0;                  ///< since the last update
    std::optional<Nanoseconds> instant;  ///< pointed at
    std::optional<EventRef> selected;
    std::optional<Nanoseconds> selected_at;  ///< of a bubble
  };
  void update(const Model& model, const Situation& situation, Clock::time_point now);
  /// Nothing is under way afterwards, and nothing is shown: call it before the trace goes.
  void end();
  bool busy() const { return job_.busy(); }
  /// Something moves by itself.
  bool moving(Clock::time_point now) const { return gliding_ || flashing(now) > 0; }

  const workload::Code& code() const { return code_; }
  /// The costs of a line; null while they are not known, and of a line that leaves nothing.
  const LineCost* cost(std::size_t line) const;
  std::int64_t iterations() const { return iterations_; }
  /// A bar's length now, 0 to 1, where 1 is the largest of all figures.
  float bar(std::size_t line, CodeFigure figure) const;
  const CodeLight& light() const { return light_; }
  /// The statement of what is selected.
  std::optional<std::size_t> pointed_to() const { return pointed_to_; }
  /// The statement for which the GPU idles most, where that matters at all.
  std::optional<std::size_t> costliest() const { return costliest_; }
  /// Its part of the time that the program's statements take.
  double share(std::size_t line) const;
  const std::vector<CodeChange>& changed() const { return changed_; }
  float flashing(Clock::time_point now) const;  ///< 1 right after a turn, 0 when it is over

  /// What a click has chosen, and what the mouse is at.
  std::optional<std::size_t> chosen() const;
  void choose(std::optional<std::size_t> line);
  std::optional<std::size_t> hovered;  ///< set in every frame
  std::optional<EventRef> went_to;     ///< the example that a click has selected
  std::optional<std::size_t> in_view;  ///< the line that was scrolled to last
  bool drawn = false;                  ///< in the last frame

 private:
  struct Look {
    std::vector<std::string> keys;
    analysis::StatementCosts costs;
    std::vector<double> idle_ns;  ///< per iteration, of each statement
  };
  static Look look_at(const trace::Trace& trace, std::pair<Nanoseconds, Nanoseconds> stretch, trace::GpuNumber gpu,
                      const workload::Code& code, const base::Stop& stop);

  void take_code(const Model& model, Clock::time_point now);
  void look(const Model& model, Clock::time_point now);
  void light(const Model& model, const Situation& situation);
  std::vector<float> lit_alone(std::optional<std::size_t> line) const;
  void glide(const Situation& situation);

  std::uint64_t generation_ = 0;
  bool begun_ = false;
  std::optional<workload::Settings> settings_;
  workload::Code code_;
  std::vector<std::string> keys_;  // of the lines
  std::vector<CodeChange> changed_;
  Clock::time_point changed_at_{};
  std::map<std::string, LineCost> costs_;  // by the line's key, so that a turn of a knob leaves what it does not touch
  std::int64_t iterations_ = 0;
  double iteration_ns_ = 0, all_host_ns_ = 0;
  double scale_ns_ = 0;
  std::map<std::string, std::array<float, kCodeFigures>> bars_;
  CodeLight light_;
  bool follows_ = false;
  bool gliding_ = false;
  std::optional<std::size_t> pointed_to_, costliest_;
  std::optional<EventRef> located_;  // the selection that pointed_to_ is of
  std::optional<std::size_t> located_at_;
  std::string chosen_;
  bool looked_ = false;
  std::uint64_t looked_at_ = 0;
  Clock::time_point started_{};
  std::optional<std::pair<Nanoseconds, Nanoseconds>> stretch_;
  base::BackgroundJob<Look> job_;
};

}  // namespace lanescope::ui
