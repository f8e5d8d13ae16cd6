// Figures that only the workload itself can know, such as the program's own stopwatch or the number of wrong values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace lanescope::workload {

struct Figure {
  std::string key;    ///< "stopwatch_ms"
  std::string label;  ///< display name: "the program's stopwatch"
  std::string unit;   ///< "ms"
  std::uint64_t count = 0;
  double last = 0;
  double mean = 0;    ///< of all samples since the settings last changed; 0 if there are none
  double total = 0;   ///< their sum
  bool part = false;  ///< one of the parts, in order, that make up an iteration's time
};

/// The workload's thread writes; any thread may read.
class FigureBoard {
 public:
  /// Call before the run. Returns the figure's index.
  std::size_t add(std::string key, std::string label, std::string unit, bool part = false);
  void sample(std::size_t figure, double value);
  /// Drops all samples, because the settings have changed.
  void restart();
  std::vector<Figure> read() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Figure> figures_;
};

}  // namespace lanescope::workload
