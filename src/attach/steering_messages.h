// What a viewer and a recorder (`lanescope attach --record`) tell each other, so that how much is recorded can be
// changed while the recording goes on: a request of fixed size, and an answer that says what is in effect then. Each
// goes over the recorder's socket as one packet, and over ssh one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/program_state.h"

namespace lanescope::attach {

/// What shall change; what is empty stays as it is. Without any, only the state is asked for.
struct SteeringChange {
  struct Loop {
    std::uint32_t pid = 0;
    std::optional<LoopKey> key;  ///< empty: found by itself
    bool operator==(const Loop&) const = default;
  };
  std::optional<wire::Level> level;
  std::optional<double> share;        ///< in (0, 1]
  std::optional<bool> launch_lines;   ///< as in Intensity
  std::optional<Nanoseconds> record;  ///< everything for so long from now on, at most kLongestRecord; 0: no longer
  std::optional<Loop> loop;
  bool operator==(const SteeringChange&) const = default;
};
inline constexpr Nanoseconds kLongestRecord = 3600 * base::kSecond;

enum class SteeringResult : std::uint16_t {
  Done,
  OtherVersion,  ///< of these messages
  Refused,       ///< the request makes no sense; nothing has been changed
  NoProcess,     ///< the loop's process is not watched, or has ended; nothing has been changed
  NoLoop,        ///< the loop is not one of that process; nothing has been changed
  NoRecorder,    ///< said on its behalf: nothing of that name is being recorded
};

/// What is in effect.
struct SteeringState {
  Intensity intensity;
  Nanoseconds boosted_ns = 0;  ///< everything is recorded for so long from now on
  /// Without `health`, and with what fits of processes (those that use a GPU first), loops and remarks. Texts are cut.
  AttachState program;
};
struct SteeringAnswer {
  SteeringResult result = SteeringResult::Done;
  SteeringState state;  ///< empty for OtherVersion and NoRecorder
};

inline constexpr std::size_t kSteeringRequestBytes = 64;
inline constexpr std::size_t kSteeringHeadBytes = 12;  ///< of an answer, enough for answer_bytes(); in all versions
inline constexpr std::size_t kMostAnswerBytes = std::size_t{96} << 10;
inline constexpr std::size_t kMostToldProcesses = 48, kMostToldLoops = 128, kMostToldRemarks = 8;

std::string write_request(const SteeringChange& change);
/// Trusts nothing. Done, with the change; or OtherVersion or Refused. Does not know processes and loops.
SteeringResult read_request(std::string_view bytes, SteeringChange& change);

std::string write_answer(SteeringResult result, const SteeringState& state);
/// Of the whole answer that begins with this head; empty: it is none.
std::optional<std::size_t> answer_bytes(std::string_view head);
/// Trusts nothing; empty: it is no answer. Of an answer of another version, only the result OtherVersion is known.
std::optional<SteeringAnswer> read_answer(std::string_view bytes);

/// "acquire, 10 % of the time"
std::string text_of(const Intensity& intensity);
/// Why nothing was changed; empty: Done.
std::string sentence_of(SteeringResult result);

}  // namespace lanescope::attach
