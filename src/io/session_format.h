// The bytes of a session file, see docs/session-file.md: what its writer and its reader share.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/capture_health.h"
#include "trace/run_facts.h"

namespace lanescope::io::session {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

// The first byte is no text, and the line ends show a transfer that changed them.
inline constexpr std::string_view kMagic{"\x89LSC\r\n\x1a\n", 8};
/// Files with a higher number are refused.
inline constexpr std::uint16_t kFormat = 1;
inline constexpr std::size_t kFileHeadBytes = 16, kChunkHeadBytes = 24;

/// No chunk is longer when decompressed.
inline constexpr std::uint32_t kMostBytes = 16u << 20;
inline constexpr std::uint32_t kMostRunEvents = 65'536;

enum class Packing : std::uint32_t { None = 0, Zstd = 1 };

/// Four letters. A reader refuses a file with a chunk that it does not know, unless the first letter is a small one.
constexpr std::uint32_t chunk_type(const char (&letters)[5]) {
  std::uint32_t type = 0;
  for (int i = 3; i >= 0; --i) type = type << 8 | static_cast<unsigned char>(letters[i]);
  return type;
}
inline constexpr std::uint32_t kFacts = chunk_type("FACT"), kHealth = chunk_type("hlth"), kLanes = chunk_type("LANE"),
                               kNames = chunk_type("NAME"), kArguments = chunk_type("ARGS"),
                               kLaunches = chunk_type("LNCH"), kStacks = chunk_type("SITE"),
                               kEvents = chunk_type("EVNT"), kNotes = chunk_type("NOTE"),
                               kCoverage = chunk_type("COVR"), kClock = chunk_type("clok"), kStep = chunk_type("STEP"),
                               kEnd = chunk_type("DONE");
/// "EVNT"; letters that cannot be printed become '?'.
std::string type_text(std::uint32_t type);
constexpr bool optional_type(std::uint32_t type) { return (type & 0x20) != 0; }

/// CRC-32 as in gzip and PNG.
std::uint32_t checksum(std::string_view bytes);
/// How much is stored after a chunk's head; empty if the checksum of the head is wrong.
std::optional<std::uint32_t> stored_bytes(std::string_view head);

template <typename Number>
void put(std::string& out, Number value) {
  static_assert(std::is_arithmetic_v<Number>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_text(std::string& out, std::string_view text);

/// Takes numbers and texts from the front of bytes. After the first that is not there, everything is 0 and bad() holds.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  template <typename Number>
  Number take() {
    Number value{};
    const std::string_view bytes = take_bytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view take_bytes(std::size_t count) {
    if (count > left_.size()) {
      bad_ = true;
      left_ = {};
    }
    if (bad_) return {};
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }
  std::string_view take_text() { return take_bytes(take<std::uint32_t>()); }

  bool bad() const { return bad_; }
  bool more() const { return !bad_ && !left_.empty(); }

 private:
  std::string_view left_;
  bool bad_ = false;
};

/// A column of numbers: as differences to the smallest or to the one before, in as few bytes as the largest needs.
/// These bytes lie in planes, all lowest bytes first, which compresses better.
void put_column(std::string& out, std::span<const std::uint64_t> values);
/// False: it is not one.
bool take_column(Bytes& in, std::span<std::uint64_t> values);

/// A run's facts and its capture's health, as keys and values.
using Texts = std::vector<std::pair<std::string, std::string>>;
Texts texts_of(const trace::RunFacts& facts);
Texts texts_of(const trace::CaptureHealth& health);
/// One of them, back again; a key of a newer version is ignored. False: something else stands where a number belongs.
bool take_text(trace::RunFacts& facts, std::string_view key, std::string_view value);
bool take_text(trace::CaptureHealth& health, std::string_view key, std::string_view value);

/// Where the clock's time is the trace's, and whose clock it is; then all of its readings from this one on.
void put_clock(std::string& out, const trace::ClockFacts& clock, std::size_t from);
/// Adds the readings to those before. False: it is cut off.
bool take_clock(Bytes& in, trace::ClockFacts& clock);
inline constexpr std::size_t kClockReadingBytes = 52;

/// The numbers of a capture's health, with their keys in the file.
template <typename Health, typename Function>
void for_each_number(Health& h, const Function& function) {
  function("received", h.received);
  function("calls", h.calls);
  function("operations", h.operations);
  function("pending", h.pending);
  function("dropped", h.dropped);
  function("no_buffer", h.no_buffer);
  function("untimed", h.untimed);
  function("far_off", h.far_off);
  function("duplicates", h.duplicates);
  function("unknown_kind", h.unknown_kind);
  function("clamped", h.clamped);
  function("late", h.late);
  function("before_call", h.before_call);
  function("worst_before_call_ns", h.worst_before_call_ns);
  function("launches_unmatched", h.launches_unmatched);
  function("operations_unmatched", h.operations_unmatched);
  function("clock_steps", h.clock_steps);
  function("queue_full_ns", h.queue_full_ns);
  function("overhead_ns", h.overhead_ns);
  function("latency_p50_ms", h.latency_p50_ms);
  function("latency_p99_ms", h.latency_p99_ms);
}

/// The next piece of a file, valid until the next call; empty at its end.
using NextPiece = std::function<std::string_view()>;

/// Takes a given number of bytes from a source that delivers pieces.
class ChunkInput {
 public:
  explicit ChunkInput(NextPiece next) : next_(std::move(next)) {}

  /// Fewer bytes than `count` only at the end of the file. Memory grows with what is there, not with what is promised.
  void take(std::string& out, std::size_t count) {
    out.clear();
    while (out.size() < count) {
      if (piece_.empty() && (piece_ = next_()).empty()) return;
      const std::size_t some = std::min(count - out.size(), piece_.size());
      out.append(piece_.substr(0, some));
      piece_.remove_prefix(some);
      position_ += some;
    }
  }
  std::uint64_t position() const { return position_; }

 private:
  NextPiece next_;
  std::string_view piece_;
  std::uint64_t position_ = 0;
};

/// Where a reader is.
struct Chunk {
  std::uint32_t type = 0;
  std::uint64_t number = 0, place = 0;  ///< counted from 1; its first byte in the file
  std::string name() const;             ///< for messages: "chunk 3 (EVNT) at byte 4096"
};

}  // namespace lanescope::io::session
