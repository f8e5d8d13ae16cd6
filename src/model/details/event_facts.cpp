#include "model/details/event_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/translate.h"
#include "inspect/cause.h"
#include "inspect/destination.h"
#include "inspect/neighbours.h"
#include "inspect/owner_text.h"
#include "timeline/lane_row.h"
#include "trace/event.h"
#include "trace/names.h"
#include "workload/settings.h"

namespace lanescope::ui {
namespace {

constexpr int kMostDepth = 512;

using base::tr;
using trace::LaunchShape;

std::string title_of(const trace::Trace& trace, const EventRef& ref) {
  const trace::Event& e = ref.event;
  const trace::LaneKind lane = trace.lane(ref.lane).info().kind;
  if (e.kind == trace::EventKind::Marker) return workload::marker_text(trace.names(), {&e, 1});
  const bool labelled = lane == trace::LaneKind::Iterations || trace::is_stale_read(e);
  return labelled ? event_label(trace, lane, e) : std::string(trace.names().text(e.name));
}

void add_times(std::vector<Fact>& facts, const trace::Event& e, base::Nanoseconds origin) {
  if (e.kind == trace::EventKind::Marker) {
    facts.push_back({tr("marker at"), time_in_full(e.start_ns - origin)});
    return;
  }
  facts.push_back({tr("duration"), time_in_full(e.duration())});
  facts.push_back({tr("start"), time_in_full(e.start_ns - origin)});
  facts.push_back({tr("end"), time_in_full(e.end_ns - origin)});
  if (!trace::is_blocking(e)) return;
  const trace::CallParts parts = trace::parts_of(e);
  facts.push_back({tr("own cost"), base::format_duration(parts.own)});
  facts.push_back({tr("waiting for GPU"), base::format_duration(parts.waiting), Colour::Wait});
  facts.push_back({tr("copying"), base::format_duration(parts.copying)});
  facts.push_back({tr("return"), base::format_duration(parts.returning)});
}

/// Of a graph launch, how many nodes it ran; of a node, which of them it is. False for any other event.
bool add_graph(std::vector<Fact>& facts, const trace::Links& links, const EventRef& ref,
               const std::optional<EventRef>& linked) {
  const std::vector<EventRef> nodes = graph_nodes(links, ref);
  if (nodes.empty() || !linked) return false;
  if (!trace::is_gpu_work(ref.event.kind)) {
    facts.push_back({tr("runs as"), tr("a graph of {} nodes", nodes.size()), Colour::SelectionLink, linked});
    return true;
  }
  const auto same = [&](const EventRef& node) {
    return node.lane == ref.lane && node.row == ref.row && node.index == ref.index;
  };
  const auto number = std::ranges::find_if(nodes, same) - nodes.begin() + 1;
  facts.push_back({tr("graph node"), tr("{} of {}", number, nodes.size())});
  facts.push_back({tr("launched by"), shown_name(links.trace(), *linked), Colour::SelectionLink, linked});
  return true;
}

void add_link(std::vector<Fact>& facts, const trace::Links& links, const EventRef& ref,
              const std::optional<EventRef>& linked) {
  const trace::Trace& trace = links.trace();
  const trace::Event& e = ref.event;
  if (!linked) return;
  const std::string name = shown_name(trace, *linked);
  if (trace::is_sync(e)) {
    facts.push_back({tr("waited for"), name, Colour::SelectionLink, linked});
    return;
  }
  const bool from_gpu = trace::is_gpu_work(e.kind);
  if (!add_graph(facts, links, ref, linked)) {
    facts.push_back({from_gpu ? tr("issued by") : tr("runs as"), name, Colour::SelectionLink, linked});
  }
  const trace::Event& launch = from_gpu ? linked->event : e;
  const trace::Event& work = from_gpu ? e : linked->event;
  facts.push_back({tr("launch to start"), base::format_duration(work.start_ns - launch.start_ns)});
}

std::string sizes(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("{} × {} × {}", base::format_count(size[0]), base::format_count(size[1]),
                     base::format_count(size[2]));
}

double product(const std::array<std::uint32_t, 3>& size) {
  return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
}

std::string kibibytes(std::uint32_t bytes) {
  return bytes < 10'000 ? fmt::format("{} B", base::format_count(bytes))
                        : fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

void add_launch(std::vector<Fact>& facts, const LaunchShape& shape, int sm_count) {
  constexpr int kWarp = 32;  // threads, on every GPU that CUDA runs on
  const bool has_grid = product(shape.grid) > 0, has_block = product(shape.block) > 0;
  if (has_grid) facts.push_back({tr("grid"), sizes(shape.grid)});
  if (has_block) facts.push_back({tr("block"), sizes(shape.block)});
  if (has_grid && has_block) {
    facts.push_back({tr("threads"), base::format_count(std::llround(product(shape.grid) * product(shape.block)))});
  }
  if (shape.registers_per_thread != LaunchShape::kUnknown) {
    facts.push_back({tr("registers per thread"), base::format_count(shape.registers_per_thread)});
  }
  if (shape.static_shared_bytes != LaunchShape::kUnknown && shape.dynamic_shared_bytes != LaunchShape::kUnknown) {
    facts.push_back({tr("shared memory, static"), kibibytes(shape.static_shared_bytes)});
    facts.push_back({tr("shared memory, dynamic"), kibibytes(shape.dynamic_shared_bytes)});
  } else if (shape.shared_bytes != LaunchShape::kUnknown) {
    facts.push_back({tr("shared memory"), kibibytes(shape.shared_bytes)});
  }
  const double sms = sm_count;
  const double blocks = shape.blocks_per_sm >= 0 ? shape.blocks_per_sm
                        : has_grid && sms > 0    ? product(shape.grid) / sms
                                                 : -1;
  const double warps = shape.warps_per_sm >= 0               ? shape.warps_per_sm
                       : blocks >= 0 && has_block && sms > 0 ? blocks * product(shape.block) / kWarp
                                                             : -1;
  if (blocks >= 0) facts.push_back({tr("blocks per SM"), fmt::format("{:.4g}", blocks)});
  if (warps >= 0) facts.push_back({tr("warps per SM"), fmt::format("{:.4g}", warps)});
  if (shape.occupancy_percent >= 0) {
    facts.push_back({tr("occupancy, estimated"), fmt::format("{:.3g} %", shape.occupancy_percent)});
  }
  if (shape.context != LaunchShape::kUnknown) facts.push_back({tr("context"), std::to_string(shape.context)});
}

const char* memory_name(trace::MemoryKind kind) {
  switch (kind) {
    case trace::MemoryKind::Pageable:
      return tr("pageable");
    case trace::MemoryKind::Pinned:
      return tr("pinned");
    case trace::MemoryKind::Device:
      return tr("device");
    default:
      return tr("unknown");
  }
}

void add_bytes(std::vector<Fact>& facts, const trace::Event& e) {
  const std::int64_t bytes = trace::shown_bytes(e);
  const std::string exact = base::format_count(bytes);
  facts.push_back({tr("bytes"), bytes < 1000 ? exact : fmt::format("{} ({})", exact, base::format_bytes(bytes))});
  if (e.duration() > 0) {
    facts.push_back(
        {tr("rate"), fmt::format("{:.2f} GB/s", static_cast<double>(bytes) / static_cast<double>(e.duration()))});
  }
  if (e.kind != trace::EventKind::Copy) return;
  const trace::CopyTraits traits = trace::copy_traits_of(e);
  if (traits.source == trace::MemoryKind::Unknown && traits.destination == trace::MemoryKind::Unknown) return;
  facts.push_back({tr("memory"), fmt::format("{} → {}", memory_name(traits.source), memory_name(traits.destination))});
}

void add_owner(std::vector<Fact>& facts, const trace::LaneInfo& lane) {
  if (trace::is_gpu_lane(lane.kind)) {
    facts.push_back({tr("device · stream"), fmt::format("{} · {}", lane.device, lane.stream)});
  } else if (trace::is_cpu_lane(lane.kind) && (lane.tid != 0 || !lane.thread.empty())) {
    facts.push_back({tr("runs on"), thread_text(lane)});
  }
  if (lane.pid != 0) {
    facts.push_back({tr("program"),
                     lane.process.empty() ? std::to_string(lane.pid) : fmt::format("{} ({})", lane.process, lane.pid)});
  }
  if (!lane.host.empty()) facts.push_back({tr("host"), lane.host});
}

void add_arguments(std::vector<Fact>& facts, const trace::Trace& trace, const trace::Event& e) {
  if (trace::arguments_of(e) == base::NameTable::kOverflow) {
    facts.push_back({tr("not kept"), tr("too many different ones"), Colour::Dim});
    return;
  }
  const std::string_view members = trace.arguments().text(trace::arguments_of(e));
  if (members.empty()) return;
  // A session file may nest them as deeply as it likes; dump() calls itself for each depth.
  const auto shallow = [](int depth, nlohmann::ordered_json::parse_event_t, nlohmann::ordered_json&) {
    return depth <= kMostDepth;
  };
  const auto all = nlohmann::ordered_json::parse("{" + std::string(members) + "}", shallow, false);
  if (!all.is_object()) return;
  for (const auto& [name, value] : all.items()) {
    facts.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

}  // namespace

std::string shown_name(const trace::Trace& trace, const EventRef& ref) {
  const trace::LaneKind lane = trace.lane(ref.lane).info().kind;
  if (lane == trace::LaneKind::Iterations) return event_label(trace, lane, ref.event);
  const std::string_view name = trace.names().text(ref.event.name);
  return trace::is_gpu_work(ref.event.kind) ? trace::short_kernel_name(name) : std::string(name);
}

EventFacts event_facts(const trace::Links& links, const EventRef& ref, const std::optional<EventRef>& linked,
                       base::Nanoseconds origin, int sm_count, const UserFiles* files) {
  const trace::Trace& trace = links.trace();
  const trace::Event& e = ref.event;
  EventFacts facts;
  facts.title = title_of(trace, ref);
  add_times(facts.times, e, origin);
  add_link(facts.links, links, ref, linked);
  if (e.kind == trace::EventKind::Marker) return facts;
  if (const auto shape = trace.launches().find(trace::launch_of(e))) {
    add_launch(facts.details, *shape, sm_count);
  } else if (trace::launch_of(e) == trace::LaunchTable::kOverflow) {
    facts.details.push_back({tr("grid and block"), tr("not kept: too many different ones"), Colour::Dim});
  }
  if (e.kind == trace::EventKind::Copy || e.kind == trace::EventKind::Memset) add_bytes(facts.details, e);
  add_owner(facts.details, trace.lane(ref.lane).info());
  if (e.correlation != 0) facts.details.push_back({tr("correlation"), std::to_string(e.correlation)});
  if (const std::uint32_t id = trace::external_id_of(e)) {
    const bool counted = trace::collective_number(trace.collectives().of(trace::arguments_of(e)), id).has_value() &&
                         e.kind == trace::EventKind::Kernel;
    facts.details.push_back({counted ? tr("number in its communicator") : tr("external id"), std::to_string(id)});
  }
  facts.inside = enclosing_ranges(links, ref);
  add_arguments(facts.arguments, trace, e);
  facts.stack = call_stack(trace, site_of(links, ref), files);
  return facts;
}

EventFacts bubble_facts(const trace::Trace& trace, const analysis::Bubble& b, base::Nanoseconds origin) {
  using analysis::BubbleCause;
  EventFacts facts;
  facts.title = std::string(tr("GPU idle")) + " " + time_in_full(b.duration());
  facts.times.push_back({tr("cause"), std::string(analysis::cause_name(b.cause))});
  const std::string call(trace.names().text(b.call));
  const char* role = b.cause == BubbleCause::Loader      ? tr("waited in")
                     : b.cause == BubbleCause::AfterSync ? tr("drained by")
                     : b.cause == BubbleCause::GraphGap  ? tr("graph launched by")
                     : b.cause == BubbleCause::GpuWait   ? tr("launched by")
                                                         : tr("late call");
  if (!call.empty()) facts.times.push_back({role, call});
  facts.times.push_back({tr("start"), time_in_full(b.start_ns - origin)});
  facts.times.push_back({tr("end"), time_in_full(b.end_ns - origin)});
  return facts;
}

std::string facts_text(const trace::Trace& trace, const EventFacts& facts) {
  std::string text = facts.title + "\n";
  for (const auto* part : {&facts.times, &facts.links, &facts.details}) {
    for (const Fact& fact : *part) text += fmt::format("{}: {}\n", fact.name, fact.value);
  }
  if (!facts.stack.lines.empty()) text += std::string(tr("called from, innermost first")) + ":\n";
  for (const StackLine& line : facts.stack.lines) {
    text += "  " + line.sentence() + (line.source.empty() ? "" : "  " + line.source) + "\n";
  }
  if (!facts.inside.empty()) text += std::string(tr("inside, innermost first")) + ":\n";
  for (const EventRef& range : facts.inside) text += "  " + shown_name(trace, range) + "\n";
  for (const Fact& fact : facts.arguments) text += fmt::format("{}: {}\n", fact.name, fact.value);
  return text;
}

}  // namespace lanescope::ui
