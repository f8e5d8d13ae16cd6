#include "model/timeline/job_state.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "analysis/summary.h"
#include "base/translate.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using analysis::Collectives;
using analysis::GpuCollectives;
using base::tr;
using trace::GpuNumber;

const GpuCollectives* figures_of(const Collectives& collectives, GpuNumber gpu) {
  const auto found = std::ranges::find(collectives.gpus, gpu, &GpuCollectives::gpu);
  return found == collectives.gpus.end() ? nullptr : &*found;
}

std::string note_of(const Collectives& collectives, GpuNumber gpu) {
  const GpuCollectives* figures = figures_of(collectives, gpu);
  if (!figures || figures->count == 0) return {};
  return tr("last in {:.0f} %", 100 * static_cast<double>(figures->arrived_last) / static_cast<double>(figures->count));
}

}  // namespace

std::vector<GpuNumber> chosen_gpus(const trace::Owners& owners, const Collectives& collectives, std::size_t most) {
  std::vector<GpuNumber> all;
  for (std::size_t gpu = 0; gpu < owners.gpus().size(); ++gpu) all.push_back(static_cast<GpuNumber>(gpu));
  std::ranges::stable_sort(all, {}, [&](GpuNumber gpu) {
    return owners.rank_of(owners.gpus()[gpu].process).value_or(std::numeric_limits<int>::max());
  });
  if (all.size() <= most) return all;
  std::vector<const GpuCollectives*> figures;
  for (const GpuCollectives& of : collectives.gpus) figures.push_back(&of);
  if (figures.size() < most) {
    all.resize(most);
    return all;
  }
  std::ranges::stable_sort(figures, std::greater{}, &GpuCollectives::delays_ns);
  std::vector<GpuNumber> chosen;
  for (std::size_t i = 0; i + 1 < most; ++i) chosen.push_back(figures[i]->gpu);
  std::vector<const GpuCollectives*> others(figures.begin() + static_cast<std::ptrdiff_t>(most - 1), figures.end());
  std::ranges::stable_sort(others, {}, &GpuCollectives::wait_ns);
  chosen.push_back(others[(others.size() - 1) / 2]->gpu);
  return chosen;
}

std::string JobState::heading() const {
  const std::string gpus = tr("{} GPUS", gpu_count_);
  if (!folds()) return gpus;
  return gpus + " · " + (unfolded ? tr("all") : tr("the worst three and one in the middle"));
}

void JobState::end() {
  job_.leave();
  ++found_;
  collectives_ = {};
  sentence_.clear();
  ranks_ = {};
  gpus_.clear();
  bands_.clear();
  gpu_count_ = 0;
  looked_at_.reset();
  selected.reset();
  started_ = chosen_ = {};
}

// Of an opened trace, all of it. Of one that grows, the verdict's stretch and what is in view.
JobState::Stretch JobState::wanted(const Model& model, Nanoseconds from, Nanoseconds to) const {
  const auto [begin, end] = model.extent();
  if (!model.live()) return {begin, end + 1};
  const analysis::Summary& recent = model.recent();
  if (recent.to_ns > recent.from_ns && to >= recent.from_ns) {
    from = std::min(from, recent.from_ns);
    to = std::max(to, recent.to_ns);
  }
  return {std::max(from, begin), std::min(to, end + 1)};
}

void JobState::update(const Model& model, Nanoseconds from, Nanoseconds to, Clock::time_point now) {
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  gpu_count_ = model.analysis().links().owners().gpus().size();
  if (gpu_count_ < 2) return;
  if (std::optional<Findings> look = job_.take()) {
    // What is selected is another number now.
    if (selected && model.live()) selected.reset();
    ++found_;
    collectives_ = std::move(look->collectives);
    sentence_ = std::move(look->sentence);
    ranks_ = std::move(look->ranks);
    choose(model, now);
  }
  if (bands_.empty() || gpus_.size() > gpu_count_ || chosen_unfolded_ != unfolded) choose(model, now);
  if (job_.busy() || now - started_ < kBetweenLooks) return;
  const Stretch stretch = wanted(model, from, to);
  if (looked_at_ == stretch || stretch.second <= stretch.first) return;
  looked_at_ = stretch;
  started_ = now;
  job_.start([shown = model.shared_trace(), stretch,
              error = model.facts().clock_error_ns](const base::Stop& stop) -> Findings {
    const trace::Trace& trace = *shown;
    Findings look{analysis::collectives(trace, stretch.first, stretch.second, error, &stop), {}, {}};
    if (stop) return look;
    const Collectives& found = look.collectives;
    const std::optional<analysis::Lateness> worst = analysis::lateness_of_worst(trace, found);
    look.sentence = analysis::collectives_text(trace, found, worst);
    look.ranks = rank_table(trace, found, worst, stretch.first, stretch.second, &stop);
    return look;
  });
}

void JobState::choose(const Model& model, Clock::time_point now) {
  const trace::Owners& owners = model.analysis().links().owners();
  const bool known = !collectives_.gpus.empty();
  const bool due = now - chosen_ >= kChosenFor || known != chosen_knowing_ || gpus_.size() > gpu_count_ ||
                   chosen_unfolded_ != unfolded || gpus_.size() < std::min(gpu_count_, kFolded);
  if (due) {
    gpus_ = chosen_gpus(owners, collectives_, unfolded ? gpu_count_ : kFolded);
    chosen_ = now;
    chosen_unfolded_ = unfolded;
    chosen_knowing_ = known;
  }
  bands_.clear();
  for (const GpuNumber gpu : gpus_) {
    bands_.push_back({gpu, analysis::gpu_name(owners, gpu), note_of(collectives_, gpu)});
  }
}

}  // namespace lanescope::ui
