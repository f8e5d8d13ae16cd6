#include "proof/story.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "experiment/measured_run.h"

namespace lanescope::proof {

using experiment::Side;

SideRun::SideRun(const experiment::Experiment& experiment, Side side, const experiment::RunChoice& choice) {
  session::SessionOptions options = experiment::side_options(experiment, side, choice);
  options.memory_cap_bytes = std::size_t{64} << 20;
  experiment::MeasuredRun run(std::move(options));
  run.run();
  measured_ = run.measured();
}

std::optional<double> SideRun::maybe(std::string_view figure) const { return figure_value(figure, measured_, 1); }

double SideRun::operator[](std::string_view figure) const {
  const std::optional<double> value = maybe(figure);
  EXPECT_TRUE(value.has_value()) << figure;
  return value.value_or(0);
}

double SideRun::overlap_us() const {
  const analysis::Summary& s = summary();
  return base::to_us(s.kernel_ns + s.h2d_ns + s.d2h_ns - s.gpu_busy_ns) / iterations();
}

Story::Story(std::string_view id, std::uint64_t iterations, const std::string& device, Settings more)
    : data_(experiment::experiment_named(id)),
      choice_{.device = device, .iterations = iterations, .assignments = std::move(more)},
      before_(data_, Side::Before, choice_),
      after_(data_, Side::After, choice_) {}

experiment::Compared Story::compared(std::string_view name) const {
  for (const experiment::Published& p : data_.published) {
    if (p.name != name) continue;
    if (!p.settings.empty()) return experiment::PublishedRuns(data_, choice_).compare(p);
    for (const experiment::Compared& c : compare(data_, &before_.measured(), &after_.measured())) {
      if (c.published == &p) return c;
    }
  }
  ADD_FAILURE() << data_.id << " has no published number " << name;
  return {};
}

}  // namespace lanescope::proof
