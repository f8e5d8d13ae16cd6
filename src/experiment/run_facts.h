// Converts between a session and the facts about a run that are stored in a file beside its trace.
#pragma once

#include "experiment/session.h"
#include "trace/run_facts.h"

namespace lanescope::experiment {

/// Includes the current settings.
trace::RunFacts facts_of(const session::Session& session);
/// The device of a file's run, as far as the file describes it.
device::DeviceInfo device_of(const trace::RunFacts& facts);

}  // namespace lanescope::experiment
