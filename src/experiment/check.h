// Whether a run can check a published number, or the simulated machine was fitted to it.
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
  Fitted,     ///< the machine's profile was fitted to it, or to one that it follows from: agreeing proves nothing
  Checked,    ///< our figure stands beside it and could have been different
  Unchecked,  ///< no figure, or a figure of something else: Published::unchecked says why
  Missing,    ///< our figure would check it, but this run has none
};
std::string_view check_key(Check check);  ///< "fitted", "checked", "unchecked", "missing"

/// What the machines of the two sides are fitted to. Only simulated ones are fitted to anything.
struct FittedSides {
  std::array<std::vector<device::FittedNumber>, 2> sides;
};
/// `asked` as chosen_device() takes it. Reads profiles, so a frame should not. Throws as device::describe_device().
FittedSides fitted_sides(const Experiment& experiment, std::string_view asked);

struct Checking {
  Check check = Check::Unchecked;
  std::vector<std::string> fitted;  ///< Fitted: the numbers of the profile, "link.h2d_pinned_gb_per_s"
  bool itself = false;              ///< Fitted: to this number itself, and not only to one that it follows from
};
const char* checking_text(const Checking& checking);  ///< "fitted to this" (translated where it is shown)
/// What a number of `experiment` is to a run on those machines that gives all its figures.
Checking check_of(const Experiment& experiment, const Published& published, const FittedSides& machines);
/// The same for a run that may not have given this one.
Checking check_of(const Experiment& experiment, const Compared& compared, const FittedSides& machines);

/// A published number by its name, "P20.h2d_pinned"; null when there is none.
const Published* published_named(std::string_view name);

}  // namespace lanescope::experiment
