// What the library cannot report itself: processes of the program that use the GPU without it.
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "attach/attachment.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::size_t kMostLookedAt = 1024;

/// What a folder of /proc has, as far as it can be read: its process may end meanwhile.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  return entries;
}

/// The processes that descend from this one, by pid, with their parents.
std::vector<std::uint32_t> descendants(std::uint32_t of) {
  std::multimap<std::uint32_t, std::uint32_t> children;
  for (const std::filesystem::path& entry : entries_of("/proc")) {
    const std::string name = entry.filename().string();
    if (name.empty() || !std::isdigit(static_cast<unsigned char>(name[0]))) continue;
    std::ifstream stream(entry / "stat");
    std::string text;
    std::getline(stream, text);
    const std::size_t after = text.rfind(')');  // the name before it may hold anything
    if (after == std::string::npos || after + 4 >= text.size()) continue;
    const unsigned long parent = std::strtoul(text.c_str() + after + 4, nullptr, 10);
    children.emplace(static_cast<std::uint32_t>(parent),
                     static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10)));
  }
  std::vector<std::uint32_t> found{of};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostLookedAt; ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto it = first; it != last; ++it) found.push_back(it->second);
  }
  return found;
}

struct Mapped {
  bool gpu = false, ours = false, musl = false;
};
/// `gpu`: CUDA is initialised, for only then is the GPU's device file open. Many programs map the driver and never use
/// it.
Mapped mapped_by(std::uint32_t pid) {
  Mapped mapped;
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream stream(folder + "/maps");
  for (std::string line; std::getline(stream, line);) {
    mapped.ours = mapped.ours || line.find("liblanescope_inject") != std::string::npos;
    mapped.musl = mapped.musl || line.find("/ld-musl") != std::string::npos;
  }
  std::error_code error;
  for (const std::filesystem::path& entry : entries_of(folder + "/fd")) {
    const std::string target = std::filesystem::read_symlink(entry, error).string();
    mapped.gpu = mapped.gpu || target.starts_with("/dev/nvidia-uvm") || target.starts_with("/dev/nvidia0");
  }
  return mapped;
}

}  // namespace

void Attachment::look_around(const std::set<std::uint32_t>& known) {
  std::vector<Remark> found;
  std::uint32_t root = 0;
  {
    const std::lock_guard lock(mutex_);
    if (launched_ && !ended()) root = static_cast<std::uint32_t>(launched_->pid());
  }
  std::size_t others = 0;
  if (root != 0) {
    for (const std::uint32_t pid : descendants(root)) {
      if (known.contains(pid)) continue;
      const Mapped mapped = mapped_by(pid);
      if (mapped.musl) {
        found.push_back({tr("{} (process {}) uses musl instead of glibc, for which there is no library: it cannot be "
                            "watched. Use an image with glibc.",
                            process_name(pid), pid),
                         true});
      } else if (mapped.gpu && !mapped.ours) {
        found.push_back({tr("{} (process {}) uses the GPU but has not loaded the library that watches it: its "
                            "environment may have been emptied (sudo, env -i, a container). Pass {} and {} on to it.",
                            process_name(pid), pid, "CUDA_INJECTION64_PATH", wire::kSocketVariable),
                         true});
      } else {
        ++others;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  found_ = std::move(found);
  others_ = others;
}

}  // namespace lanescope::attach
