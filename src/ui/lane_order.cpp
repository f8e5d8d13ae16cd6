#include "ui/lane_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

bool has_row(const LaneInfo& info) {
  return trace::is_cpu_lane(info.kind) || trace::is_gpu_work_lane(info.kind) || info.kind == LaneKind::GpuRanges;
}

// What the lanes of one trace say of threads, streams, processes and devices.
class Owners {
 public:
  Owners(const trace::Trace& trace, std::size_t lane_count) {
    std::map<std::string, std::size_t> of_process;
    for (std::size_t l = 0; l < lane_count; ++l) {
      const LaneInfo& info = trace.lane(static_cast<LaneId>(l)).info();
      if (info.kind == LaneKind::Iterations) threads_.iterating.insert({info.pid, info.tid});
      if (info.kind == LaneKind::Phases) threads_.ranging.insert({info.pid, info.tid});
    }
    for (std::size_t l = 0; l < lane_count; ++l) {
      const LaneInfo& info = trace.lane(static_cast<LaneId>(l)).info();
      if (!has_row(info)) continue;
      if (trace::is_cpu_lane(info.kind)) {
        if (!threads_.helps(info)) cpu_owners_.insert({info.pid, info.tid});
        pids_[info.process].insert(info.pid);
        if (place_.try_emplace({info.pid, info.tid}, of_process[info.process]).second) ++of_process[info.process];
      } else {
        gpu_owners_.insert({info.device, info.stream});
        devices_.insert(info.device);
      }
    }
  }

  const Threads& threads() const { return threads_; }

  std::string owner(const LaneInfo& info) const {
    if (trace::is_cpu_lane(info.kind)) {
      return cpu_owners_.size() > 1 && !threads_.helps(info) ? fmt::format("{} {}", tr("thread"), info.tid) : "";
    }
    if (gpu_owners_.size() < 2) return "";
    return fmt::format("{} {} · {} {}", tr("GPU"), info.device, tr("stream"), info.stream);
  }

  // The group's name in a layout, and its heading.
  std::pair<std::string, std::string> group(const LaneInfo& info, LaneGrouping grouping) const {
    const bool cpu = trace::is_cpu_lane(info.kind);
    switch (grouping) {
      case LaneGrouping::Process:
        return by_process(info);
      case LaneGrouping::Device:
        if (cpu) return {"cpu", tr("CPU")};
        return {fmt::format("gpu|{}", info.device),
                devices_.size() > 1 ? fmt::format("{} {}", tr("GPU"), info.device) : std::string(tr("GPU"))};
      case LaneGrouping::None:
        return {};
      case LaneGrouping::Owner:
        break;
    }
    if (cpu && threads_.helps(info)) return {"helpers", tr("THREADS")};
    if (!cpu) {
      const std::string says = owner(info);
      return {fmt::format("gpu|{}|{}", info.device, info.stream), says.empty() ? std::string(tr("GPU")) : says};
    }
    const auto place = place_.find({info.pid, info.tid});
    const std::string key = fmt::format("cpu|{}|{}", info.process, place == place_.end() ? 0 : place->second);
    if (cpu_owners_.size() < 2) return {key, tr("CPU")};
    return {key, fmt::format("{} · {} · {} {}", tr("CPU"), info.process, tr("thread"), info.tid)};
  }

 private:
  // A GPU's lanes belong to the program that used it; their process number is no more than where the name was written.
  std::pair<std::string, std::string> by_process(const LaneInfo& info) const {
    const auto pids = pids_.find(info.process);
    const std::string name = info.process.empty() ? std::string(tr("process")) : info.process;
    if (pids == pids_.end()) return {"process|" + info.process, name};
    const auto found = pids->second.find(info.pid);
    const auto which =
        found == pids->second.end() ? 0 : static_cast<std::size_t>(std::distance(pids->second.begin(), found));
    const std::int64_t pid = found == pids->second.end() ? *pids->second.begin() : info.pid;
    return {fmt::format("process|{}|{}", info.process, which),
            pid > 0 ? fmt::format("{} · {} {}", name, tr("process"), pid) : name};
  }

  Threads threads_;
  std::set<Owner> cpu_owners_, gpu_owners_;
  std::set<std::int32_t> devices_;
  std::map<std::string, std::set<std::int64_t>> pids_;
  std::map<Owner, std::size_t> place_;  // of a thread among those of its process, as they came
};

// Lanes of one group stand together, groups in the order of their first lane.
void gather_groups(std::vector<LaneSeat>& seats) {
  std::map<std::string, std::size_t> rank;
  for (const LaneSeat& seat : seats) rank.try_emplace(seat.group, rank.size());
  std::stable_sort(seats.begin(), seats.end(),
                   [&](const LaneSeat& a, const LaneSeat& b) { return rank[a.group] < rank[b.group]; });
}

// In the order that a person gave; what is not in it stands behind what it would follow without it.
void apply_order(std::vector<LaneSeat>& seats, const std::vector<std::string>& order) {
  if (order.empty()) return;
  std::map<std::string, std::size_t> rank;
  for (const std::string& key : order) rank.try_emplace(key, rank.size() + 1);
  std::vector<std::pair<std::size_t, LaneSeat>> ranked;
  std::size_t behind = 0;
  for (LaneSeat& seat : seats) {
    const auto found = rank.find(seat.key);
    if (found != rank.end()) behind = found->second;
    ranked.emplace_back(behind, std::move(seat));
  }
  // Those that are named come before those that only follow them.
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    const bool a_follows = !rank.contains(a.second.key);
    const bool b_follows = !rank.contains(b.second.key);
    return std::pair(a.first, a_follows) < std::pair(b.first, b_follows);
  });
  seats.clear();
  for (auto& [number, seat] : ranked) seats.push_back(std::move(seat));
}

}  // namespace

std::vector<LaneSeat> seat_lanes(const trace::Trace& trace, const LaneLayout& layout) {
  const std::vector<std::string> keys = lane_keys(trace);
  const Owners owners(trace, keys.size());
  std::vector<LaneId> lanes;
  for (std::size_t l = 0; l < keys.size(); ++l) {
    if (has_row(trace.lane(static_cast<LaneId>(l)).info())) lanes.push_back(static_cast<LaneId>(l));
  }
  std::sort(lanes.begin(), lanes.end(), [&](LaneId a, LaneId b) {
    return order_of(trace.lane(a).info(), owners.threads()) < order_of(trace.lane(b).info(), owners.threads());
  });
  std::vector<LaneSeat> seats;
  bool gpu_begun = false;
  for (const LaneId l : lanes) {
    const LaneInfo& info = trace.lane(l).info();
    LaneSeat seat;
    std::tie(seat.group, seat.heading) = owners.group(info, layout.grouping());
    if (!trace::is_cpu_lane(info.kind) && !gpu_begun) {
      gpu_begun = true;
      LaneSeat curve;
      curve.key = kRunAheadKey;
      curve.name = tr("launches\nin flight");
      if (layout.grouping() == LaneGrouping::Process) {
        curve.group = seat.group;
        curve.heading = seat.heading;
      } else if (layout.grouping() != LaneGrouping::None) {
        curve.group = kRunAheadKey;
        curve.heading = tr("RUN-AHEAD");
      }
      seats.push_back(std::move(curve));
    }
    seat.lane = l;
    seat.key = keys[l];
    seat.name = info.name;
    seat.owner = owners.owner(info);
    seat.compact = owners.threads().helps(info);
    seats.push_back(std::move(seat));
  }
  if (layout.grouping() != LaneGrouping::None) gather_groups(seats);
  apply_order(seats, layout.order());
  return seats;
}

}  // namespace lanescope::ui
