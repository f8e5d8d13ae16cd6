#include "io/nsys_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/plain_text.h"
#include "io/chrome_vocabulary.h"

namespace lanescope::io::nsys {
namespace {

using trace::CopyDirection;
using trace::MemoryKind;

MemoryKind memory_kind(std::int64_t kind) {
  switch (kind) {
    case 0:
      return MemoryKind::Pageable;
    case 1:
      return MemoryKind::Pinned;
    case 2:  // device, array, static variables of the device
    case 3:
    case 5:
      return MemoryKind::Device;
    default:  // managed memory is on either side
      return MemoryKind::Unknown;
  }
}

CopyDirection direction_of(std::int64_t copy_kind) {
  switch (copy_kind) {
    case 1:
    case 3:
    case 11:
      return CopyDirection::HostToDevice;
    case 2:
    case 4:
    case 12:
      return CopyDirection::DeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8:
    case 13:
      return CopyDirection::DeviceToDevice;
    default:
      return CopyDirection::Other;
  }
}

std::optional<std::uint32_t> number_at(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const bool ends_there = end == text.data() + text.size() || *end == ',';
  return ends_there ? std::optional(number) : std::nullopt;
}

}  // namespace

NvtxKind nvtx_kind(std::int64_t event_type) {
  switch (event_type) {
    case 34:
    case 65:
      return NvtxKind::Mark;
    case 59:
    case 70:
      return NvtxKind::PushPop;
    case 60:
    case 71:
      return NvtxKind::StartEnd;
    case 39:
      return NvtxKind::ThreadName;
    default:
      return NvtxKind::Other;
  }
}

bool is_unified(std::int64_t copy_kind) { return copy_kind >= 11 && copy_kind <= 13; }

trace::CopyTraits copy_traits(std::int64_t copy_kind, std::int64_t source, std::int64_t destination) {
  trace::CopyTraits traits;
  traits.direction = direction_of(copy_kind);
  if (is_unified(copy_kind)) return traits;
  traits.source = memory_kind(source);
  traits.destination = memory_kind(destination);
  return traits;
}

std::string copy_label(std::int64_t copy_kind, const trace::CopyTraits& traits) {
  if (copy_kind == 9) return "Memcpy HtoH";
  std::string name = copy_name(traits);
  if (!is_unified(copy_kind)) return name;
  const std::size_t direction = name.find(' ');
  return "Unified memory" + name.substr(direction, name.find(' ', direction + 1) - direction);
}

std::string memset_label(std::int64_t kind) {
  constexpr std::array<const char*, 7> kNames = {"Pageable", "Pinned", "Device",        "Array",
                                                 "Managed",  "Device", "Managed static"};
  const bool known = kind >= 0 && kind < static_cast<std::int64_t>(kNames.size());
  return std::string("Memset (") + (known ? kNames[static_cast<std::size_t>(kind)] : "Unknown") + ")";
}

std::string_view without_version(std::string_view call) {
  const std::size_t last = call.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last < 1 || last + 1 == call.size()) return call;
  return call.substr(last - 1, 2) == "_v" ? call.substr(0, last - 1) : call;
}

OperatorRange operator_range(std::string_view text) {
  constexpr std::string_view kSequence = ", seq = ", kId = ", op_id = ", kSizes = ", sizes = [",
                             kInputs = ", input_op_ids = ";
  OperatorRange range{text, text.starts_with("aten::"), 0, {}};
  const std::size_t sequence = text.find(kSequence), id = text.find(kId), sizes = text.find(kSizes);
  const std::size_t end = std::min({sequence, id, sizes});
  if (end == std::string_view::npos) return range;
  const bool numbered = sequence != std::string_view::npos && number_at(text.substr(sequence + kSequence.size()));
  const auto number = id != std::string_view::npos ? number_at(text.substr(id + kId.size())) : std::nullopt;
  if (!numbered && !number && !range.is_operator) return range;  // a name that only looks like one
  range.name = text.substr(0, end);
  range.is_operator = true;
  range.id = number.value_or(0);
  if (sizes == std::string_view::npos) return range;
  range.sizes = text.substr(sizes + kSizes.size() - 1);
  range.sizes = range.sizes.substr(0, range.sizes.find(kInputs));
  return range;
}

std::string without_paths(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string line;
  while (!text.empty() && line.size() < kMost) {
    const auto blank =
        std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; });
    const std::size_t end =
        blank == text.end() ? std::string_view::npos : static_cast<std::size_t>(blank - text.begin());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    if (!line.empty()) line += ' ';
    line += word.find_first_of("/\\") != std::string_view::npos ? std::string_view("…") : word;
  }
  return base::valid_utf8(cut(line, kMost));
}

std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace lanescope::io::nsys
