// The library's end of the shared memory: it sends messages, from any thread, without ever waiting.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/wire.h"

namespace lanescope::inject {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

struct Ring {
  wire::Memory* memory = nullptr;
  std::uint64_t mask = 0;  ///< slots - 1; not read from the memory, which the viewer can write to
  std::size_t bytes = 0;
  /// False: nothing is sent, and no callback does anything: before a viewer is there and when it has ended, in a forked
  /// child, and at exit.
  std::atomic<bool> live{false};

  /// Creates the memory, anew for each viewer; returns its descriptor, or -1.
  int create(std::uint64_t slots);
  /// Empties it, while nothing is sent and nobody reads.
  void begin_anew();
  /// False if there was no room: then the message is dropped, and counted.
  bool send(wire::MessageKind kind, std::uint32_t id, const void* content, std::size_t bytes,
            const void* tail = nullptr, std::size_t tail_bytes = 0);
  template <typename Message>
  bool send(wire::MessageKind kind, const Message& message, std::uint32_t id = 0) {
    return send(kind, id, &message, sizeof(message));
  }
  /// The same with a mark in the header, see wire::Slot.
  bool send_marked(wire::MessageKind kind, std::uint16_t mark, const void* content, std::size_t bytes);
  wire::Status& status() { return memory->status; }
};
extern Ring ring;

inline bool live() { return ring.live.load(std::memory_order_acquire); }
inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) { counter.fetch_add(n, kRelaxed); }
/// One line with the state; the line first, so that a reader of the state finds it.
void set_state(wire::State state, const char* line);

// --- Ids. A text, a frame or a stack is sent before the first message that uses its id; if there was no room for it,
// it is sent the next time. Two threads may send the same definition. ------------------------------------------------

inline constexpr std::uint32_t kLater = 0xFFFFFFFF;  ///< there was no room in the ring: try again the next time

/// A hash table of fixed size, which only grows, without locks. What is equal is told by its 64-bit hash.
class IdTable {
 public:
  struct Cell {
    std::atomic<std::uint64_t> key;  // 0: empty
    std::atomic<std::uint32_t> id;   // 0: not given yet
    std::atomic<std::uint32_t> sent;
  };
  bool create(unsigned bits);
  /// The cell of this key, new if there is none; null if there is no room.
  Cell* find(std::uint64_t key);
  std::size_t bytes() const { return sizeof(Cell) << bits_; }
  /// While nobody uses it.
  void forget_all();

 private:
  Cell* cells_ = nullptr;
  unsigned bits_ = 0;
  std::atomic<std::uint32_t> last_id_{0};
};

/// A text's id; 0 if there are too many, or kLater. Longer texts than wire::kMostText are cut.
std::uint32_t text_id(const char* text, std::size_t bytes);
std::uint32_t text_id(const char* text, std::size_t bytes, std::uint64_t hash);
/// The same, or 0 where there was no room, too.
inline std::uint32_t text_or_none(const char* text, std::size_t bytes) {
  const std::uint32_t id = text_id(text, bytes);
  return id == kLater ? 0 : id;
}

bool create_tables();
/// What was sent is sent again: another reader begins.
void forget_sent();
extern IdTable frame_table, stack_table, shape_table;

}  // namespace lanescope::inject
