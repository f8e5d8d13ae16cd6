// Lanescope's own session file (.lanescope): everything of a trace, compressed, appended to while it grows, and
// readable up to its last whole chunk after a crash. docs/session-file.md describes the bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "io/reading.h"

namespace lanescope::io {

inline constexpr std::string_view kSessionEnding = ".lanescope";

/// Writes to a temporary file beside `path`, then renames it. Throws base::FileError. Writes what has been published;
/// the trace may grow meanwhile. `health` may be null.
void write_session(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                   const trace::CaptureHealth* health = nullptr);

/// Writes the session file of a growing trace, bit by bit. All functions throw base::FileError; the file then keeps
/// what was written before, and nothing more can be appended. For one thread.
class SessionWriter {
 public:
  /// Replaces the file. `trace` must outlive the writer.
  SessionWriter(const std::filesystem::path& path, const trace::Trace& trace);
  /// Without finish(), the file says that it was cut off.
  ~SessionWriter();
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  /// Writes what has been published since the last call. Afterwards a crash of this program loses nothing of it.
  void append(const RunFacts& facts, const trace::CaptureHealth* health = nullptr);
  /// Appends the rest and ends the file.
  void finish(const RunFacts& facts, const trace::CaptureHealth* health = nullptr);

  std::uint64_t events() const;  ///< written so far
  /// Events that were gone from the trace before append() saw them.
  std::uint64_t missed() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The beginning of a file says that it is one.
bool is_session_file(std::string_view beginning);
/// Reads one. A file that was cut off or damaged is read up to there, and `incomplete` says so; nothing of it is shown
/// whose checksum is wrong. Throws base::FileError if there is nothing to show or what it says makes no sense, and
/// io::Cancelled.
OpenedTrace read_session(ByteSource& source, ReadProgress* progress = nullptr, const ReadLimits& limits = {});

/// Reads a session file while another program still writes it. Apart from what any thread may ask, for one thread.
class SessionFollower {
 public:
  /// `memory_bytes`: for the events; the oldest are evicted first. Throws base::FileError if it cannot be opened.
  SessionFollower(std::filesystem::path path, std::size_t memory_bytes);
  ~SessionFollower();
  SessionFollower(const SessionFollower&) = delete;
  SessionFollower& operator=(const SessionFollower&) = delete;

  /// Takes what has been written since the last call, as far as it is whole. True if more of the run is known now.
  /// Throws base::FileError where the file is damaged; what comes before stays.
  bool read();

  // For any thread.
  bool ended() const;      ///< the recording ended as it should, and all of it has been read
  RunFacts facts() const;  ///< the last ones
  std::optional<trace::CaptureHealth> health() const;
  trace::Trace& trace();
  const trace::Trace& trace() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lanescope::io
