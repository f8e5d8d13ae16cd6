#include "analysis/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "analysis/account.h"
#include "analysis/breakdown.h"
#include "analysis/event_query.h"
#include "analysis/recorded_time.h"
#include "analysis/whole_iterations.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::Event;
using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;

struct CountedStretch {
  Nanoseconds from = 0, to = 0;
};

/// The time that counts, in order and apart, and the iterations in it.
struct Counted {
  std::vector<CountedStretch> intervals;
  std::int64_t iterations = 0;

  Nanoseconds span() const {
    Nanoseconds sum = 0;
    for (const CountedStretch& i : intervals) sum += i.to - i.from;
    return sum;
  }
};

// An iteration lasts from the end of the one before it to its own.
Counted whole_iterations(std::span<const IterationRecord> records, CountedStretch stretch,
                         const trace::Coverage& coverage) {
  Counted counted;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const CountedStretch one{records[i - 1].end_ns, records[i].end_ns};
    if (one.from < stretch.from || one.to > stretch.to) continue;
    const auto at = coverage.first_ending_after(one.from);
    if (at == coverage.last() || coverage.interval(at).begin > one.from || coverage.interval(at).end < one.to) continue;
    counted.iterations += records[i].number - records[i - 1].number;
    if (!counted.intervals.empty() && counted.intervals.back().to == one.from) {
      counted.intervals.back().to = one.to;
    } else {
      counted.intervals.push_back(one);
    }
  }
  return counted;
}

std::uint64_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

// "Input Dims": [[64, 1000], [1000]], among the arguments of an operator; 0: it has none.
std::uint64_t shape_of(std::string_view arguments) {
  constexpr std::string_view kKey = "\"Input Dims\":";
  const std::size_t at = arguments.find(kKey);
  if (at == std::string_view::npos) return 0;
  int depth = 0;
  for (std::size_t i = at + kKey.size(); i < arguments.size(); ++i) {
    depth += arguments[i] == '[' ? 1 : arguments[i] == ']' ? -1 : 0;
    if (depth == 0 && arguments[i] == ']') return hash(arguments.substr(at, i - at));
  }
  return 0;
}

std::string copy_name(const Event& copy) {
  const trace::CopyTraits traits = trace::copy_traits_of(copy);
  std::string name(direction_key(traits.direction));
  const bool up = traits.direction == trace::CopyDirection::HostToDevice;
  if (!up && traits.direction != trace::CopyDirection::DeviceToHost) return name;
  return name + ", " + std::string(memory_key(up ? traits.source : traits.destination));
}

class Collector {
 public:
  Collector(const trace::Trace& trace, const Counted& counted, trace::GpuNumber gpu)
      : trace_(trace), counted_(counted), owners_(trace), gpu_(gpu) {
    if (gpu_ != trace::kNobody) process_ = owners_.gpus()[gpu_].process;
  }

  void collect() {
    for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
      const auto id = static_cast<LaneId>(l);
      const LaneKind kind = trace_.lane(id).info().kind;
      if (trace::is_gpu_work_lane(kind)) {
        if (gpu_ == trace::kNobody || owners_.gpu_of(id) == gpu_) each(id, [&](const Event& e) { add_work(e); });
      } else if (process_ == trace::kNobody || owners_.process_of(id) == process_) {
        if (kind == LaneKind::Calls) each(id, [&](const Event& e) { add_call(e); });
        if (kind == LaneKind::Phases) add_operators(id);
      }
    }
  }
  void add_idle(const CauseTimes& idle) {
    for (std::size_t c = 0; c < kBubbleCauses; ++c) {
      if (idle[c] > 0) add(CostKind::Idle, cause_key(static_cast<BubbleCause>(c)), idle[c], 0);
    }
  }
  std::vector<Cost> costs() {
    std::vector<Cost> all;
    for (auto& [key, sum] : sums_) {
      Cost cost{key.first, key.second, sum.count, sum.ns, {}};
      if (key.first == CostKind::Idle) cost.count = 0;
      cost.shapes.assign(sum.shapes.begin(), sum.shapes.end());
      all.push_back(std::move(cost));
    }
    return all;
  }

 private:
  static constexpr std::size_t kMostShapes = 1000;  // of one name; a trace's names are limited by its name table
  struct Sum {
    double count = 0, ns = 0;
    std::set<std::uint64_t> shapes;
  };

  template <typename Visit>
  void each(LaneId id, Visit visit) {
    for (const CountedStretch& interval : counted_.intervals) {
      const EventQuery query{.from = interval.from, .to = interval.to, .lanes = {id}};
      scan(trace_, event_sources(trace_, query), {},
           [&](const EventSource&, const trace::Block& block, trace::EventIndex i, trace::EventIndex last) {
             for (; i < last; ++i) visit(trace::event(block, i % trace::kBlockEvents));
           });
    }
  }
  Sum& add(CostKind kind, std::string_view name, Nanoseconds ns, std::uint64_t shape) {
    Sum& sum = sums_[{kind, std::string(name)}];
    ++sum.count;
    sum.ns += static_cast<double>(ns);
    if (shape != 0 && sum.shapes.size() < kMostShapes) sum.shapes.insert(shape);
    return sum;
  }
  std::string_view name(const Event& e) const { return trace_.names().text(e.name); }

  void add_work(const Event& e) {
    if (e.kind == EventKind::Copy) {
      add(CostKind::Copy, copy_name(e), e.duration(), trace::bytes_of(e) + 1);
      return;
    }
    const auto shape = trace_.launches().find(trace::launch_of(e));
    add(CostKind::Kernel, name(e), e.duration(), shape ? trace::hash_of(*shape) : 0);
  }
  void add_call(const Event& e) {
    const trace::CallParts parts = trace::parts_of(e);
    const Nanoseconds waits = parts.waiting + parts.copying + parts.returning;
    add(CostKind::Call, name(e), e.duration() - waits, 0);
    if (waits > 0) add(CostKind::Wait, name(e), waits, 0);
  }
  // Operators nest: each counts without those inside it.
  void add_operators(LaneId id) {
    std::vector<Event> operators;
    each(id, [&](const Event& e) {
      if (trace::range_kind_of(e) == trace::RangeKind::Operator) operators.push_back(e);
    });
    std::ranges::stable_sort(operators, [](const Event& a, const Event& b) {
      return std::pair(a.start_ns, -a.end_ns) < std::pair(b.start_ns, -b.end_ns);
    });
    std::vector<std::pair<Nanoseconds, Sum*>> around;
    for (const Event& e : operators) {
      while (!around.empty() && around.back().first <= e.start_ns) around.pop_back();
      if (!around.empty()) {
        around.back().second->ns -= static_cast<double>(std::min(e.end_ns, around.back().first) - e.start_ns);
      }
      const trace::NameId arguments = trace::arguments_of(e);
      const bool known = arguments != 0 && arguments != base::NameTable::kOverflow;
      Sum& sum =
          add(CostKind::Operator, name(e), e.duration(), known ? shape_of(trace_.arguments().text(arguments)) : 0);
      around.emplace_back(e.end_ns, &sum);
    }
  }

  const trace::Trace& trace_;
  const Counted& counted_;
  trace::Owners owners_;
  const trace::GpuNumber gpu_;
  trace::ProcessNumber process_ = trace::kNobody;
  std::map<std::pair<CostKind, std::string>, Sum> sums_;
};

bool differ(double a, double b, double share) { return std::abs(a - b) > share * std::max(a, b); }

}  // namespace

std::string_view cost_kind_name(CostKind kind) {
  constexpr std::array<const char*, kCostKinds> kNames{N_("kernel"),   N_("copy"), N_("idle time"),
                                                       N_("operator"), N_("call"), N_("wait")};
  return tr(kNames[static_cast<std::size_t>(kind)]);
}

std::string_view cost_kind_key(CostKind kind) {
  constexpr std::array<std::string_view, kCostKinds> kKeys{"kernel", "copy", "idle", "operator", "call", "wait"};
  return kKeys[static_cast<std::size_t>(kind)];
}

LoopCosts loop_costs(const trace::Trace& trace, const LiveAnalysis& analysis, const Summary& figures) {
  const trace::GpuNumber gpu = figures.verdict_gpu;
  const std::span<const IterationRecord> records = analysis.records(gpu);
  Counted counted;
  if (const auto stretch = steady_stretch(trace, records, kAdvised)) {
    const Summary window = analysis.window(stretch->first, stretch->second);
    if (window.in_parts) {
      const trace::Owners owners(trace);
      const trace::GpuNumber of = gpu != trace::kNobody ? gpu : 0;
      const bool known = of < owners.gpus().size() && owners.gpus()[of].process < owners.processes().size();
      if (known) {
        const std::int64_t pid = owners.processes()[owners.gpus()[of].process].pid;
        const trace::Trace::ReadLock lock(trace);
        counted = whole_iterations(records, {stretch->first, stretch->second}, trace.coverage(pid));
      }
      if (counted.iterations < kFewestWhole) counted = {};
    } else {
      counted.intervals = {{stretch->first, stretch->second}};
      counted.iterations = window.iteration.count;
    }
  }
  if (counted.iterations == 0) {
    const KeptRange kept = kept_range(trace);
    counted.intervals = {{kept.from, std::max(kept.from, std::min(kept.to, trace.complete_until()))}};
  }

  Collector collector(trace, counted, gpu);
  collector.collect();
  CauseTimes idle{};
  for (const CountedStretch& interval : counted.intervals) {
    const Summary window = gpu == trace::kNobody ? analysis.window(interval.from, interval.to)
                                                 : analysis.window(gpu, interval.from, interval.to);
    for (std::size_t c = 0; c < kBubbleCauses; ++c) idle[c] += window.bubble_by_cause_ns[c];
  }
  collector.add_idle(idle);
  return {counted.iterations, counted.span(), collector.costs()};
}

Differences differences(const LoopCosts& first, const LoopCosts& second) {
  Differences result;
  result.per_iteration = first.iterations > 0 && second.iterations > 0;
  std::map<std::pair<CostKind, std::string_view>, std::pair<const Cost*, const Cost*>> both;
  for (const Cost& cost : first.costs) both[{cost.kind, cost.name}].first = &cost;
  for (const Cost& cost : second.costs) both[{cost.kind, cost.name}].second = &cost;
  const double first_of = result.per_iteration ? static_cast<double>(first.iterations) : 1;
  const double second_of = result.per_iteration ? static_cast<double>(second.iterations) : 1;
  for (const auto& [key, costs] : both) {
    Difference& row = result.rows.emplace_back();
    row.kind = key.first;
    row.name = key.second;
    if (const Cost* cost = costs.first) {
      row.first_count = cost->count / first_of;
      row.first_ns = cost->ns / first_of;
    }
    if (const Cost* cost = costs.second) {
      row.second_count = cost->count / second_of;
      row.second_ns = cost->ns / second_of;
    }
    if (!costs.first || !costs.second) continue;
    row.other_count = differ(row.first_count, row.second_count, 0.01);
    row.other_length = row.kind != CostKind::Idle && differ(costs.first->each_ns(), costs.second->each_ns(), 0.02);
    row.other_shapes =
        !costs.first->shapes.empty() && !costs.second->shapes.empty() && costs.first->shapes != costs.second->shapes;
  }
  std::ranges::stable_sort(result.rows, std::ranges::greater{},
                           [](const Difference& row) { return std::abs(row.change_ns()); });
  return result;
}

}  // namespace lanescope::analysis
