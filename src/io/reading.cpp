#include "io/reading.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanescope::io {

using base::Nanoseconds;

void add_sentence(std::string& text, std::string_view sentence) {
  if (!text.empty() && !sentence.empty()) text += ' ';
  text += sentence;
}

void FirstPicture::begin_lane(std::size_t lane, const trace::LaneInfo& info) {
  if (lane >= lanes_.size()) lanes_.resize(lane + 1);
  lanes_[lane].info = info;
  lanes_[lane].part.assign(kBins, 0);
  lanes_[lane].depth.assign(kBins, 0);
}

// Doubles the bins until all of it is in reach. What has been added is put into the longer ones.
void FirstPicture::make_room(Nanoseconds start_ns, Nanoseconds end_ns) {
  const bool empty = until_ == from_;
  const Nanoseconds first = empty ? start_ns : std::min(start_ns, from_);
  const Nanoseconds last = empty ? end_ns : std::max(end_ns, latest_);
  std::vector<std::vector<double>> busy;
  for (const Adding& lane : lanes_) busy.push_back(busy_of(lane));
  const Nanoseconds old_from = from_;
  const int old_shift = shift_;
  const auto begin = [&] { return (first >> shift_) << shift_; };
  while ((last - begin()) >> shift_ >= static_cast<Nanoseconds>(kBins)) ++shift_;
  from_ = begin();
  until_ = from_ + (static_cast<Nanoseconds>(kBins) << shift_);
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    std::ranges::fill(lanes_[l].part, 0);
    std::ranges::fill(lanes_[l].depth, 0);
    for (std::size_t i = 0; i < busy[l].size(); ++i) {
      if (busy[l][i] == 0) continue;
      const Nanoseconds at = old_from + (static_cast<Nanoseconds>(i) << old_shift);
      lanes_[l].part[static_cast<std::size_t>((at - from_) >> shift_)] += busy[l][i];
    }
  }
}

std::vector<double> FirstPicture::busy_of(const Adding& lane) const {
  std::vector<double> busy(lane.part.size());
  const auto bin = static_cast<double>(Nanoseconds{1} << shift_);
  double depth = 0;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    depth += lane.depth[i];
    busy[i] = lane.part[i] + depth * bin;
  }
  return busy;
}

void FirstPicture::copy() {
  Snapshot look;
  if (latest_ >= earliest_) {
    look.from_ns = earliest_;
    look.to_ns = latest_;
  }
  const auto bin = static_cast<double>(Nanoseconds{1} << shift_);
  for (const Adding& lane : lanes_) {
    if (lane.events == 0) continue;
    Lane shown{lane.info, lane.events, from_, Nanoseconds{1} << shift_, {}};
    shown.busy.reserve(kBins);
    for (const double busy : busy_of(lane)) shown.busy.push_back(static_cast<float>(std::min(1.0, busy / bin)));
    look.lanes.push_back(std::move(shown));
  }
  const std::lock_guard lock(mutex_);
  shown_ = std::move(look);
  asked_ = false;
}

void FirstPicture::show(std::vector<Snapshot> files) {
  Snapshot all;
  for (Snapshot& file : files) {
    if (file.from_ns == file.to_ns && file.lanes.empty()) continue;
    all.from_ns = all.lanes.empty() ? file.from_ns : std::min(all.from_ns, file.from_ns);
    all.to_ns = all.lanes.empty() ? file.to_ns : std::max(all.to_ns, file.to_ns);
    std::ranges::move(file.lanes, std::back_inserter(all.lanes));
  }
  const std::lock_guard lock(mutex_);
  shown_ = std::move(all);
  asked_ = false;
}

FirstPicture::Snapshot FirstPicture::look() const {
  asked_ = true;
  const std::lock_guard lock(mutex_);
  return shown_;
}

}  // namespace lanescope::io
