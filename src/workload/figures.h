// Figures that only a workload itself can know: what the program's own stopwatch showed, how many numbers were wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace lanescope::workload {

struct Figure {
  std::string key;    ///< "stopwatch_ms"
  std::string label;  ///< for a person: "the program's stopwatch"
  std::string unit;   ///< "ms"
  std::uint64_t count = 0;
  double last = 0;
  double mean = 0;    ///< of all samples since the settings were changed; 0 without any
  double total = 0;   ///< their sum
  bool part = false;  ///< an iteration's time consists of this one and the other parts, in their order
};

/// The workload's thread writes, any thread reads.
class FigureBoard {
 public:
  /// Before the run; returns the figure's number.
  std::size_t add(std::string key, std::string label, std::string unit, bool part = false);
  void sample(std::size_t figure, double value);
  /// Forgets all samples: the settings have changed.
  void restart();
  std::vector<Figure> read() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Figure> figures_;
};

}  // namespace lanescope::workload
