// Describes changed settings in words. The facts are in the trace: trace::SettingChange.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/name_table.h"
#include "trace/event.h"
#include "workload/settings.h"

namespace lanescope::workload {

/// The English label of a setting of any workload, to be translated. An unknown key is returned as it is.
std::string_view setting_label(std::string_view key);

/// "log interval 1 → 100", in English: the name of a marker.
std::string change_text(const SettingSpec& spec, std::string_view before, std::string_view now);

/// Summarises consecutive setting markers of a trace, translated. Dragging a knob leaves many: "log interval 1 → 2" to
/// "log interval 50 → 100" become "log interval 1 → 100", and if it was turned back "log interval 1 → 100 → 1". If the
/// first and the last change are not of the same single setting, describes the first and those that changed with it.
/// Empty for no markers.
std::string marker_text(const base::NameTable& names, std::span<const trace::Event> markers);

}  // namespace lanescope::workload
