#include "prediction/predict.h"

namespace lanescope::prediction {

Prediction predict(const Recorded& recorded, const std::vector<std::string>& assignments, const std::atomic<bool>*) {
  workload::Settings changed = recorded.settings;
  for (const std::string& assignment : assignments) changed.assign(assignment);
  Prediction prediction;
  prediction.settings = assignments;
  prediction.refused = "nothing is fitted yet";
  return prediction;
}

}  // namespace lanescope::prediction
