// Fisher's iris measurements, split and scaled as the tutorial does.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::workload {

struct IrisData {
  static constexpr std::int32_t kFeatures = 4;
  static constexpr std::int32_t kClasses = 3;

  std::int32_t rows = 0;
  std::vector<float> features;  ///< rows x 4, scaled to [0, 1] by the rows' minimum and maximum
  std::vector<float> classes;   ///< rows: 0 setosa, 1 versicolor, 2 virginica
};

/// The training rows in the order of the tutorial's split.
IrisData iris_training_rows();

}  // namespace lanescope::workload
