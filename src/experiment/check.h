// Whether a run can check a published number, or the simulated machine was fitted to that number.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/catalogue.h"
#include "experiment/comparison.h"
#include "experiment/experiment.h"

namespace lanescope::experiment {

enum class Check : std::uint8_t {
  Fitted,     ///< the machine's profile was fitted to it or to a number it follows from, so agreement proves nothing
  Checked,    ///< our figure is independent of it
  Unchecked,  ///< no comparable figure: Published::unchecked gives the reason
  Missing,    ///< our figure would check it, but this run lacks the figure
};
std::string_view check_key(Check check);  ///< "fitted", "checked", "unchecked", "missing"

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
/// The same for a run that may lack the figure.
Checking check_of(const Experiment& experiment, const Compared& compared, const FittedSides& machines);

/// Finds a published number by its name, "P20.h2d_pinned"; null if there is none.
const Published* published_named(std::string_view name);

}  // namespace lanescope::experiment
