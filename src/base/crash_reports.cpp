#include "base/crash_reports.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "base/user_folders.h"

namespace lanescope::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariable = "LANESCOPE_CRASH_REPORTS";

}  // namespace

fs::path crash_folder() { return state_folder() / "crashes"; }

void begin_crash_reports(std::string_view command) {
  const char* chosen = std::getenv(kVariable.data());
  if (chosen != nullptr && std::string_view(chosen) == "off") return;
  note_crash_fact(CrashFact::Command, command);
  install_crash_handler(crash_folder().string());
}

std::optional<fs::path> take_new_crash_report(const fs::path& folder) {
  return take_newest(folder, {kCrashReportBegin, kCrashReportEnd, kNewCrashReportEnd, kCrashReports});
}

// --- crash notes -----------------------------------------------------------------------------------------------------

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
