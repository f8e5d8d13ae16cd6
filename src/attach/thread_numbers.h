// The number by which a thread is shown: its own, or that of one that has ended, in whose lanes it goes on. Otherwise a
// program that starts a thread for each piece of work, as loaders do each epoch, would have ever more lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lanescope::attach {

class ThreadNumbers {
 public:
  /// Beyond these, threads are shown by their own numbers.
  static constexpr std::size_t kMost = 4096;
  /// Larger than any number of the system's.
  static constexpr std::uint32_t kFirstMadeUp = 1u << 22;

  std::uint32_t shown(std::uint32_t thread) const {
    const auto found = alive_.find(thread);
    return found == alive_.end() ? thread : found->second.shown;
  }
  /// The thread has begun, or has another name now. Returns shown().
  std::uint32_t begins(std::uint32_t thread, const std::string& name);
  /// Returns shown() until now, which is free from here on; empty: nothing is known of the thread.
  std::optional<std::uint32_t> ends(std::uint32_t thread);

 private:
  struct Named {
    std::uint32_t shown;
    std::string name;
  };
  std::unordered_map<std::uint32_t, Named> alive_;  // by the system's numbers
  std::unordered_set<std::uint32_t> taken_;         // what they are shown by
  std::vector<Named> ended_;
  std::uint32_t made_up_ = kFirstMadeUp;
};

}  // namespace lanescope::attach
