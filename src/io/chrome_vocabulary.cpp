#include "io/chrome_vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "io/python_stacks.h"

namespace lanescope::io {
namespace {

using trace::CopyDirection;
using trace::EventKind;
using trace::MemoryKind;

constexpr std::array<std::string_view, 10> kLaneKindKeys = {"iterations", "phases",   "calls",      "kernels",
                                                            "copy_h2d",   "copy_d2h", "copy_other", "gpu_ranges",
                                                            "markers",    "counter"};
constexpr std::array<std::string_view, trace::kLaneRoles> kLaneRoleKeys = {"none", "statements", "helper", "loss"};
constexpr std::array<std::string_view, trace::kRangeKinds> kRangeKindKeys = {
    "", "iteration", "phase", "read", "sync", "load", "operator", "compute", "timed", "warning", "print", "pin"};
constexpr std::array<std::string_view, trace::kMarkerKinds> kMarkerKindKeys = {"", "setting", "pause"};
constexpr std::array<const char*, 4> kDirections = {"HtoD", "DtoH", "DtoD", "PtoP"};
constexpr std::array<const char*, 3> kLongDirections = {"HostToDevice", "DeviceToHost", "DeviceToDevice"};  // AMD's
constexpr std::array<const char*, 3> kShortDirections = {"H2D", "D2H", "D2D"};
constexpr std::array<const char*, 3> kIntelDirections = {"(M2D)", "(D2M)", "(D2D)"};
constexpr std::array<const char*, 4> kMemoryKinds = {"Unknown", "Pageable", "Pinned", "Device"};
constexpr std::string_view kStepPrefix = "ProfilerStep#";

template <typename Value>
using Table = std::unordered_map<std::string_view, Value>;

template <typename Value>
std::optional<Value> look_up(const Table<Value>& table, std::string_view key) {
  const auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

/// Converts between an enumerator and its key; an empty key means none.
template <typename Enum, std::size_t N>
std::string_view key_in(const std::array<std::string_view, N>& keys, Enum value) {
  const auto place = static_cast<std::size_t>(value);
  return place < N ? keys[place] : std::string_view();
}
template <typename Enum, std::size_t N>
std::optional<Enum> from_key(const std::array<std::string_view, N>& keys, std::string_view key) {
  for (std::size_t i = 0; i < N && !key.empty(); ++i) {
    if (keys[i] == key) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

MemoryKind memory_kind_in(std::string_view text) {
  for (const auto kind : {MemoryKind::Pageable, MemoryKind::Pinned, MemoryKind::Device}) {
    if (text.find(kMemoryKinds.at(static_cast<std::size_t>(kind))) != std::string_view::npos) return kind;
  }
  return MemoryKind::Unknown;
}

}  // namespace

std::string_view category_of(EventKind kind, trace::LaneKind lane) {
  switch (kind) {
    case EventKind::Range:
      return lane == trace::LaneKind::GpuRanges ? "gpu_user_annotation" : "user_annotation";
    case EventKind::Call:
      return "cuda_runtime";
    case EventKind::Kernel:
      return "kernel";
    case EventKind::Copy:
      return "gpu_memcpy";
    case EventKind::Memset:
      return "gpu_memset";
    case EventKind::Marker:
      return "marker";
    case EventKind::Counter:
      return "counter";
  }
  return "";
}

std::optional<EventKind> kind_of_category(std::string_view category) {
  static const Table<EventKind> table = {
      {"user_annotation", EventKind::Range}, {"gpu_user_annotation", EventKind::Range},
      {"cuda_runtime", EventKind::Call},     {"kernel", EventKind::Kernel},
      {"gpu_memcpy", EventKind::Copy},       {"gpu_memset", EventKind::Memset},
      {"marker", EventKind::Marker},         {"counter", EventKind::Counter}};
  return look_up(table, category);
}

std::string_view lane_kind_key(trace::LaneKind kind) { return key_in(kLaneKindKeys, kind); }
std::optional<trace::LaneKind> lane_kind_from_key(std::string_view key) {
  return from_key<trace::LaneKind>(kLaneKindKeys, key);
}
std::string_view lane_role_key(trace::LaneRole role) { return key_in(kLaneRoleKeys, role); }
std::optional<trace::LaneRole> lane_role_from_key(std::string_view key) {
  return from_key<trace::LaneRole>(kLaneRoleKeys, key);
}
std::string_view range_kind_key(trace::RangeKind kind) { return key_in(kRangeKindKeys, kind); }
std::optional<trace::RangeKind> range_kind_from_key(std::string_view key) {
  return from_key<trace::RangeKind>(kRangeKindKeys, key);
}
std::string_view marker_kind_key(trace::MarkerKind kind) { return key_in(kMarkerKindKeys, kind); }
std::optional<trace::MarkerKind> marker_kind_from_key(std::string_view key) {
  return from_key<trace::MarkerKind>(kMarkerKindKeys, key);
}

trace::LaneRole role_of_unmarked(const trace::LaneInfo& lane) {
  if (lane.kind == trace::LaneKind::Counter && lane.name == "loss") return trace::LaneRole::Loss;
  if (lane.kind != trace::LaneKind::Phases) return trace::LaneRole::None;
  if (lane.name == "phase") return trace::LaneRole::Statements;
  return lane.tid != 0 ? trace::LaneRole::Helper : trace::LaneRole::None;  // the loop's own thread always had 0
}

trace::RangeKind kind_of_unmarked(const trace::LaneInfo& lane, std::string_view range) {
  using trace::RangeKind;
  if (lane.kind == trace::LaneKind::Iterations) return RangeKind::Iteration;
  if (lane.kind != trace::LaneKind::Phases) return RangeKind::Other;
  static const Table<RangeKind> of_lane = {{"CPU ops", RangeKind::Compute},
                                           {"stopwatch", RangeKind::Timed},
                                           {"warnings", RangeKind::Warning},
                                           {"waiting", RangeKind::Load}};
  if (const auto kind = look_up(of_lane, lane.name)) return *kind;
  if (lane.role == trace::LaneRole::Helper) return RangeKind::Load;
  if (lane.role != trace::LaneRole::Statements) return RangeKind::Other;
  static const Table<RangeKind> statements = {
      {"item()", RangeKind::Read},        {"total.item()", RangeKind::Read},   {"found_inf.item()", RangeKind::Read},
      {".cpu()", RangeKind::Read},        {"stack().cpu()", RangeKind::Read},  {".cpu().numpy()", RangeKind::Read},
      {"synchronize()", RangeKind::Sync}, {"elapsed_time()", RangeKind::Sync}, {"print(loss)", RangeKind::Print},
      {"f-string", RangeKind::Print},     {"pin_memory()", RangeKind::Pin}};
  return look_up(statements, range).value_or(RangeKind::Phase);
}

namespace {

bool has(std::string_view text, std::initializer_list<std::string_view> any) {
  return std::ranges::any_of(any, [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

bool asks_for_data(std::string_view name, bool of_operator) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (const auto frame = python_frame(lower)) {
    // A generator is entered once for each value that it yields.
    static const std::set<std::string_view> of_iterators = {"__next__", "next",         "__iter__",
                                                            "get_next", "iter_batches", "iter_torch_batches"};
    return of_iterators.contains(frame->function) &&
           has(frame->file, {"data", "loader", "dali", "fetcher", "streaming"});
  }
  std::erase_if(lower, [](char c) { return c == ' ' || c == '_' || c == '-' || c == '.'; });
  // tf.data's stages ("Iterator::Prefetch") work on threads of their own; this asks them.
  if (has(lower, {"iteratorgetnext", "iterator::getnext"})) return true;
  if (has(lower, {"dataloader", "dataiter", "dataset", "dali", "raydata"}) && has(lower, {"next", "enumerate("}))
    return true;
  return !of_operator && !has(lower, {"parallel", "::"}) &&
         has(lower,
             {"dataload",  "loaddata",     "loadingdata",    "fetchdata",   "datafetch", "getdata",    "nextdata",
              "readdata",  "waitfordata",  "waitingfordata", "datawait",    "datatime",  "loadbatch",  "loadingbatch",
              "batchload", "fetchbatch",   "batchfetch",     "getbatch",    "nextbatch", "readbatch",  "waitforbatch",
              "batchwait", "waitforinput", "inputpipeline",  "next(loader", "next(data", "next(train", "next(iter"});
}

trace::RangeKind kind_of_foreign_range(std::string_view category, std::string_view name) {
  using trace::RangeKind;
  static const Table<RangeKind> by_name = {{"item()", RangeKind::Read},
                                           {"stopwatch", RangeKind::Timed},
                                           {"pin_memory()", RangeKind::Pin},
                                           {"aten::pin_memory", RangeKind::Pin}};
  if (const auto kind = look_up(by_name, name)) return *kind;
  if (step_number(name)) return RangeKind::Iteration;
  const bool of_operator = category == "cpu_op" || category == "Operator";
  if (asks_for_data(name, of_operator)) return RangeKind::Load;
  return of_operator ? RangeKind::Operator : RangeKind::Other;
}

bool names_a_setting_change(std::string_view unmarked) { return unmarked.find(" → ") != std::string_view::npos; }

Meaning meaning_of_category(std::string_view category) {
  // Those with a capital letter are from early versions of the profiler.
  static const Table<Meaning> table = {{"cuda_runtime", Meaning::Call},
                                       {"cuda_driver", Meaning::Call},
                                       {"Runtime", Meaning::Call},
                                       {"kernel", Meaning::Kernel},
                                       {"Kernel", Meaning::Kernel},
                                       {"gpu_memcpy", Meaning::Copy},
                                       {"Memcpy", Meaning::Copy},
                                       {"gpu_memset", Meaning::Memset},
                                       {"Memset", Meaning::Memset},
                                       {"gpu_user_annotation", Meaning::GpuRange},
                                       {"cuda_event", Meaning::GpuRange},
                                       {"mtia_ccp_events", Meaning::Kernel},  // what the accelerator runs
                                       {"hpu_op", Meaning::Call},
                                       {"Trace", Meaning::Nothing},
                                       {"overhead", Meaning::Nothing},
                                       {"cuda_profiler_range", Meaning::Nothing},
                                       {"xpu_scope_profiler", Meaning::Nothing}};
  if (const auto known = look_up(table, category)) return *known;
  // Each back end has categories of its own, with the same endings: "xpu_runtime", "privateuse1_driver", "xpu_sync".
  if (category.ends_with("_runtime") || category.ends_with("_driver")) return Meaning::Call;
  if (category.ends_with("_sync")) return Meaning::Sync;
  if (category.ends_with("kernel")) return Meaning::Kernel;
  if (category.ends_with("memcpy")) return Meaning::Copy;
  if (category.ends_with("memset")) return Meaning::Memset;
  return Meaning::Range;
}

Meaning meaning_of_kernel(std::string_view name) {
  for (const std::string_view copy :
       {"__amd_rocclr_copyBuffer", "CopyHostToDevice", "CopyDeviceToHost", "CopyDeviceToDevice"}) {
    if (name.starts_with(copy)) return Meaning::Copy;
  }
  if (name == "event_wait" || name == "event_record") return Meaning::GpuRange;  // MTIA's, which do nothing
  return name.starts_with("__amd_rocclr_fillBuffer") || name == "FillBuffer" ? Meaning::Memset : Meaning::Kernel;
}

std::string copy_name(const trace::CopyTraits& traits) {
  return std::string("Memcpy ") + kDirections.at(static_cast<std::size_t>(traits.direction)) + " (" +
         kMemoryKinds.at(static_cast<std::size_t>(traits.source)) + " -> " +
         kMemoryKinds.at(static_cast<std::size_t>(traits.destination)) + ")";
}

trace::CopyTraits traits_of_copy_name(std::string_view name) {
  trace::CopyTraits traits;
  for (const auto direction :
       {CopyDirection::HostToDevice, CopyDirection::DeviceToHost, CopyDirection::DeviceToDevice}) {
    const auto place = static_cast<std::size_t>(direction);
    if (name.find(kDirections.at(place)) != std::string_view::npos ||
        name.find(kLongDirections.at(place)) != std::string_view::npos ||
        name.find(kShortDirections.at(place)) != std::string_view::npos ||
        name.find(kIntelDirections.at(place)) != std::string_view::npos) {
      traits.direction = direction;
    }
  }
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos) return traits;
  const std::size_t arrow = name.find("->", open);
  if (arrow == std::string_view::npos) return traits;
  traits.source = memory_kind_in(name.substr(open, arrow - open));
  traits.destination = memory_kind_in(name.substr(arrow));
  return traits;
}

bool moves_pages(std::string_view copy) {
  for (const std::string_view word : {"Unified", "Managed", "unified", "managed", "igration"}) {
    if (copy.find(word) != std::string_view::npos) return true;
  }
  return false;
}

std::string step_name(std::uint32_t number) { return std::string(kStepPrefix) + std::to_string(number); }

std::optional<std::uint32_t> step_number(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  std::uint32_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kStepPrefix.size(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

int callback_id(std::string_view name) {
  static const Table<int> table = {{"cudaMalloc", 20},
                                   {"cudaFree", 22},
                                   {"cudaMallocHost", 25},
                                   {"cudaFreeHost", 26},
                                   {"cudaHostAlloc", 27},
                                   {"cudaMemcpy", 31},
                                   {"cudaMemcpyAsync", 41},
                                   {"cudaMemset", 49},
                                   {"cudaMemsetAsync", 51},
                                   {"cudaStreamCreate", 129},
                                   {"cudaStreamSynchronize", 131},
                                   {"cudaStreamQuery", 132},
                                   {"cudaEventCreate", 133},
                                   {"cudaEventCreateWithFlags", 134},
                                   {"cudaEventRecord", 135},
                                   {"cudaEventSynchronize", 137},
                                   {"cudaEventQuery", 138},
                                   {"cudaEventElapsedTime", 139},
                                   {"cudaStreamWaitEvent", 147},
                                   {"cudaDeviceSynchronize", 165},
                                   {"cudaStreamCreateWithFlags", 198},
                                   {"cudaLaunchKernel", 211},
                                   {"cudaGraphLaunch", 311}};
  return look_up(table, name).value_or(0);
}

}  // namespace lanescope::io
