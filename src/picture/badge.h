// The badge that shows whether a run is simulated, running or recorded.
#pragma once

#include <string>

#include "trace/run_facts.h"

namespace lanescope::ui {

/// "SIMULATED · rtx4090", "SIMULATED CPU · rtx4090", "GPU · NVIDIA H200" and "CPU · AMD EPYC" during a run, "RECORDED ·
/// NVIDIA H200" for a file. Translated.
std::string badge_text(const trace::RunFacts& facts, bool live);
/// Of two runs in one picture: that of a simulated one, if there is one; without the device if they ran on two.
std::string badge_text(const trace::RunFacts& a, const trace::RunFacts& b);

}  // namespace lanescope::ui
