// Reads the messages that an injected library, or our own recording, wrote into memory (inject/wire.h). The writer is
// not trusted: every length and number is checked, and what cannot be right is counted and skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inject/wire.h"

namespace lanescope::capture {

/// One message, copied out of the shared memory.
struct Message {
  wire::MessageKind kind = wire::MessageKind::None;
  std::uint32_t id = 0;                    ///< of what is defined
  std::uint16_t mark = 0;                  ///< wire::kLent
  std::span<const unsigned char> content;  ///< the first slot's content and those of the further slots
  /// The fixed part. Empty if the content is too short, which cannot happen for messages of one slot.
  template <typename T>
  std::optional<T> as() const {
    if (content.size() < sizeof(T)) return std::nullopt;
    T value;
    __builtin_memcpy(&value, content.data(), sizeof(T));
    return value;
  }
  /// What follows the fixed part.
  template <typename T>
  std::span<const unsigned char> after() const {
    return content.size() < sizeof(T) ? std::span<const unsigned char>() : content.subspan(sizeof(T));
  }
};

/// A call that has started and not yet returned.
struct OpenCallEntry {
  std::uint32_t thread = 0, name = 0, stack = 0;
  std::int64_t start_ns = 0;
};

class RingReader {
 public:
  /// Nothing, and why, if this is not the memory of a library of this version. `memory` must outlive the reader.
  static std::optional<RingReader> open(void* memory, std::size_t bytes, std::string& problem);

  /// Passes at most `most` messages to `take(const Message&)`, oldest first, and frees their slots. Returns their
  /// number; less than `most` means that nothing more is there now.
  template <typename Take>
  std::size_t read(std::size_t most, Take&& take) {
    std::size_t n = 0;
    for (; n < most && next(); ++n) take(message_);
    return n;
  }
  /// The writer has ended: a message that it began and did not finish will not come, and is skipped.
  void writer_ended() { ended_ = true; }

  std::vector<OpenCallEntry> open_calls() const;
  /// As it was when the reader was opened. A rank that cannot be is left out.
  const wire::Job& job() const { return job_; }
  wire::End end() const { return static_cast<wire::End>(memory_->end.load(std::memory_order_acquire)); }
  wire::Controls& controls() { return memory_->controls; }
  const wire::Status& status() const { return memory_->status; }
  std::string state_text() const;
  std::string python_text() const;
  std::string cupti_path() const;

  std::uint64_t malformed() const { return malformed_; }    ///< messages that could not be right
  std::uint64_t unfinished() const { return unfinished_; }  ///< skipped after the writer had ended
  /// The share of the ring that is in use, 0 to 1.
  double fill() const;

 private:
  RingReader(wire::Memory* memory, std::uint32_t slots);
  bool next();
  wire::Slot& slot(std::uint64_t position) { return memory_->slots[position & (slots_ - 1)]; }
  void free_slots(std::uint64_t count);

  wire::Memory* memory_;
  wire::Job job_;
  std::uint64_t slots_;  // a copy: the writer could change its own
  std::uint64_t position_ = 0;
  bool ended_ = false;
  std::uint64_t malformed_ = 0, unfinished_ = 0;
  Message message_;
  std::vector<unsigned char> content_;
};

/// Valid UTF-8 without control characters, at most `most` bytes.
std::string clean_text(std::string_view raw, std::size_t most);

}  // namespace lanescope::capture
