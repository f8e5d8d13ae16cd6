#include "capture/assembly/operation_names.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "capture/assembly/record.h"
#include "trace/names.h"

namespace lanescope::capture {

trace::LaneInfo LaneNames::lane(trace::LaneKind kind, std::string name) const {
  trace::LaneInfo info;
  info.kind = kind;
  info.process = process;
  info.rank = rank;
  info.pid = pid;
  info.name = std::move(name);
  return info;
}

trace::LaneInfo LaneNames::calls(std::uint32_t number, bool is_main) const {
  trace::LaneInfo info = lane(trace::LaneKind::Calls, "CUDA calls");
  if (!is_main) {
    info.tid = number;
    info.name += fmt::format(", thread {}", number);
  }
  if (thread) info.thread = thread(number);
  return info;
}

trace::LaneInfo LaneNames::stream(trace::LaneKind kind, std::uint32_t device, std::uint32_t stream,
                                  bool is_default) const {
  const auto number = static_cast<std::int32_t>(stream);
  trace::LaneInfo info = lane(kind, trace::stream_lane_name(kind, number, is_default));
  info.device = static_cast<std::int32_t>(device);
  info.stream = number;
  return info;
}

// --- operation names -------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLongestName = 120;

constexpr std::array<std::string_view, kCopyKinds> kCopyKindNames{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                                  "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, kMemoryKinds> kMemoryKindNames{
    "Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};

std::string demangled(std::string_view raw) {
  std::string text(raw);
  if (!raw.starts_with("_Z")) return text;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status),
                                                     &std::free);
  if (plain && status == 0) text = plain.get();
  return text;
}

/// The start of the parameter list: the opening parenthesis that matches the last closing one. The name's length if
/// there is none.
std::size_t parameters_at(std::string_view name) {
  const std::size_t close = name.rfind(')');
  if (close == std::string_view::npos) return name.size();
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
}

}  // namespace

std::string kernel_name(std::string_view raw) {
  std::string name = demangled(raw);
  if (const std::size_t parameters = parameters_at(name); parameters > 0) {
    // A parenthesis inside template arguments, as in "k<(int)3>", does not start the parameter list.
    const std::string_view rest = std::string_view(name).substr(parameters);
    if (rest.find('>', rest.rfind(')') == std::string_view::npos ? 0 : rest.rfind(')')) == std::string_view::npos) {
      name.resize(parameters);
    }
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  if (name.size() > kLongestName) {
    name.resize(kLongestName - 3);
    name += "...";
  }
  return name;
}

ApiFacts api_facts(std::string_view raw, bool driver) {
  ApiFacts facts;
  facts.name = trace::plain_api_name(raw);
  facts.nature = trace::call_nature(facts.name);
  facts.traits = driver ? kDriverCall : std::uint8_t{0};
  const auto has = [&](std::string_view part) { return facts.name.find(part) != std::string_view::npos; };
  // A graph may be empty, a copy may stay in host memory, a memset may have size 0.
  if (!has("LaunchKernel") && !has("LaunchCooperative")) facts.traits |= kMayBeIdle;
  if (has("LaunchHostFunc")) facts.traits |= kNeverOnGpu;
  if (has("StreamBeginCapture")) facts.traits |= kBeginsCapture;
  if (has("StreamEndCapture")) facts.traits |= kEndsCapture;
  return facts;
}

std::string copy_name(unsigned copy_kind, unsigned from, unsigned to) {
  return fmt::format("Memcpy {} ({} -> {})", kCopyKindNames[copy_kind < kCopyKinds ? copy_kind : 0],
                     kMemoryKindNames[from < kMemoryKinds ? from : 0], kMemoryKindNames[to < kMemoryKinds ? to : 0]);
}

std::string memset_name(unsigned memory_kind) {
  return fmt::format("Memset ({})", kMemoryKindNames[memory_kind < kMemoryKinds ? memory_kind : 0]);
}

trace::MemoryKind memory_kind(unsigned kind) {
  switch (kind) {
    case 1:
      return trace::MemoryKind::Pageable;
    case 2:
      return trace::MemoryKind::Pinned;
    case 3:  // device
    case 4:  // array
    case 6:  // static
      return trace::MemoryKind::Device;
    default:
      return trace::MemoryKind::Unknown;
  }
}

trace::CopyDirection copy_direction(unsigned copy_kind) {
  switch (copy_kind) {
    case 1:  // to the device
    case 3:  // to an array
      return trace::CopyDirection::HostToDevice;
    case 2:
    case 4:
      return trace::CopyDirection::DeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8:
      return trace::CopyDirection::DeviceToDevice;
    default:
      return trace::CopyDirection::Other;
  }
}

std::uint8_t copy_flags(const trace::CopyTraits& traits) {
  trace::Event event;
  trace::set_copy_traits(event, traits);
  return event.flags;
}

}  // namespace lanescope::capture
