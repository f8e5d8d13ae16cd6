// Where a knob's values are on its slider.
#pragma once

#include "workload/settings.h"

namespace lanescope::ui {

/// A slider's position, 0 to 1, for a value, and back; follows the spec's stops and logarithmic scale.
double slider_position(const workload::SettingSpec& spec, double value);
double slider_value(const workload::SettingSpec& spec, double position);

/// One step of the slider: to the next stop, or by a fiftieth where there are none. A value between two stops goes to
/// the nearest one in that direction. The value itself where the slider ends.
double next_slider_value(const workload::SettingSpec& spec, double value, int direction);

}  // namespace lanescope::ui
