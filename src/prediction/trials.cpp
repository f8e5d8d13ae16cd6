#include "prediction/trials.h"

namespace lanescope::prediction {

std::vector<std::string> trials_for(const analysis::Card&, const workload::Settings&) { return {}; }

}  // namespace lanescope::prediction
