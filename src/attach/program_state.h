// A watched program in plain values: what is asked for, and what is known of it while it runs. Every build has them,
// also one that cannot attach: the window draws them wherever they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/knobs.h"
#include "attach/loop_watch.h"
#include "inject/wire.h"
#include "trace/capture_health.h"

namespace lanescope::attach {

/// Why this build cannot attach to programs, in one line; empty: it can.
std::string why_not();

struct Command {
  std::vector<std::string> words;                ///< the program and its arguments
  std::filesystem::path folder;                  ///< empty: this program's
  std::map<std::string, std::string> variables;  ///< in addition to the environment
};

/// How much is recorded.
struct Intensity {
  wire::Level level = wire::Level::Acquire;
  double share = 0.1;        ///< Acquire: of the time, in (0, 1]
  bool sparing = true;       ///< Acquire: a smaller share if bursts cost much; false: somebody asked for this share
  bool launch_lines = true;  ///< also launches get their Python line, while they are recorded
  bool operator==(const Intensity&) const = default;
};
/// "waits", "acquire", "calls", "all"; throws base::UsageError.
wire::Level parse_level(const std::string& text);
const char* to_text(wire::Level level);

struct AttachOptions {
  Command command;
  std::uint32_t pid = 0;  ///< instead of the command: a program that runs already
  Intensity intensity;
  std::size_t memory_cap_bytes = std::size_t{2} << 30;
  bool knobs = false;  ///< the program's knobs may be turned: a trial changes it while it runs
};

struct RemoteOptions {
  std::string host;                     ///< as ssh takes it: "user@node"
  std::vector<std::string> door;        ///< runs the text after it in a shell there; empty: ssh to the host
  std::string lanescope = "lanescope";  ///< the program there
  Command command;                      ///< the folder is there, too
  std::uint32_t pid = 0;                ///< instead of the command: a program that runs there already
  std::string recording;                ///< instead of either: one that is being made there, and stays there
  std::uint32_t recorder = 0;           ///< of that recording: the process that writes it
  Intensity intensity;
  std::filesystem::path copy;             ///< the copy of the recording; empty: a temporary file
  std::uint64_t bytes_per_s = 4'000'000;  ///< the recording is copied no faster
};

/// A rank of a job of Slurm's.
struct JobRank {
  std::string job;  ///< Slurm's number: "1234", or of an array's element "1234_5"
  int rank = 0;
  std::string lanescope;  ///< the program on its nodes; empty: where this one is
};

/// A loop that iterations can be counted by.
struct LoopChoice {
  LoopKey key;
  std::string text;  ///< "train.py:41 for batch in loader"
  Nanoseconds round_ns = 0;
  std::uint64_t rounds = 0;
  std::uint32_t calls = 0;  ///< per round; 0: unknown

  bool operator==(const LoopChoice&) const = default;
};

/// Something that keeps the picture from being complete, and what to do about it.
struct Remark {
  std::string sentence;
  bool problem = false;  ///< otherwise only worth knowing
  bool operator==(const Remark&) const = default;
};

struct ProcessState {
  std::uint32_t pid = 0, parent = 0;
  std::string name;     ///< "rank 3 · train.py"
  std::string program;  ///< "train.py"
  std::optional<int> rank;
  int ranks = 0;                 ///< of the job; 0: unknown
  std::filesystem::path folder;  ///< its working directory when it reported in
  bool uses_gpu = false, ended = false, recording = false;
  bool cut_off = false;  ///< it has ended without running its exit handlers
  wire::State state = wire::State::Starting;
  wire::Python python = wire::Python::None;
  std::string library;     ///< "libcupti.so.13 (API 130001)"
  std::string gpu;         ///< the name of its first GPU; empty: unknown
  std::string iterations;  ///< what they are counted by; empty: unknown
  std::vector<LoopChoice> loops;
  std::optional<LoopKey> chosen;
  Nanoseconds iteration_ns = 0, iteration_recorded_ns = 0, iteration_between_ns = 0;
  std::uint32_t iteration_count = 0;
  std::uint64_t dropped = 0, malformed = 0, walks = 0, walks_failed = 0, switches = 0;
  Nanoseconds switch_ns = 0;
  ProgramKnobs knobs;
};

struct AttachState {
  /// The first one with GPU work, which is the one that words about the program are about; null: there is none yet.
  const ProcessState* first_with_gpu() const;

  std::vector<ProcessState> processes;  ///< those that reported in: by rank, then in that order
  std::vector<Remark> remarks;
  trace::CaptureHealth health;
  std::size_t without_gpu = 0;  ///< processes without GPU work, forked workers among them
  bool started = false, ended = false;
  std::string end;  ///< "exit status 0"; empty while the program runs
  Nanoseconds running_ns = 0;
};

// --- command words ---------------------------------------------------------------------------------------------------
// A command as a person types it.

/// Splits as a shell does: blanks separate words, quotes ('...', "...") and backslashes keep what they quote, "~/" at
/// the start of a word is the home folder. No shell is run: what only a shell can do is refused. Throws
/// base::UsageError, which names the character.
std::vector<std::string> split_words(std::string_view text);
/// The inverse, for a shell, too: a word is quoted if anything in it might mean something to one.
std::string joined_words(const std::vector<std::string>& words);

/// NAME=VALUE on each line; everything after the "=" is the value. Empty lines are skipped. Throws base::UsageError,
/// which names the line.
std::map<std::string, std::string> parse_variables(std::string_view text);

}  // namespace lanescope::attach
