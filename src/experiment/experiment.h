// An experiment: a workload with two sets of settings, what it is meant to show, and what a tutorial published for it.
// Experiments are data: assets/experiments/*.toml, embedded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/translate.h"

namespace lanescope::experiment {

using base::kLanguages;
using base::Language;

/// A text in every language, UTF-8.
struct Text {
  std::array<std::string, kLanguages> in;
  const std::string& operator[](Language language) const { return in[static_cast<std::size_t>(language)]; }
  bool empty() const { return in[0].empty(); }
};

enum class Side : std::uint8_t { Before, After };
std::string_view side_key(Side side);  ///< "before", "after"

/// One of the two sets of settings of an experiment.
struct Variant {
  Text label;                         ///< for the switch, a few words: "a read every iteration"
  std::string device;                 ///< as --device takes it; empty: the experiment's
  std::vector<std::string> settings;  ///< "key=value", over those of both sides
};

/// How good a published number is.
enum class Quality : std::uint8_t {
  Measured,    ///< on a machine that is named
  Estimate,    ///< said without a measurement, or of a machine nobody knows
  Impossible,  ///< cannot be what it is said to be; the experiment's correction says why
};
std::string_view quality_key(Quality quality);  ///< "measured", "estimate", "impossible"

/// Which run a published number is about.
enum class Of : std::uint8_t { Before, After, Ratio /* before / after */ };
std::string_view of_key(Of of);   ///< "before", "after", "ratio"
bool is_about(Of of, Side side);  ///< a ratio is about both

struct Published {
  std::string name;  ///< unique in the experiment: "total_without_read"
  Text label;        ///< "no read, 1,000 iterations"
  double value = 0;
  std::string unit;  ///< "s", "ms", "GB/s", "%", "x"
  Quality quality = Quality::Estimate;
  Text environment;                     ///< "RTX 4070 Laptop, CUDA 12.4, WSL2"
  std::string source;                   ///< which tutorial: "S2"
  Of of = Of::Before;                   ///< which run ours is worked out from
  std::string figure;                   ///< how, see figure.h; empty: there is none to set beside it
  std::vector<std::string> settings{};  ///< for this number alone, over those of its side (P26's rows)
  std::uint64_t iterations = 0;         ///< "total_s": of how many iterations
  /// The published numbers that decide this one, "P20.h2d_pinned": it is worked out from them, or a machine that gives
  /// them gives this one, too. See experiment/check.h.
  std::vector<std::string> follows{};
  Text unchecked{};  ///< why no run can check it; may be empty when there is a figure to set beside it
};

/// A sweep that belongs to the experiment: its axes and its figure, as `lanescope sweep` takes them.
struct ReadySweep {
  std::vector<std::string> over;      ///< "batch_size=128,512,2048"; one or two
  std::string figure;                 ///< see figure.h
  std::string against;                ///< "device=cpu:teaching": the value is the figure there / the figure here
  std::vector<std::string> settings;  ///< over the experiment's
  std::uint64_t iterations = 0;       ///< of each run; 0: the experiment's
};

struct Experiment {
  std::string id;    ///< "P09"
  std::string name;  ///< "item-each-iteration"; the file is "P09-item-each-iteration.toml"
  int order = 0;     ///< in a lesson, from 1
  std::string workload;
  std::string device;                 ///< that it is designed for: "sim:rtx4090"
  std::uint64_t iterations = 1000;    ///< of a headless run
  std::vector<std::string> settings;  ///< of both sides
  std::array<Variant, 2> sides;
  Text title, shows, watch, knob;
  Text correction;          ///< where the tutorial errs; may be empty
  std::string turned_knob;  ///< the key of the setting that differs; empty: several, or the device
  std::vector<Published> published;
  std::optional<ReadySweep> sweep;

  const Variant& side(Side s) const { return sides[static_cast<std::size_t>(s)]; }
  /// The settings of both sides and those of this one, in the order in which they are applied.
  std::vector<std::string> assignments(Side s) const;
  const std::string& device_of(Side s) const { return side(s).device.empty() ? device : side(s).device; }
};

/// `origin` is the file as a person named it; it begins every error. Throws base::FileError: file, line, key, what is
/// allowed. Everything is checked: keys, texts in every language, the workload, its settings, the figures.
Experiment parse_experiment(std::string_view text, std::string_view origin);

/// All that are in the program, in the order of a lesson.
std::span<const Experiment> experiments();
/// Why a file that is in the program is not among them; a program that is whole has none.
const std::vector<std::string>& experiment_errors();
/// By id or name, capitals do not matter. Throws base::UsageError that lists the ids, or base::FileError when there is
/// such a file and it is wrong.
const Experiment& experiment_named(std::string_view id_or_name);

/// The device that a side runs on when `asked` is requested (empty: as the experiment says). A CPU stays a CPU:
/// that of the machine which `asked` is of.
std::string chosen_device(const Experiment& experiment, Side side, std::string_view asked);
/// The CPU of a device's machine: "cpu:rtx4090" beside "sim:rtx4090", "cpu" beside "cuda:0" and "auto".
std::string cpu_beside(std::string_view device);

}  // namespace lanescope::experiment
