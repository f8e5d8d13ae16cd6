#include "base/crash_notes.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace lanescope::base {
namespace {

constexpr std::size_t kLongest = 1023;

struct Fact {
  std::array<char, kLongest> text{};
  std::atomic<std::size_t> size{0};
};
std::array<Fact, kCrashFacts> facts;

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

}  // namespace lanescope::base
