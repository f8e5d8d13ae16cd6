#include "base/crash_notes.h"

#include <algorithm>
#include <atomic>

namespace lanescope::base {
namespace {

constexpr std::size_t kLongest = 1023;

struct Fact {
  std::array<char, kLongest> text{};
  std::atomic<std::size_t> size{0};
};
std::array<Fact, kCrashFacts> facts;

// One thread writes: the window's. A report may be written on any thread, so each part is whole by itself.
struct Place {
  std::atomic<const char*> name{nullptr};
  std::atomic<std::uint32_t> times{0};
  std::atomic<std::int64_t> last_ns{0};
};
std::array<Place, kNotedActions> ring;
std::atomic<std::size_t> noted{0};

}  // namespace

std::string_view crash_fact_name(CrashFact fact) {
  constexpr std::array<std::string_view, kCrashFacts> kNames{"command", "build", "system", "graphics", "GPU", "error"};
  return kNames[static_cast<std::size_t>(fact)];
}

void note_crash_fact(CrashFact fact, std::string_view text) {
  Fact& kept = facts[static_cast<std::size_t>(fact)];
  const std::size_t size = std::min(text.size(), kLongest);
  kept.size = 0;
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), kept.text.begin(),
                 [](char c) { return static_cast<unsigned char>(c) < ' ' ? ' ' : c; });
  kept.size = size;
}

std::string_view crash_fact(CrashFact fact) {
  const Fact& kept = facts[static_cast<std::size_t>(fact)];
  return {kept.text.data(), kept.size};
}

void note_action(const char* name, std::int64_t now_ns) {
  const std::size_t count = noted;
  Place& last = ring[(count + kNotedActions - 1) % kNotedActions];
  if (count > 0 && last.name == name) {
    ++last.times;
    last.last_ns = now_ns;
    return;
  }
  Place& next = ring[count % kNotedActions];
  next.name = name;
  next.times = 1;
  next.last_ns = now_ns;
  noted = count + 1;
}

std::size_t noted_actions(std::array<NotedAction, kNotedActions>& actions) {
  const std::size_t count = noted, kept = std::min(count, kNotedActions);
  for (std::size_t i = 0; i < kept; ++i) {
    const Place& place = ring[(count - kept + i) % kNotedActions];
    actions[i] = {place.name, place.times, place.last_ns};
  }
  return kept;
}

}  // namespace lanescope::base
