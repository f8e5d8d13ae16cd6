#include "timeline/lane_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/translate.h"
#include "inspect/owner_text.h"
#include "trace/owners.h"

namespace lanescope::ui {

std::string lane_key(const trace::LaneInfo& info, std::size_t place) {
  std::string key = std::to_string(static_cast<int>(info.kind)) + '|' + info.name + '|' + info.process + '|' +
                    std::to_string(info.device) + '|' + std::to_string(info.stream);
  if (place > 0) key += '|' + std::to_string(place);
  return key;
}

std::vector<std::string> lane_keys(const trace::Trace& trace) {
  std::map<std::string, std::size_t> alike;
  std::vector<std::string> keys;
  const std::size_t lanes = trace.lane_count();
  keys.reserve(lanes);
  for (std::size_t l = 0; l < lanes; ++l) {
    const trace::LaneInfo& info = trace.lane(static_cast<trace::LaneId>(l)).info();
    keys.push_back(lane_key(info, alike[lane_key(info)]++));
  }
  return keys;
}

void LaneLayout::set_grouping(LaneGrouping grouping) {
  grouping_ = grouping;
  order_.clear();
  ++version_;
}

void LaneLayout::fold_group(const std::string& group, bool folded) {
  if (folded) {
    folded_groups_.insert(group);
    kept_open_.erase(group);
  } else {
    folded_groups_.erase(group);
    kept_open_.insert(group);
  }
  ++version_;
}

LaneChoice LaneLayout::choice(const std::string& key) const {
  const auto found = choices_.find(key);
  if (found != choices_.end()) return found->second;
  LaneChoice usual;
  usual.folded = std::any_of(folded_at_first_.begin(), folded_at_first_.end(),
                             [&](const std::string& name) { return key.find('|' + name + '|') != std::string::npos; });
  return usual;
}

void LaneLayout::fold_at_first(std::vector<std::string> names) {
  if (names == folded_at_first_) return;
  folded_at_first_ = std::move(names);
  ++version_;
}

void LaneLayout::set(const std::string& key, const LaneChoice& choice) {
  choices_[key] = choice;
  choices_[key].height = std::clamp(choice.height, kLeastHeight, kMostHeight);
  ++version_;
}

void LaneLayout::set_order(std::vector<std::string> order) {
  order_ = std::move(order);
  ++version_;
}

void LaneLayout::reorder(const std::vector<std::string>& shown) {
  std::vector<std::string> order = shown;
  for (auto key = order_.begin(); key != order_.end(); ++key) {
    if (std::find(order.begin(), order.end(), *key) != order.end()) continue;
    auto behind = order.begin();
    if (key != order_.begin()) behind = std::next(std::find(order.begin(), order.end(), *std::prev(key)));
    order.insert(behind, *key);
  }
  set_order(std::move(order));
}

std::size_t LaneLayout::hidden_count() const {
  return static_cast<std::size_t>(
      std::count_if(choices_.begin(), choices_.end(), [](const auto& c) { return c.second.hidden; }));
}

void LaneLayout::show_all() {
  for (auto& [key, choice] : choices_) choice.hidden = false;
  ++version_;
}

void LaneLayout::leave_out(const LeftOut& rows) {
  if (rows == left_out_) return;
  left_out_ = rows;
  ++version_;
}

void LaneLayout::reset() {
  const std::uint64_t version = version_ + 1;
  const LeftOut left_out = left_out_;
  *this = {};
  left_out_ = left_out;
  version_ = version;
}

// --- lane order ------------------------------------------------------------------------------------------------------

namespace {

using base::tr;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

bool has_order_row(const LaneInfo& info) {
  return trace::is_cpu_lane(info.kind) || trace::is_gpu_work_lane(info.kind) || info.kind == LaneKind::GpuRanges;
}

// The threads, streams, processes and devices of one trace's lanes.
class Owners {
 public:
  Owners(const trace::Trace& trace, std::size_t lane_count) {
    std::map<std::string, std::size_t> of_process;
    for (std::size_t l = 0; l < lane_count; ++l) {
      const LaneInfo& info = trace.lane(static_cast<LaneId>(l)).info();
      if (info.kind == LaneKind::Iterations) threads_.iterating.insert(owner_of(info));
      if (info.kind == LaneKind::Calls) threads_.calling.insert(owner_of(info));
      if (info.role == trace::LaneRole::Helper) threads_.helping.insert(owner_of(info));
    }
    for (std::size_t l = 0; l < lane_count; ++l) {
      const LaneInfo& info = trace.lane(static_cast<LaneId>(l)).info();
      if (!has_order_row(info)) continue;
      if (trace::is_cpu_lane(info.kind)) {
        if (!threads_.helps(info)) cpu_owners_.insert(owner_of(info));
        pids_[info.process].insert({info.host, info.pid});
        if (place_.try_emplace(owner_of(info), of_process[info.process]).second) ++of_process[info.process];
      } else {
        gpu_owners_.insert(owner_of(info));
        devices_.insert({{info.host, info.pid}, info.device});
        using_gpus_.insert({info.host, info.pid});
        if (info.rank) of_rank_[*info.rank].insert({info.host, info.pid});
      }
    }
  }

  const Threads& threads() const { return threads_; }

  std::string owner(const LaneInfo& info) const {
    if (trace::is_cpu_lane(info.kind)) {
      return cpu_owners_.size() > 1 && !threads_.helps(info) ? thread_text(info) : "";
    }
    if (gpu_owners_.size() < 2) return "";
    return fmt::format("{} · {} {}", gpu_name(info), tr("stream"), info.stream);
  }

  // The group's key in a layout, and its heading.
  std::pair<std::string, std::string> group(const LaneInfo& info, LaneGrouping grouping) const {
    const bool cpu = trace::is_cpu_lane(info.kind);
    switch (grouping) {
      case LaneGrouping::Process:
        return by_process(info);
      case LaneGrouping::Device:
        if (cpu) return {"cpu", tr("CPU")};
        return {gpu_key(info), devices_.size() > 1 ? gpu_name(info) : std::string(tr("GPU"))};
      case LaneGrouping::None:
        return {};
      case LaneGrouping::Owner:
        break;
    }
    if (cpu && threads_.helps(info)) return {"helpers", tr("THREADS")};
    if (!cpu) {
      const std::string says = owner(info);
      return {fmt::format("{}|{}", gpu_key(info), info.stream), says.empty() ? std::string(tr("GPU")) : says};
    }
    const auto place = place_.find(owner_of(info));
    const std::string key = fmt::format("cpu|{}|{}", info.process, place == place_.end() ? 0 : place->second);
    if (cpu_owners_.size() < 2) return {key, tr("CPU")};
    // Of a single program every heading would repeat its name.
    if (pids_.size() < 2 && pids_.begin()->second.size() < 2) {
      return {key, fmt::format("{} · {}", tr("CPU"), thread_text(info))};
    }
    const std::string process = fmt::format("{} · {}", tr("CPU"), short_process_name(info.process));
    if (info.tid == 0 && only_rank(info)) return {key, process};  // its main thread
    return {key, fmt::format("{} · {}", process, thread_text(info))};
  }

 private:
  // The index of a GPU's process among the processes that use GPUs; not its process id, which differs in every run.
  std::string gpu_key(const LaneInfo& info) const {
    if (const auto rank = only_rank(info)) return fmt::format("gpu|{}|rank {}", info.device, *rank);
    const auto process = using_gpus_.find({info.host, info.pid});
    const auto place = std::distance(using_gpus_.begin(), process);
    return place == 0 ? fmt::format("gpu|{}", info.device) : fmt::format("gpu|{}|process {}", info.device, place);
  }

  // The rank of a GPU's process, unless another one says that it is the same.
  std::optional<int> only_rank(const LaneInfo& info) const {
    const auto found = info.rank ? of_rank_.find(*info.rank) : of_rank_.end();
    return found != of_rank_.end() && found->second.size() == 1 ? info.rank : std::nullopt;
  }

  // Each process numbers its own GPUs.
  std::string gpu_name(const LaneInfo& info) const {
    const std::string gpu = fmt::format("{} {}", tr("GPU"), info.device);
    if (using_gpus_.size() < 2) return gpu;
    if (const auto rank = only_rank(info)) return fmt::format("{} · {}", trace::rank_name(*rank, {}), gpu);
    const std::string process = fmt::format("{} {}", tr("process"), info.pid);
    return (info.host.empty() ? process : info.host + " · " + process) + " · " + gpu;
  }

  // A GPU's lanes belong to the program that used it. In traces of older versions they have no pid.
  std::pair<std::string, std::string> by_process(const LaneInfo& info) const {
    const auto pids = pids_.find(info.process);
    const std::string name = info.process.empty() ? std::string(tr("process")) : short_process_name(info.process);
    if (pids == pids_.end()) return {"process|" + info.process, name};
    const auto found = pids->second.find({info.host, info.pid});
    const auto which =
        found == pids->second.end() ? 0 : static_cast<std::size_t>(std::distance(pids->second.begin(), found));
    const std::int64_t pid = found == pids->second.end() ? pids->second.begin()->pid : info.pid;
    const bool only = pids->second.size() == 1 && info.rank;
    return {fmt::format("process|{}|{}", info.process, which),
            pid > 0 && !only ? fmt::format("{} · {} {}", name, tr("process"), pid) : name};
  }

  Threads threads_;
  std::set<Owner> cpu_owners_, gpu_owners_;
  std::set<std::pair<trace::Process, std::int32_t>> devices_;
  std::set<trace::Process> using_gpus_;
  std::map<int, std::set<trace::Process>> of_rank_;
  std::map<std::string, std::set<trace::Process>> pids_;
  std::map<Owner, std::size_t> place_;  // a thread's index within its process, in order of appearance
};

// Puts lanes of one group together, with groups in the order of their first lane.
void gather_groups(std::vector<OrderedLane>& entries) {
  std::map<std::string, std::size_t> rank;
  for (const OrderedLane& entry : entries) rank.try_emplace(entry.group, rank.size());
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const OrderedLane& a, const OrderedLane& b) { return rank[a.group] < rank[b.group]; });
}

// Applies the user's order. Lanes that are not in it follow their default predecessor.
void apply_order(std::vector<OrderedLane>& entries, const std::vector<std::string>& order) {
  if (order.empty()) return;
  std::map<std::string, std::size_t> rank;
  for (const std::string& key : order) rank.try_emplace(key, rank.size() + 1);
  std::vector<std::pair<std::size_t, OrderedLane>> ranked;
  std::size_t behind = 0;
  for (OrderedLane& entry : entries) {
    const auto found = rank.find(entry.key);
    if (found != rank.end()) behind = found->second;
    ranked.emplace_back(behind, std::move(entry));
  }
  // Lanes in the list come before those that merely follow them.
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    const bool a_follows = !rank.contains(a.second.key);
    const bool b_follows = !rank.contains(b.second.key);
    return std::pair(a.first, a_follows) < std::pair(b.first, b_follows);
  });
  entries.clear();
  for (auto& [number, entry] : ranked) entries.push_back(std::move(entry));
}

}  // namespace

std::vector<OrderedLane> ordered_lanes(const trace::Trace& trace, const LaneLayout& layout) {
  const std::vector<std::string> keys = lane_keys(trace);
  const Owners owners(trace, keys.size());
  std::vector<LaneId> lanes;
  std::size_t iterations = 0;
  for (std::size_t l = 0; l < keys.size(); ++l) {
    const LaneInfo& info = trace.lane(static_cast<LaneId>(l)).info();
    if (info.kind == LaneKind::Iterations) ++iterations;
    if (has_order_row(info)) lanes.push_back(static_cast<LaneId>(l));
  }
  if (layout.left_out().iterations && iterations == 1) {
    std::erase_if(lanes, [&](LaneId l) { return trace.lane(l).info().kind == LaneKind::Iterations; });
  }
  std::sort(lanes.begin(), lanes.end(), [&](LaneId a, LaneId b) {
    return order_of(trace.lane(a).info(), owners.threads()) < order_of(trace.lane(b).info(), owners.threads());
  });
  std::vector<OrderedLane> entries;
  bool gpu_begun = false;
  for (const LaneId l : lanes) {
    const LaneInfo& info = trace.lane(l).info();
    OrderedLane entry;
    std::tie(entry.group, entry.heading) = owners.group(info, layout.grouping());
    if (!trace::is_cpu_lane(info.kind) && !std::exchange(gpu_begun, true) && !layout.left_out().curve) {
      OrderedLane curve;
      curve.key = kRunAheadKey;
      curve.name = tr("launches\nin flight");
      if (layout.grouping() == LaneGrouping::Process) {
        curve.group = entry.group;
        curve.heading = entry.heading;
      } else if (layout.grouping() != LaneGrouping::None) {
        curve.group = kRunAheadKey;
        curve.heading = tr("RUN-AHEAD");
      }
      entries.push_back(std::move(curve));
    }
    entry.lane = l;
    entry.key = keys[l];
    entry.name = info.name;
    entry.owner = owners.owner(info);
    entry.compact = owners.threads().helps(info);
    entry.gpu = !trace::is_cpu_lane(info.kind);
    entries.push_back(std::move(entry));
  }
  if (layout.grouping() != LaneGrouping::None) gather_groups(entries);
  apply_order(entries, layout.order());
  // The CPU's lanes above the curve, the GPU's below it.
  std::stable_sort(entries.begin(), entries.end(), [](const OrderedLane& a, const OrderedLane& b) {
    const auto part = [](const OrderedLane& entry) { return !entry.lane ? 1 : entry.gpu ? 2 : 0; };
    return part(a) < part(b);
  });
  return entries;
}

}  // namespace lanescope::ui
