#include "attach/steering_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/control_characters.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::uint32_t kRequestMagic = 0x5153'534c, kAnswerMagic = 0x4153'534c;  // "LSSQ", "LSSA"
constexpr std::uint16_t kVersion = 1;
constexpr std::uint32_t kPartsOfShare = 1'000'000;

enum ChangeBit : std::uint16_t { kLevel = 1, kShare = 2, kLines = 4, kRecord = 8, kLoop = 16, kAll = 31 };

struct Key {
  std::uint32_t depth = 0, code = 0, repeat = 0, head = 0;
};

struct Request {
  std::uint32_t magic = kRequestMagic;
  std::uint16_t version = kVersion, changes = 0;
  std::uint32_t level = 0, share = 0, lines = 0, pid = 0;
  std::int64_t record_ns = 0;
  std::uint32_t has_key = 0;
  Key key;
  std::array<std::uint32_t, 3> zero{};
};
static_assert(sizeof(Request) == kSteeringRequestBytes && std::is_trivially_copyable_v<Request>);

template <std::size_t N>
using Text = std::array<char, N>;  // ends with a zero

enum HeadFlag : std::uint32_t { kStarted = 1, kEnded = 2, kLaunchLines = 4 };
struct Head {
  std::uint32_t magic = kAnswerMagic;
  std::uint16_t version = kVersion, result = 0;
  std::uint32_t bytes = 0;  // of the whole answer
  // As above in all versions.
  std::uint32_t flags = 0, level = 0, share = 0;
  std::int64_t boosted_ns = 0, running_ns = 0;
  std::uint32_t without_gpu = 0, processes = 0, loops = 0, remarks = 0;
  Text<96> end{};
};

enum ProcessFlag : std::uint32_t {
  kUsesGpu = 1,
  kProcessEnded = 2,
  kRecording = 4,
  kCutOff = 8,
  kHasRank = 16,
  kHasChosen = 32
};
struct Process {
  std::uint32_t pid = 0, parent = 0, flags = 0, state = 0;
  std::int32_t rank = 0, ranks = 0;
  Key chosen;
  std::int64_t iteration_ns = 0, recorded_ns = 0, between_ns = 0;
  std::uint32_t iterations = 0, zero = 0;
  Text<96> name{}, program{};
  Text<256> folder{};
  Text<192> library{}, iterations_by{};
  Text<96> gpu{};
};

struct Loop {
  std::uint32_t process = 0;  // which of those told
  std::uint32_t calls = 0;
  Key key;
  std::int64_t round_ns = 0;
  std::uint64_t rounds = 0;
  Text<192> text{};
};

struct Told {
  std::uint32_t problem = 0;
  Text<508> sentence{};
};

static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<Process> &&
              std::is_trivially_copyable_v<Loop> && std::is_trivially_copyable_v<Told>);
static_assert(sizeof(Head) + kMostToldProcesses * sizeof(Process) + kMostToldLoops * sizeof(Loop) +
                  kMostToldRemarks * sizeof(Told) <=
              kMostAnswerBytes);

Key as_key(const LoopKey& key) { return {key.depth, key.code, key.repeat ? 1u : 0u, key.head}; }
LoopKey as_loop(const Key& key) { return {key.depth, key.code, key.repeat != 0, key.head}; }

template <std::size_t N>
void set(Text<N>& to, std::string_view text) {
  std::size_t count = std::min(text.size(), N - 1);
  if (count < text.size()) {
    while (count > 0 && (static_cast<unsigned char>(text[count]) & 0xC0) == 0x80) --count;  // no part of a character
  }
  to.fill(0);
  std::copy_n(text.begin(), count, to.begin());
}

template <std::size_t N>
std::string get(const Text<N>& from) {
  return base::without_controls(std::string(from.begin(), std::find(from.begin(), from.end(), '\0')));
}

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
T take(std::string_view& bytes) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return value;
}

std::uint32_t parts(double share) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(share, 1e-6, 1.0) * kPartsOfShare));
}

bool is_level(std::uint32_t level) {
  return level >= static_cast<std::uint32_t>(wire::Level::Waits) &&
         level <= static_cast<std::uint32_t>(wire::Level::All);
}
bool is_share(std::uint32_t parts) { return parts >= 1 && parts <= kPartsOfShare; }

Process as_told(const ProcessState& state) {
  Process told;
  told.pid = state.pid;
  told.parent = state.parent;
  const auto flag = [&](bool on, ProcessFlag bit) { told.flags |= on ? bit : 0u; };
  flag(state.uses_gpu, kUsesGpu);
  flag(state.ended, kProcessEnded);
  flag(state.recording, kRecording);
  flag(state.cut_off, kCutOff);
  flag(state.rank.has_value(), kHasRank);
  flag(state.chosen.has_value(), kHasChosen);
  told.state = static_cast<std::uint32_t>(state.state);
  told.rank = state.rank.value_or(0);
  told.ranks = state.ranks;
  if (state.chosen) told.chosen = as_key(*state.chosen);
  told.iteration_ns = state.iteration_ns;
  told.recorded_ns = state.iteration_recorded_ns;
  told.between_ns = state.iteration_between_ns;
  told.iterations = state.iteration_count;
  set(told.name, state.name);
  set(told.program, state.program);
  set(told.folder, state.folder.string());
  set(told.library, state.library);
  set(told.iterations_by, state.iterations);
  set(told.gpu, state.gpu);
  return told;
}

ProcessState as_state(const Process& told) {
  ProcessState state;
  state.pid = told.pid;
  state.parent = told.parent;
  state.uses_gpu = (told.flags & kUsesGpu) != 0;
  state.ended = (told.flags & kProcessEnded) != 0;
  state.recording = (told.flags & kRecording) != 0;
  state.cut_off = (told.flags & kCutOff) != 0;
  if ((told.flags & kHasRank) != 0) state.rank = told.rank;
  if ((told.flags & kHasChosen) != 0) state.chosen = as_loop(told.chosen);
  state.state = told.state <= static_cast<std::uint32_t>(wire::State::Failed) ? static_cast<wire::State>(told.state)
                                                                              : wire::State::Failed;
  state.ranks = told.ranks;
  state.iteration_ns = std::max<Nanoseconds>(told.iteration_ns, 0);
  state.iteration_recorded_ns = std::max<Nanoseconds>(told.recorded_ns, 0);
  state.iteration_between_ns = std::max<Nanoseconds>(told.between_ns, 0);
  state.iteration_count = told.iterations;
  state.name = get(told.name);
  state.program = get(told.program);
  state.folder = get(told.folder);
  state.library = get(told.library);
  state.iterations = get(told.iterations_by);
  state.gpu = get(told.gpu);
  return state;
}

}  // namespace

std::string write_request(const SteeringChange& change) {
  Request request;
  if (change.level) {
    request.changes |= kLevel;
    request.level = static_cast<std::uint32_t>(*change.level);
  }
  if (change.share) {
    request.changes |= kShare;
    request.share = parts(*change.share);
  }
  if (change.launch_lines) {
    request.changes |= kLines;
    request.lines = *change.launch_lines ? 1 : 0;
  }
  if (change.record) {
    request.changes |= kRecord;
    request.record_ns = *change.record;
  }
  if (change.loop) {
    request.changes |= kLoop;
    request.pid = change.loop->pid;
    request.has_key = change.loop->key ? 1 : 0;
    if (change.loop->key) request.key = as_key(*change.loop->key);
  }
  std::string bytes;
  append(bytes, request);
  return bytes;
}

SteeringResult read_request(std::string_view bytes, SteeringChange& change) {
  constexpr std::size_t kBeginning = 6;  // magic and version, which are in all versions
  if (bytes.size() < kBeginning) return SteeringResult::Refused;
  std::uint32_t magic = 0;
  std::uint16_t version = 0;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  std::memcpy(&version, bytes.data() + sizeof(magic), sizeof(version));
  if (magic != kRequestMagic) return SteeringResult::Refused;
  if (version != kVersion) return SteeringResult::OtherVersion;
  if (bytes.size() != sizeof(Request)) return SteeringResult::Refused;
  const auto request = take<Request>(bytes);
  const auto has = [&](ChangeBit what) { return (request.changes & what) != 0; };
  const bool fits = (request.changes & ~kAll) == 0 && (!has(kLevel) || is_level(request.level)) &&
                    (!has(kShare) || is_share(request.share)) && request.lines <= 1 && request.has_key <= 1 &&
                    request.key.repeat <= 1 && request.record_ns >= 0 && request.record_ns <= kLongestRecord;
  if (!fits) return SteeringResult::Refused;
  change = {};
  if (has(kLevel)) change.level = static_cast<wire::Level>(request.level);
  if (has(kShare)) change.share = static_cast<double>(request.share) / kPartsOfShare;
  if (has(kLines)) change.launch_lines = request.lines != 0;
  if (has(kRecord)) change.record = request.record_ns;
  if (has(kLoop)) {
    SteeringChange::Loop loop;
    loop.pid = request.pid;
    if (request.has_key != 0) loop.key = as_loop(request.key);
    change.loop = loop;
  }
  return SteeringResult::Done;
}

std::string write_answer(SteeringResult result, const SteeringState& state) {
  const AttachState& program = state.program;
  Head head;
  head.result = static_cast<std::uint16_t>(result);
  head.flags = (program.started ? kStarted : 0u) | (program.ended ? kEnded : 0u) |
               (state.intensity.launch_lines ? kLaunchLines : 0u);
  head.level = static_cast<std::uint32_t>(state.intensity.level);
  head.share = parts(state.intensity.share);
  head.boosted_ns = state.boosted_ns;
  head.running_ns = program.running_ns;
  head.without_gpu = static_cast<std::uint32_t>(program.without_gpu);
  set(head.end, program.end);

  std::vector<const ProcessState*> told;
  for (const ProcessState& process : program.processes) told.push_back(&process);
  std::ranges::stable_partition(told, &ProcessState::uses_gpu);
  if (told.size() > kMostToldProcesses) told.erase(told.begin() + kMostToldProcesses, told.end());
  std::vector<Loop> loops;
  // The shallowest of each process, which are the first.
  const std::size_t loops_each = told.empty() ? 0 : kMostToldLoops / told.size();
  for (std::size_t i = 0; i < told.size(); ++i) {
    for (std::size_t k = 0; k < std::min(told[i]->loops.size(), loops_each); ++k) {
      const LoopChoice& choice = told[i]->loops[k];
      Loop& loop = loops.emplace_back();
      loop.process = static_cast<std::uint32_t>(i);
      loop.calls = choice.calls;
      loop.key = as_key(choice.key);
      loop.round_ns = choice.round_ns;
      loop.rounds = choice.rounds;
      set(loop.text, choice.text);
    }
  }
  head.processes = static_cast<std::uint32_t>(told.size());
  head.loops = static_cast<std::uint32_t>(loops.size());
  head.remarks = static_cast<std::uint32_t>(std::min(program.remarks.size(), kMostToldRemarks));
  head.bytes = static_cast<std::uint32_t>(sizeof(Head) + head.processes * sizeof(Process) + head.loops * sizeof(Loop) +
                                          head.remarks * sizeof(Told));
  std::string bytes;
  bytes.reserve(head.bytes);
  append(bytes, head);
  for (const ProcessState* process : told) append(bytes, as_told(*process));
  for (const Loop& loop : loops) append(bytes, loop);
  for (std::size_t i = 0; i < head.remarks; ++i) {
    Told remark;
    remark.problem = program.remarks[i].problem ? 1 : 0;
    set(remark.sentence, program.remarks[i].sentence);
    append(bytes, remark);
  }
  return bytes;
}

std::optional<std::size_t> answer_bytes(std::string_view head) {
  if (head.size() < kSteeringHeadBytes) return std::nullopt;
  std::uint32_t magic = 0, bytes = 0;
  std::memcpy(&magic, head.data(), sizeof(magic));
  std::memcpy(&bytes, head.data() + 8, sizeof(bytes));
  if (magic != kAnswerMagic || bytes < kSteeringHeadBytes || bytes > kMostAnswerBytes) return std::nullopt;
  return bytes;
}

std::optional<SteeringAnswer> read_answer(std::string_view bytes) {
  const auto size = answer_bytes(bytes);
  if (!size || *size != bytes.size()) return std::nullopt;
  SteeringAnswer answer;
  std::uint16_t version = 0;
  std::memcpy(&version, bytes.data() + 4, sizeof(version));
  if (version != kVersion) {
    answer.result = SteeringResult::OtherVersion;
    return answer;
  }
  if (bytes.size() < sizeof(Head)) return std::nullopt;
  const auto head = take<Head>(bytes);
  if (head.result > static_cast<std::uint16_t>(SteeringResult::NoRecorder) || head.processes > kMostToldProcesses ||
      head.loops > kMostToldLoops || head.remarks > kMostToldRemarks || !is_level(head.level) ||
      !is_share(head.share) ||
      bytes.size() != head.processes * sizeof(Process) + head.loops * sizeof(Loop) + head.remarks * sizeof(Told)) {
    return std::nullopt;
  }
  answer.result = static_cast<SteeringResult>(head.result);
  SteeringState& state = answer.state;
  state.intensity.level = static_cast<wire::Level>(head.level);
  state.intensity.share = static_cast<double>(head.share) / kPartsOfShare;
  state.intensity.launch_lines = (head.flags & kLaunchLines) != 0;
  state.boosted_ns = std::clamp<Nanoseconds>(head.boosted_ns, 0, kLongestRecord);
  AttachState& program = state.program;
  program.started = (head.flags & kStarted) != 0;
  program.ended = (head.flags & kEnded) != 0;
  program.running_ns = std::max<Nanoseconds>(head.running_ns, 0);
  program.without_gpu = head.without_gpu;
  program.end = get(head.end);
  for (std::uint32_t i = 0; i < head.processes; ++i) program.processes.push_back(as_state(take<Process>(bytes)));
  for (std::uint32_t i = 0; i < head.loops; ++i) {
    const auto loop = take<Loop>(bytes);
    if (loop.process >= head.processes || loop.key.repeat > 1) return std::nullopt;
    program.processes[loop.process].loops.push_back(
        {as_loop(loop.key), get(loop.text), std::max<Nanoseconds>(loop.round_ns, 0), loop.rounds, loop.calls});
  }
  for (std::uint32_t i = 0; i < head.remarks; ++i) {
    const auto remark = take<Told>(bytes);
    program.remarks.push_back({get(remark.sentence), remark.problem != 0});
  }
  return answer;
}

std::string text_of(const Intensity& intensity) {
  const std::string level = to_text(intensity.level);
  if (intensity.level != wire::Level::Acquire) return level;
  return tr("{}, {} % of the time", level, fmt::format("{:.4g}", intensity.share * 100));
}

std::string sentence_of(SteeringResult result) {
  switch (result) {
    case SteeringResult::Done:
      break;
    case SteeringResult::OtherVersion:
      return tr("What is recorded cannot be changed: the recorder is another version of Lanescope.");
    case SteeringResult::Refused:
      return tr("The recorder has refused the change.");
    case SteeringResult::NoProcess:
      return tr("The process of that loop is not watched any more.");
    case SteeringResult::NoLoop:
      return tr("That loop is not known there any more.");
    case SteeringResult::NoRecorder:
      return tr("The recorder is not there, or not there yet.");
  }
  return {};
}

}  // namespace lanescope::attach
