#include "workload/figures.h"

#include <utility>

namespace lanescope::workload {

std::size_t FigureBoard::add(std::string key, std::string label, std::string unit, bool part) {
  const std::lock_guard lock(mutex_);
  Figure& figure = figures_.emplace_back();
  figure.key = std::move(key);
  figure.label = std::move(label);
  figure.unit = std::move(unit);
  figure.part = part;
  return figures_.size() - 1;
}

void FigureBoard::sample(std::size_t figure, double value) {
  const std::lock_guard lock(mutex_);
  Figure& f = figures_.at(figure);
  f.last = value;
  f.total += value;
  f.mean = f.total / static_cast<double>(++f.count);
}

void FigureBoard::restart() {
  const std::lock_guard lock(mutex_);
  for (Figure& f : figures_) {
    f.count = 0;
    f.last = f.mean = f.total = 0;
  }
}

std::vector<Figure> FigureBoard::read() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

}  // namespace lanescope::workload
