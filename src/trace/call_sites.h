// Where in the watched program calls were made. Each distinct stack is stored once; calls refer to it by number.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/event.h"

namespace lanescope::trace {

/// A place in a program. File and function are names of the trace.
struct Frame {
  NameId file = 0, function = 0;
  std::uint32_t line = 0;  ///< 0: unknown

  bool operator==(const Frame&) const = default;
};

/// A frame of the interpreter, its library, an installed package, or what torch.compile wrote; judged by its path.
bool is_library_file(std::string_view path);

/// Any thread may use it. Sites count from 1; 0 means that nothing is known.
class CallSites {
 public:
  static constexpr std::uint32_t kCapacity = 1u << 18;
  static constexpr std::size_t kMostFrames = 64;

  struct Stack {
    std::vector<Frame> frames;  ///< innermost first
    /// The first frame of the user's own code; frames.size() if there is none.
    std::size_t own = 0;
    const Frame* own_frame() const { return own < frames.size() ? &frames[own] : nullptr; }
  };

  /// `own` as in Stack. Returns 0 if there are no frames, or no room.
  std::uint32_t intern(std::span<const Frame> frames, std::size_t own);
  Stack stack(std::uint32_t site) const;
  std::size_t size() const;
  /// Increases whenever a stack is added.
  bool empty() const { return size() == 0; }

  /// A lane's calls are noted in start order.
  void note(LaneId lane, Nanoseconds start_ns, std::uint32_t site);
  /// The site of the lane's call that starts then.
  std::uint32_t at(LaneId lane, Nanoseconds start_ns) const;
  /// The lane's calls with a known site that start in [from, to), in order.
  struct Noted {
    Nanoseconds start_ns;
    std::uint32_t site;
  };
  std::vector<Noted> between(LaneId lane, Nanoseconds from, Nanoseconds to) const;
  void forget_before(Nanoseconds t);
  std::uint64_t noted() const;
  std::size_t memory_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Stack> stacks_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::map<LaneId, std::deque<Noted>> lanes_;
  std::uint64_t noted_ = 0;
};

}  // namespace lanescope::trace
