// The runs that grading needs, on the devices that the experiments are designed for. Each distinct one is made once,
// however many answers need it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiment/comparison.h"
#include "lesson/lesson.h"

namespace lanescope::lesson {

/// With which a step begins on this side, and `settings` ("key=value") applied over it. Throws base::UsageError if they
/// are impossible.
workload::Settings settings_of(const Step& step, Side side, const std::vector<std::string>& settings = {});
/// The settings that differ, as "key=value" of `now`: what a student turned, for StepRecord::settings.
std::vector<std::string> turned_between(const workload::Settings& start, const workload::Settings& now);

class StepRuns {
 public:
  struct Run {
    Experiment experiment;
    Side side = Side::Before;
    std::vector<std::string> assignments;  ///< over those of the experiment
    workload::Settings settings;           ///< that result from them
    experiment::Measured measured;
    std::string error;  ///< why it failed; empty: it did not
  };

  /// A run with settings_of(). Makes none yet; the result is the run's number. Throws base::UsageError.
  std::size_t need(const Step& step, Side side, const std::vector<std::string>& settings = {});
  std::size_t count() const { return runs_.size(); }
  /// Makes all that are not made yet; false if it was stopped. `progress` gets how many are made, every few
  /// milliseconds; both functions may be empty.
  bool run(const std::function<void(std::size_t made)>& progress = {}, const std::function<bool()>& should_stop = {});
  /// Valid until the next need().
  const Run& operator[](std::size_t number) const { return runs_[number]; }

 private:
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> numbers_;  // by what they run
  std::size_t made_ = 0;
};

}  // namespace lanescope::lesson
