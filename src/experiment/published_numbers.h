// Compares published numbers with the results of a run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "experiment/named_figure.h"
#include "experiment/session.h"

namespace lanescope::experiment {

struct Compared {
  const Published* published = nullptr;
  std::optional<double> ours;   ///< in the published unit; empty if that side has not run, or the figure does not exist
  std::optional<double> ratio;  ///< ours / published
};

/// Either side may be null. Numbers with their own settings (Published::settings) cannot be derived from a side's run
/// and stay empty; see PublishedRuns for those.
std::vector<Compared> compare(const Experiment& experiment, const Measured* before, const Measured* after);

/// How to run an experiment without a window.
struct RunChoice {
  std::string device;                    ///< as for chosen_device(); empty: the experiment's
  std::uint64_t iterations = 0;          ///< 0: the experiment's
  std::vector<std::string> assignments;  ///< applied last
};
session::SessionOptions side_options(const Experiment& experiment, Side side, const RunChoice& choice,
                                     const std::vector<std::string>& more = {});
/// True if any run that the number is derived from is simulated.
bool is_simulated(const Experiment& experiment, const Published& published, const RunChoice& choice);

/// Makes the runs of numbers with their own settings. Each distinct run is made only once.
class PublishedRuns {
 public:
  PublishedRuns(const Experiment& experiment, RunChoice choice) : experiment_(experiment), choice_(std::move(choice)) {}
  /// Makes the run that `published` needs. The result is empty if stopped. `progress` is called with the number of
  /// iterations done. Throws like MeasuredRun.
  Compared compare(const Published& published, const std::function<void(std::uint64_t)>& progress = {},
                   const std::function<bool()>& should_stop = {});

 private:
  const Experiment& experiment_;
  RunChoice choice_;
  std::map<std::pair<Side, std::vector<std::string>>, Measured> measured_;
};

// --- check -----------------------------------------------------------------------------------------------------------
// Whether a run can check a published number, or the simulated machine was fitted to that number.

enum class Check : std::uint8_t {
  Fitted,     ///< the machine's profile was fitted to it or to a number it follows from, so agreement proves nothing
  Checked,    ///< our figure is independent of it, and agrees within a factor of kAgrees
  Unchecked,  ///< no comparable figure: Published::unchecked gives the reason
  Missing,    ///< our figure would check it, but this run lacks the figure
  Differs,    ///< our figure is independent of it, and does not agree
};
std::string_view check_key(Check check);  ///< "fitted", "checked", "unchecked", "missing", "differs"
/// Published numbers are of other machines.
inline constexpr double kAgrees = 2;

/// The published numbers to which the machines of both sides were fitted. Only simulated machines are fitted.
struct FittedSides {
  std::array<std::vector<device::FittedNumber>, 2> sides;
};
/// `asked` is as for chosen_device(). Reads profiles, so do not call it every frame. Throws like
/// device::describe_device().
FittedSides fitted_sides(const Experiment& experiment, std::string_view asked);

struct Checking {
  Check check = Check::Unchecked;
  std::vector<std::string> fitted;  ///< Fitted: the numbers in the profile, "link.h2d_pinned_gb_per_s"
  bool itself = false;              ///< Fitted: to this number itself, not only to one that it follows from
};
const char* checking_text(const Checking& checking);  ///< "fitted to this"; to be translated
/// The status of a number of `experiment` for a run on these machines that has all figures.
Checking check_of(const Experiment& experiment, const Published& published, const FittedSides& machines);
/// The same for a run that may lack the figure, or have one that does not agree.
Checking check_of(const Experiment& experiment, const Compared& compared, const FittedSides& machines);

/// Finds a published number by its name, "P20.h2d_pinned"; null if there is none.
const Published* published_named(std::string_view name);

}  // namespace lanescope::experiment
