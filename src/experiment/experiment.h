// An experiment: a workload with two sets of settings, what it is meant to show, and what a tutorial published about
// it. Experiments are data: assets/experiments/*.toml, embedded in the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::experiment {

using base::kLanguages;
using base::Language;

/// A text in all languages, UTF-8.
struct Text {
  std::array<std::string, kLanguages> in;
  const std::string& operator[](Language language) const { return in[static_cast<std::size_t>(language)]; }
  bool empty() const { return in[0].empty(); }
  bool operator==(const Text&) const = default;
};

enum class Side : std::uint8_t { Before, After };
std::string_view side_key(Side side);  ///< "before", "after"

/// What the window shows of a side at first. File: [view] for both sides; [before.view] and [after.view] override it.
struct View {
  /// What chooses the iteration that is shown: "iteration", "wait", or the name of a call, a range or a kernel.
  std::string trigger = "iteration";
  base::Nanoseconds wait_over_ns = 100'000;  ///< "wait": of waits longer than this. File: wait_over_us
  base::Nanoseconds hold_off_ns = 0;         ///< from one trigger to the next at least. File: hold_off_us
  double iterations = 1;                     ///< how many the view holds, from the start of one
  std::vector<std::string> folded;           ///< names of lanes shown as strips
  std::vector<std::string> outlined;         ///< names of lanes in a frame: what a person is told to look at
  std::vector<std::string> plots;            ///< keys of plots; empty: the usual ones
  /// What `watch` speaks of and must be in view, as "LANE: NAME", NAME being an event's, "wait" for the waiting part of
  /// any call on the lane, or "idle" for a gap in the GPU's work.
  std::vector<std::string> shows;

  bool operator==(const View&) const = default;
};

/// One of the two sides of an experiment.
struct Variant {
  Text label;                         ///< a few words for the switch: "a read every iteration"
  std::string device;                 ///< as for --device; empty: the experiment's
  std::vector<std::string> settings;  ///< "key=value", applied over those of both sides
  View view;

  bool operator==(const Variant&) const = default;
};

/// The quality of a published number.
enum class Quality : std::uint8_t {
  Measured,           ///< on a named machine
  MeasuredSomewhere,  ///< on a machine that is not named: the output of a notebook
  Estimate,           ///< stated without a measurement
  Impossible,         ///< cannot be what it claims to be; the experiment's correction gives the reason
};
/// "measured", "measured (machine unknown)", "estimate", "impossible"
std::string_view quality_key(Quality quality);

/// The run that a published number is about.
enum class About : std::uint8_t { Before, After, Ratio /* before / after */ };
std::string_view of_key(About of);   ///< "before", "after", "ratio"
bool is_about(About of, Side side);  ///< a ratio is about both sides

struct Published {
  std::string name;  ///< unique in the experiment: "total_without_read"
  Text label;        ///< "no read, 1,000 iterations"
  double value = 0;
  std::string unit;  ///< "s", "ms", "GB/s", "%", "x"
  Quality quality = Quality::Estimate;
  Text environment;                     ///< "RTX 4070 Laptop, CUDA 12.4, WSL2"
  std::string source;                   ///< the tutorial: "S2"
  About of = About::Before;             ///< the run that our figure is derived from
  std::string figure;                   ///< how it is derived, see figure.h; empty: there is no comparable figure
  std::vector<std::string> settings{};  ///< for this number only, applied over those of its side (P26's rows)
  std::uint64_t iterations = 0;         ///< for "total_s": the number of iterations
  /// Published numbers that determine this one, "P20.h2d_pinned": it is calculated from them, or a machine that
  /// reproduces them reproduces this one, too. See experiment/published_numbers.h.
  std::vector<std::string> follows{};
  Text unchecked{};  ///< why no run can check it; may be empty if there is a figure

  bool operator==(const Published&) const = default;
};

/// A predefined sweep of the experiment: axes and figure, in the format of `lanescope sweep`.
struct ReadySweep {
  std::vector<std::string> over;      ///< "batch_size=128,512,2048"; one or two axes
  std::string figure;                 ///< see figure.h
  std::string against;                ///< "device=cpu:teaching": each value is figure(against) / figure
  std::vector<std::string> settings;  ///< applied over the experiment's
  std::uint64_t iterations = 0;       ///< per run; 0: the experiment's

  bool operator==(const ReadySweep&) const = default;
};

struct Experiment {
  std::string id;    ///< "P09"
  std::string name;  ///< "item-each-iteration"; the file is "P09-item-each-iteration.toml"
  int order = 0;     ///< in teaching order, from 1
  std::string workload;
  std::string device;                 ///< the device it is designed for: "sim:rtx4090"
  std::uint64_t iterations = 1000;    ///< for a headless run
  std::vector<std::string> settings;  ///< of both sides
  std::array<Variant, 2> sides;
  Text title, shows, watch, knob;
  Text correction;          ///< what the tutorial gets wrong; may be empty
  std::string turned_knob;  ///< key of the setting that differs between the sides; empty: several, or the device
  std::vector<Published> published;
  std::optional<ReadySweep> sweep;

  bool operator==(const Experiment&) const = default;
  const Variant& side(Side s) const { return sides[static_cast<std::size_t>(s)]; }
  /// The settings of both sides and of this one, in the order of application.
  std::vector<std::string> assignments(Side s) const;
  const std::string& device_of(Side s) const { return side(s).device.empty() ? device : side(s).device; }
};

/// Throws base::Error if a file may not use this id or name: "is 'P09'; allowed: ...".
using NameCheck = std::function<void(std::string_view name)>;
/// `origin` is the file's name as given by the user; every error begins with it. Throws base::FileError with file,
/// line, key and what is allowed. Checks everything: keys, texts in all languages, the workload, its settings, the
/// figures.
Experiment parse_experiment(std::string_view text, std::string_view origin, const NameCheck& check = {});

/// All embedded experiments, in teaching order.
std::span<const Experiment> experiments();
/// Errors of embedded files that could not be used; empty in a correct build.
const std::vector<std::string>& experiment_errors();
/// Finds an experiment by id or name, ignoring case: the user's own first (own_experiments.h). One whose file has gone
/// is still found, so that what names it goes on. Throws base::UsageError, which lists the ids, or base::FileError if
/// the experiment's file exists but is invalid.
const Experiment& experiment_named(std::string_view id_or_name);

/// The device on which a side runs if `asked` is requested (empty: the experiment's). A CPU stays a CPU: that of the
/// machine of `asked`.
std::string chosen_device(const Experiment& experiment, Side side, std::string_view asked);

// --- write experiment ------------------------------------------------------------------------------------------------
// Experiments as files: what parse_experiment() reads.

/// The text of its file: parse_experiment() makes the same experiment of it. Values at their defaults are left out.
/// Times of a view are written in whole microseconds.
std::string to_toml(const Experiment& experiment);

}  // namespace lanescope::experiment
