#include "inspect/owner_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

constexpr std::size_t kOwnerLongest = 28, kEnd = 13;  // of a process's name, in bytes

bool inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::string thread_text(const trace::LaneInfo& lane) {
  const bool wrapped = lane.tid < 0 && lane.tid >= std::numeric_limits<std::int32_t>::min();
  const std::int64_t id = wrapped ? lane.tid + (std::int64_t{1} << 32) : lane.tid;
  const std::string number = fmt::format("{} {}", base::tr("thread"), id);
  return lane.thread.empty() ? number : fmt::format("{} ({})", number, lane.thread);
}

std::string short_process_name(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos && slash + 1 < name.size()) {
    name.remove_prefix(slash + 1);
  }
  if (name.size() <= kOwnerLongest) return std::string(name);
  std::size_t begin = kOwnerLongest - kEnd - 1, end = name.size() - kEnd;
  while (begin > 0 && inside_character(name[begin])) --begin;
  while (end < name.size() && inside_character(name[end])) ++end;
  return std::string(name.substr(0, begin)) + "…" + std::string(name.substr(end));
}

}  // namespace lanescope::ui
