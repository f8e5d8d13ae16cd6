// What calls and kernels refer to by number, each distinct one stored once: the stacks that calls were made in, and how
// kernels were launched.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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
  struct NotedCall {
    Nanoseconds start_ns;
    std::uint32_t site;
  };
  std::vector<NotedCall> between(LaneId lane, Nanoseconds from, Nanoseconds to) const;
  void forget_before(Nanoseconds t);
  std::uint64_t noted() const;
  std::size_t memory_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Stack> stacks_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::map<LaneId, std::deque<NotedCall>> lanes_;
  std::uint64_t noted_ = 0;
};

// --- launch table ----------------------------------------------------------------------------------------------------
// How kernels were launched: grid, block, registers, shared memory. A loop launches the same few configurations again
// and again, so each distinct one is stored once, and kernels refer to it by number: an event needs no memory for it.

struct LaunchShape {
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  std::array<std::uint32_t, 3> grid{}, block{};  ///< blocks of the grid, threads of a block; 0: unknown
  std::uint32_t registers_per_thread = kUnknown;
  std::uint32_t shared_bytes = kUnknown;  ///< per block, static and dynamic together
  std::uint32_t static_shared_bytes = kUnknown, dynamic_shared_bytes = kUnknown;
  std::uint32_t context = kUnknown;
  /// As estimated by the tool that wrote the trace; below 0: unknown.
  double blocks_per_sm = -1, warps_per_sm = -1, occupancy_percent = -1;

  bool operator==(const LaunchShape&) const = default;
};

/// Shapes are never removed, so any thread may look up a published number without a lock. intern() locks.
class LaunchTable {
 public:
  static constexpr std::uint32_t kNone = 0;      ///< nothing is known
  static constexpr std::uint32_t kOverflow = 1;  ///< the table was full
  static constexpr std::uint32_t kCapacity = 1u << 17;

  LaunchTable() = default;
  LaunchTable(const LaunchTable&) = delete;
  LaunchTable& operator=(const LaunchTable&) = delete;

  /// kNone for a shape of which nothing is known.
  std::uint32_t intern(const LaunchShape& shape);
  /// Empty for kNone, kOverflow and numbers that intern() has not returned.
  std::optional<LaunchShape> find(std::uint32_t number) const;

 private:
  static constexpr std::uint32_t kFirst = 2, kPageSize = 1024;
  using Page = std::array<LaunchShape, kPageSize>;
  struct Hash {
    std::size_t operator()(const LaunchShape& shape) const;
  };

  std::array<std::unique_ptr<Page>, kCapacity / kPageSize> pages_;
  std::unordered_map<LaunchShape, std::uint32_t, Hash> numbers_;
  std::mutex mutex_;
  std::atomic<std::uint32_t> end_{kFirst};  // one past the last number
};

/// For caches that compare shapes by their hash first.
std::uint64_t hash_of(const LaunchShape& shape);

// --- collectives -----------------------------------------------------------------------------------------------------
// What collectives say about themselves: the PyTorch profiler of their kernels, or NCCL of its calls in a program that
// is attached to.

struct CollectiveFacts {
  std::string name;  ///< the PyTorch profiler's: "allreduce", "_allgather_base"; may be empty
  /// Of those that take part: the process group's name and its ranks, as written, or NCCL's communicator, which is the
  /// same number on all ranks. Empty: not known.
  std::string group;
  /// Of the collective in that group. Sends and receives are counted by each rank on its own, so theirs say nothing.
  std::optional<std::int64_t> sequence;
  /// What NCCL says that is exchanged: the array that is reduced or sent, or what one GPU has of what is gathered or
  /// scattered.
  std::optional<std::uint64_t> bytes;
  std::uint64_t elements = 0;       ///< of the larger of the arrays that PyTorch states; 0: not known
  std::uint32_t element_bytes = 0;  ///< 0: not known

  bool operator==(const CollectiveFacts&) const = default;
};
/// Which one of its group's collectives a kernel is, the same number on all ranks: as PyTorch's profiler states it, or
/// as Lanescope counted NCCL's calls from the program's start. Empty: not known. `kernels_word`: its external_id_of().
std::optional<std::int64_t> collective_number(const CollectiveFacts& facts, std::uint32_t kernels_word);
/// `arguments`: as in Trace::arguments(), which is how files have them.
CollectiveFacts collective_facts(std::string_view arguments);

/// By their arguments: as whoever recorded them stated it, or read from the text when it is first asked for.
class CollectiveTable {
 public:
  /// `arguments` must outlive it.
  explicit CollectiveTable(const base::NameTable& arguments) : arguments_(arguments) {}

  // Any thread.
  /// A second statement about the same arguments changes nothing.
  void state(base::NameId arguments, CollectiveFacts facts);
  /// Stays valid.
  const CollectiveFacts& of(base::NameId arguments) const;

 private:
  const base::NameTable& arguments_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<base::NameId, CollectiveFacts> facts_;
};

}  // namespace lanescope::trace
