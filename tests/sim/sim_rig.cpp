#include "sim/sim_rig.h"

#include <algorithm>

namespace lanescope::device::sim {
namespace {

class CollectingWriter final : public trace::EventWriter {
 public:
  explicit CollectingWriter(CollectingSink& sink) : sink_(sink) {}
  void write(const trace::Event& event) noexcept override { sink_.events.push_back(event); }
  void complete_until(Nanoseconds t) noexcept override {
    sink_.complete.push_back(t);
    sink_.complete_after.push_back(sink_.events.size());
  }

 private:
  CollectingSink& sink_;
};

struct Line {
  const char* key;
  const char* value;
};
constexpr Line kRoundNumbers[] = {
    {"cpu.dispatch_us", "10"},
    {"cpu.launch_us", "10"},
    {"cpu.memcpy_us", "20"},
    {"cpu.memset_us", "10"},
    {"cpu.event_record_us", "1"},
    {"cpu.event_query_us", "1"},
    {"cpu.stream_wait_us", "1"},
    {"cpu.sync_us", "5"},
    {"cpu.idle_return_us", "3"},
    {"cpu.wake_us", "50"},
    {"cpu.stream_create_us", "10"},
    {"cpu.event_create_us", "10"},
    {"cpu.malloc_us", "100"},
    {"cpu.free_us", "40"},
    {"cpu.host_alloc_us", "100"},
    {"cpu.host_alloc_us_per_mib", "1000"},
    {"cpu.host_free_us", "30"},
    {"cpu.host_free_us_per_mib", "500"},
    {"cpu.memory_gb_per_s", "10"},
    {"cpu.page_fault_us_per_mib", "100"},
    {"cpu.cores", "8"},
    {"cpu.fp32_gflops", "80"},
    {"cpu.op_us", "2"},
    {"cpu.graph_launch_us", "20"},
    {"cpu.graph_node_us", "1"},
    {"cpu.copy_gb_per_s", "10"},
    {"cpu.linear_us", "6"},
    {"cpu.linear_grad_us", "3"},
    {"cpu.graph_instantiate_us", "30"},
    {"gpu.launch_latency_us", "5"},
    {"gpu.copy_latency_us", "10"},
    {"gpu.kernel_floor_us", "100"},
    {"gpu.fp32_tflops", "1"},
    {"gpu.memory_gb_per_s", "100"},
    {"gpu.reached_fraction", "1"},
    {"gpu.sm_count", "4"},
    {"gpu.gemm_tile_rows", "16"},
    {"gpu.gemm_tile_columns", "32"},
    {"gpu.launch_queue_depth", "8"},
    {"gpu.graph_gap_us", "2"},
    {"link.h2d_pinned_gb_per_s", "10"},
    {"link.d2h_pinned_gb_per_s", "10"},
    {"link.h2d_pageable_gb_per_s", "5"},
    {"link.h2d_cached_gb_per_s", "10"},
    {"link.cached_copy_bytes", "0"},
    {"link.d2h_pageable_gb_per_s", "5"},
    {"link.copy_fixed_us", "2"},
    {"link.inline_limit_bytes", "65536"},
    {"link.staging_chunk_bytes", "100000"},
    {"link.staging_slots", "4"},
    {"jitter.spread", "0"},
};

}  // namespace

trace::LaneId CollectingSink::lane(const trace::LaneInfo& info) {
  const auto known = std::find(lanes.begin(), lanes.end(), info);
  if (known != lanes.end()) return static_cast<trace::LaneId>(known - lanes.begin());
  lanes.push_back(info);
  return static_cast<trace::LaneId>(lanes.size() - 1);
}

std::unique_ptr<trace::EventWriter> CollectingSink::open_writer() { return std::make_unique<CollectingWriter>(*this); }

std::string round_profile_text(const Replaced& replaced) {
  std::string text = "name = \"Round numbers\"\nsummary = \"For tests.\"\n";
  std::string table;
  for (const auto& [key_text, standard] : kRoundNumbers) {
    const std::string key = key_text;
    const std::size_t dot = key.find('.');
    if (key.substr(0, dot) != table) text += "[" + (table = key.substr(0, dot)) + "]\n";
    const auto other = replaced.find(key);
    const std::string value = other == replaced.end() ? standard : other->second;
    text += key.substr(dot + 1) + " = { value = " + value + ", source = \"assumed: round\" }\n";
  }
  return text;
}

Rig::Rig(const Replaced& replaced, std::uint64_t seed)
    : Rig(parse_profile(round_profile_text(replaced), "round.toml"), seed) {}

Rig::Rig(const DeviceProfile& profile, std::uint64_t seed) {
  DeviceContext context;
  context.sink = &sink;
  context.seed = seed;
  device = std::make_unique<SimDevice>(profile, context);
}

void Rig::kernel(double duration_us, Stream stream) {
  // A fill writes 4 bytes per element at 0.01 ns per byte: 25,000 elements are a microsecond above the floor of 100.
  const auto elements = static_cast<std::int32_t>((duration_us - 100) * 25'000);
  device->launch({ops::OpKind::Fill, std::max(elements, 1), 1, 1, 0.0f}, {}, stream, false);
}

void Rig::make_buffers(MemoryKind host_kind, std::size_t bytes) {
  host = device->allocate(host_kind, bytes);
  device->host_data(host);  // its pages are there
  gpu = device->allocate(MemoryKind::Device, bytes);
  start = device->now_ns();
}

std::vector<trace::Event> Rig::select(std::string_view name, trace::EventKind kind) const {
  std::vector<trace::Event> found;
  for (trace::Event event : sink.events) {
    if (event.kind != kind || event.start_ns < start || (!name.empty() && text(event.name) != name)) continue;
    event.start_ns -= start;
    event.end_ns -= start;
    found.push_back(event);
  }
  return found;
}

}  // namespace lanescope::device::sim
