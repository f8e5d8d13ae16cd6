// Where a knob's values are on its slider.
#pragma once

#include "workload/settings.h"

namespace lanescope::ui {

/// A slider's position, 0 to 1, for a value, and back; follows the spec's stops and logarithmic scale.
double slider_position(const workload::SettingSpec& spec, double value);
double slider_value(const workload::SettingSpec& spec, double position);

}  // namespace lanescope::ui
