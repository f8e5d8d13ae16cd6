#include "analysis/lane_facts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/collectives.h"
#include "trace/names.h"

namespace lanescope::analysis {

void LaneFacts::look() {
  known_ = trace_.lane_count();
  owners_.refresh();
  lanes_.clear();
  for (std::size_t l = 0; l < known_; ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = trace_.lane(lane).info();
    const auto next = static_cast<std::uint32_t>(threads_.size());
    const auto thread = threads_.try_emplace({trace::Process{info.host, info.pid}, info.tid}, next).first;
    const trace::GpuNumber gpu = owners_.gpu_of(lane);
    lanes_.push_back({std::int64_t{gpu} << 32 | static_cast<std::uint32_t>(info.stream), thread->second,
                      owners_.process_of(lane), gpu});
  }
}

// --- call names ------------------------------------------------------------------------------------------------------

namespace {

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return text.starts_with(p); });
}

/// Of other back ends' calls, see trace::call_nature(): urUSMHostAlloc, mtiaMalloc, aclrtFree.
CallRole role_of_others(std::string_view name) {
  const auto has = [name](std::string_view word, std::string_view capital) {
    return name.find(word) != std::string_view::npos || name.find(capital) != std::string_view::npos;
  };
  switch (trace::call_nature(name)) {
    case trace::CallNature::Launch:
      return has("emset", "Fill") ? CallRole::Other : CallRole::KernelLaunch;
    case trace::CallNature::BlockingCopy:
    case trace::CallNature::AsyncCopy:
      return CallRole::MemoryCopy;
    case trace::CallNature::Sync:
      return CallRole::Other;
    case trace::CallNature::Other:
      break;
  }
  if (has("async", "Async") || has("enqueue", "Enqueue")) return CallRole::Other;
  if (has("alloc", "Alloc")) return has("host", "Host") ? CallRole::Pinning : CallRole::Allocation;
  return has("free", "Free") ? CallRole::Allocation : CallRole::Other;
}

CallRole role_of(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kLaunches{
      "cudaLaunchKernel", "cuLaunchKernel",      "cudaGraphLaunch",       "cuGraphLaunch",
      "hipLaunchKernel",  "hipExtLaunchKernel",  "hipModuleLaunchKernel", "hipExtModuleLaunchKernel",
      "hipGraphLaunch",   "hipLaunchCooperative"};
  static constexpr std::array<std::string_view, 3> kCopies{"cudaMemcpy", "cuMemcpy", "hipMemcpy"};
  static constexpr std::array<std::string_view, 10> kPinning{
      "cudaHostAlloc",     "cudaMallocHost", "cudaHostRegister", "cuMemHostAlloc", "cuMemAllocHost",
      "cuMemHostRegister", "hipHostMalloc",  "hipHostAlloc",     "hipMallocHost",  "hipHostRegister"};
  static constexpr std::array<std::string_view, 9> kAllocation{"cudaMalloc", "cudaFree",    "cudaHostUnregister",
                                                               "cuMemAlloc", "cuMemFree",   "hipMalloc",
                                                               "hipFree",    "hipHostFree", "hipHostUnregister"};
  if (begins_with_any(name, kLaunches)) return CallRole::KernelLaunch;
  if (begins_with_any(name, kCopies)) return CallRole::MemoryCopy;
  if (begins_with_any(name, kPinning)) return CallRole::Pinning;
  // cudaMallocAsync and cudaFreeAsync only enqueue the request on a stream.
  if (begins_with_any(name, kAllocation) && name.find("Async") == std::string_view::npos) return CallRole::Allocation;
  if (!collective_operation(name).empty()) return CallRole::Collective;
  for (const std::string_view known : {"cuda", "cu", "hip"}) {
    if (name.starts_with(known)) return CallRole::Other;
  }
  return role_of_others(name);
}

}  // namespace

void CallNames::learn(base::NameId up_to) {
  for (auto id = static_cast<base::NameId>(roles_.size()); id <= up_to; ++id)
    roles_.push_back(role_of(names_.text(id)));
}

// --- ranges of the threads
// ---------------------------------------------------------------------------------------------

ThreadRanges::ThreadRanges(const trace::Trace& trace) : facts_(trace) {
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const auto lane = static_cast<trace::LaneId>(id);
    if (trace.lane(lane).info().kind != trace::LaneKind::Phases) continue;
    const std::size_t thread = facts_.thread_of(lane);
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r)
      threads_[thread].push_back({&trace.lane(lane).row(r)});
  }
}

namespace {

bool names_a_place(const trace::Event& range) {
  const trace::RangeKind kind = trace::range_kind_of(range);
  return kind != trace::RangeKind::Timed && kind != trace::RangeKind::Iteration && kind != trace::RangeKind::Warning &&
         !trace::is_stale_read(range);
}

}  // namespace

base::NameId ThreadRanges::around(trace::LaneId lane, base::Nanoseconds from, base::Nanoseconds to,
                                  base::Nanoseconds longest_ns) {
  const std::size_t thread = facts_.thread_of(lane);
  if (thread >= threads_.size()) return 0;
  const base::Nanoseconds t = from + (to - from) / 2;
  base::NameId name = 0;
  base::Nanoseconds start = 0, end = 0;
  for (Cursor& c : threads_[thread]) {
    const trace::EventIndex first = c.row->first(), last = c.row->last();
    if (c.at < first || c.at > last || (c.at > first && c.row->end(c.at - 1) > t)) c.at = first;
    c.at = c.row->first_ending_after(t, c.at, last);
    if (c.at == last || c.row->start(c.at) > t) continue;
    const trace::Event range = c.row->event(c.at);
    if (!names_a_place(range) || range.duration() > longest_ns) continue;
    if (2 * (std::min(range.end_ns, to) - std::max(range.start_ns, from)) < to - from) continue;
    const bool inner = range.start_ns > start || (range.start_ns == start && range.end_ns <= end);
    if (name != 0 && !inner) continue;
    name = range.name;
    start = range.start_ns;
    end = range.end_ns;
  }
  return name;
}

std::string_view without_folders(std::string_view path) {
  const std::size_t end = std::min(path.find('('), path.size());
  const std::size_t slash = path.substr(0, end).rfind('/');
  return slash == std::string_view::npos || slash + 1 >= path.size() ? path : path.substr(slash + 1);
}

}  // namespace lanescope::analysis
