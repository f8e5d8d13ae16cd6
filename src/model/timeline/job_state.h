// The GPUs of a job: their collectives and the table of ranks, computed in the background, and which of their bands are
// shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/collectives.h"
#include "analysis/stragglers.h"
#include "base/background_job.h"
#include "inspect/rank_table.h"
#include "timeline/job_bands.h"

namespace lanescope::ui {

class Model;

/// Of the GPUs, at most `most` to be shown: those for which the others wait longest, worst first, and one whose own
/// waits are the median. All, by rank and number, if there are no more than that.
std::vector<trace::GpuNumber> chosen_gpus(const trace::Owners& owners, const analysis::Collectives& collectives,
                                          std::size_t most);

class JobState {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenLooks{500};  // while the trace grows
  static constexpr std::chrono::seconds kChosenFor{5};            // so that bands do not change places all the time
  static constexpr std::size_t kFolded = 4;                       ///< the worst three and a median
  static constexpr std::size_t kMany = 4;                         ///< so many GPUs have bands even without collectives

  /// Once per frame, on the window's thread: takes finished results, and looks again where the trace or the view [from,
  /// to) has moved on.
  void update(const Model& model, Nanoseconds from, Nanoseconds to, Clock::time_point now);
  /// Forgets all that was found; the choices stay.
  void end();
  bool busy() const { return job_.busy(); }

  std::size_t gpu_count() const { return gpu_count_; }
  const analysis::Collectives& collectives() const { return collectives_; }
  std::uint64_t found() const { return found_; }  ///< changes whenever they do
  /// From the top.
  const std::vector<JobBand>& bands() const { return bands_; }
  /// analysis::collectives_text(); empty without collectives.
  const std::string& sentence() const { return sentence_; }
  bool folds() const { return gpu_count_ > kFolded; }
  /// Above the bands: how many GPUs there are, and which are shown.
  std::string heading() const;
  /// There are collectives of several GPUs.
  bool has_ranks() const { return !collectives_.all.empty(); }
  /// Of the stretch in which the collectives are.
  const RankTable& ranks() const { return ranks_; }

  bool unfolded = false;
  std::optional<bool> shown;            ///< the user's choice; empty: if there is something to see
  std::optional<std::size_t> selected;  ///< among the collectives
  bool visible() const { return gpu_count_ > 1 && shown.value_or(gpu_count_ >= kMany || !collectives_.all.empty()); }

 private:
  struct Findings {
    analysis::Collectives collectives;
    std::string sentence;
    RankTable ranks;
  };
  using Stretch = std::pair<Nanoseconds, Nanoseconds>;

  Stretch wanted(const Model& model, Nanoseconds from, Nanoseconds to) const;
  void choose(const Model& model, Clock::time_point now);

  base::BackgroundJob<Findings> job_;
  analysis::Collectives collectives_;
  std::string sentence_;
  RankTable ranks_;
  std::vector<trace::GpuNumber> gpus_;
  std::vector<JobBand> bands_;
  std::uint64_t generation_ = 0, found_ = 0;
  std::size_t gpu_count_ = 0;
  std::optional<Stretch> looked_at_;
  bool chosen_unfolded_ = false, chosen_knowing_ = false;  // when the bands were chosen: folds, and collectives
  Clock::time_point started_{}, chosen_{};
};

}  // namespace lanescope::ui
