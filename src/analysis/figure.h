// The figures of a stretch, each described in one row. Tables, JSON, pages, panels, plots, sweeps and lists are loops
// over these rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"

namespace lanescope::analysis {

enum class FigureUnit : std::uint8_t { Time, Count, Bytes, GigabytesPerSecond, Number };

/// What a figure is divided by.
enum class FigureOf : std::uint8_t {
  Cpu,  ///< the window and its iterations
  Gpu,  ///< what was recorded of the GPU (Summary::gpu_window_ns, Summary::gpu_iterations)
};

enum class FigureForm : std::uint8_t {
  Total,         ///< nanoseconds, a number, bytes
  Share,         ///< of the time, 0 to 1
  PerIteration,  ///< nanoseconds, a number, bytes
};

enum class FigureGroup : std::uint8_t { Gpu, Idle, Cpu, Calls, Copies };

enum class FigureShown : std::uint8_t {
  Always,
  IfAny,      ///< in tables unless it is 0 everywhere
  IfMatters,  ///< in tables where it has a thousandth of the time at least
  ByName,     ///< in JSON and by its name only
};

struct Figure {
  std::string_view key;   ///< in JSON: "gpu_busy_ns"; "bubbles_by_cause.loader" is within an object; empty: not there
  std::string_view name;  ///< in experiments and sweeps, in its usual form; ends with its unit: "gpu_busy_percent"
  const char* label;      ///< "GPU busy"; to be translated
  FigureUnit unit = FigureUnit::Time;
  FigureOf of = FigureOf::Gpu;
  FigureGroup group = FigureGroup::Gpu;
  FigureForm usual = FigureForm::Share;            ///< where there is room for one number
  std::optional<double> (*total)(const Summary&);  ///< empty: not known, such as a rate without copies
  FigureShown shown = FigureShown::Always;
  int depth = 0;  ///< above 0: a part of the nearest figure before it with a smaller depth
};

/// In the order of the tables.
std::span<const Figure> figures();
/// By its key; throws std::out_of_range if there is none.
const Figure& figure(std::string_view key);

/// Empty if it is not known, or has no such form: the share of a count, anything per iteration without iterations.
std::optional<double> value_of(const Figure& figure, const Summary& summary, FigureForm form);
/// The same for display: "12.3 ms", "41 %", "1.02", "1.6 GB", "11.8 GB/s"; "–" if it is not known.
std::string text_of(const Figure& figure, const Summary& summary, FigureForm form);
/// "GPU busy", "idle: after a sync", "synchronisations per iteration"; translated.
std::string label_of(const Figure& figure, FigureForm form);
/// Whether a table of these has it.
bool is_shown(const Figure& figure, std::span<const Summary* const> summaries);

/// "41 %", "4.1 %", "0 %"; a small share that is not 0 is "≤ 0.1 %".
std::string share_text(double share);

/// While it lives, there is one figure more, at the end. For tests.
class AddedFigure {
 public:
  explicit AddedFigure(const Figure& figure);
  ~AddedFigure();
  AddedFigure(const AddedFigure&) = delete;
  AddedFigure& operator=(const AddedFigure&) = delete;
};

}  // namespace lanescope::analysis
