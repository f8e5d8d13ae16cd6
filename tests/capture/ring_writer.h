// Writes messages as an injected library does, in this process, for one writer.
#pragma once

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "inject/wire.h"

namespace lanescope::capture {

class RingWriter {
 public:
  explicit RingWriter(std::uint32_t slots = 1024)
      : RingWriter(std::aligned_alloc(64, (wire::bytes_for(slots) + 63) / 64 * 64), slots, Free{true}) {}
  /// In memory that outlives it, of wire::bytes_for(slots).
  RingWriter(void* memory, std::uint32_t slots) : RingWriter(memory, slots, Free{false}) {}

  wire::Memory& memory() { return *memory_; }
  std::size_t bytes() const { return bytes_; }

  /// False if there is no room.
  bool send(wire::MessageKind kind, std::uint32_t id, const std::vector<unsigned char>& content, bool commit = true) {
    const std::size_t slots = content.size() <= 48 ? 1 : 1 + (content.size() - 48 + 55) / 56;
    const std::uint64_t at = memory_->head.load();
    if (slots > slots_) return false;
    if (slot(at + slots - 1).turn.load() != at + slots - 1) return false;
    memory_->head.store(at + slots);
    if (!commit) return true;
    for (std::size_t i = slots; i-- > 0;) {
      wire::Slot& s = slot(at + i);
      const std::size_t from = i == 0 ? 0 : 48 + (i - 1) * 56;
      const std::size_t most = i == 0 ? 48 : 56;
      unsigned char* to = i == 0 ? s.first.content : s.more;
      if (from < content.size()) std::memcpy(to, content.data() + from, std::min(most, content.size() - from));
      if (i == 0) {
        s.first.kind = kind;
        s.first.slots = static_cast<std::uint8_t>(slots);
        s.first.id = id;
      }
      s.turn.store(at + i + 1);
    }
    return true;
  }
  template <typename T>
  bool send(wire::MessageKind kind, const T& message, std::uint32_t id = 0) {
    return send(kind, id, bytes_of(message));
  }
  bool text(std::uint32_t id, std::string_view text) {
    std::vector<unsigned char> content = bytes_of(wire::TextMessage{static_cast<std::uint32_t>(text.size())});
    content.insert(content.end(), text.begin(), text.end());
    return send(wire::MessageKind::Text, id, content);
  }
  bool stack(std::uint32_t id, std::initializer_list<std::uint32_t> frames) {
    std::vector<unsigned char> content = bytes_of(wire::StackMessage{static_cast<std::uint32_t>(frames.size())});
    for (const std::uint32_t frame : frames) {
      const auto more = bytes_of(frame);
      content.insert(content.end(), more.begin(), more.end());
    }
    return send(wire::MessageKind::Stack, id, content);
  }

 private:
  struct Free {
    bool ours = true;
    void operator()(wire::Memory* memory) const {
      if (ours) std::free(memory);
    }
  };
  RingWriter(void* memory, std::uint32_t slots, Free free)
      : slots_(slots), bytes_(wire::bytes_for(slots)), memory_(static_cast<wire::Memory*>(memory), free) {
    std::memset(static_cast<void*>(memory_.get()), 0, wire::bytes_for(slots));
    memory_->magic = wire::kMagic;
    memory_->version = wire::kVersion;
    memory_->slot_count = slots;
    memory_->bytes = static_cast<std::uint32_t>(bytes());
    for (std::uint32_t i = 0; i < slots; ++i) memory_->slots[i].turn.store(i);
  }
  template <typename T>
  static std::vector<unsigned char> bytes_of(const T& value) {
    std::vector<unsigned char> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }
  wire::Slot& slot(std::uint64_t position) { return memory_->slots[position & (slots_ - 1)]; }

  std::uint64_t slots_;  // copies, since a test may spoil the memory
  std::size_t bytes_;
  std::unique_ptr<wire::Memory, Free> memory_;
};

}  // namespace lanescope::capture
