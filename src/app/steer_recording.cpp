#include "app/steer_recording.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "app/terminal.h"
#include "attach/command_words.h"
#include "attach/recordings.h"
#include "attach/steering_link.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

using base::tr;

constexpr const char* kFoundByItself = "auto";

attach::SteeringState ask(attach::SteeringLink& recorder, const attach::SteeringChange& change) {
  attach::SteeringAnswer answer = recorder.ask(change);
  if (answer.result != attach::SteeringResult::Done) throw base::Error(attach::sentence_of(answer.result));
  return std::move(answer.state);
}

/// "train.py:41" is "train.py:41 for batch in loader".
const attach::LoopChoice* find_loop(const attach::ProcessState& process, const std::string& wanted) {
  const attach::LoopChoice* found = nullptr;
  for (const attach::LoopChoice& loop : process.loops) {
    const bool same = loop.text == wanted || loop.text.starts_with(wanted + " ");
    if (same && (!found || found->key.repeat)) found = &loop;
  }
  return found;
}

/// In every process that has the loop: the ranks of a job have the same.
std::vector<attach::SteeringChange::Loop> choices(const attach::AttachState& program, const std::string& wanted) {
  std::vector<attach::SteeringChange::Loop> found;
  std::vector<std::string> known;
  for (const attach::ProcessState& process : program.processes) {
    if (process.ended || !process.uses_gpu) continue;
    for (const attach::LoopChoice& loop : process.loops) {
      if (std::ranges::find(known, loop.text) == known.end()) known.push_back(loop.text);
    }
    if (wanted == kFoundByItself) {
      found.push_back({process.pid, std::nullopt});
    } else if (const attach::LoopChoice* loop = find_loop(process, wanted)) {
      found.push_back({process.pid, loop->key});
    }
  }
  if (!found.empty()) return found;
  if (known.empty()) throw base::Error(tr("no loop of the program has been found yet"));
  std::string list;
  for (const std::string& text : known) list += (list.empty() ? "" : "; ") + text;
  throw base::UsageError(tr("--loop '{}' is not a loop of the program; allowed: auto, {}", wanted, list));
}

bool is_chosen(const attach::AttachState& program, const attach::SteeringChange::Loop& wanted) {
  const auto process = std::ranges::find(program.processes, wanted.pid, &attach::ProcessState::pid);
  return process == program.processes.end() || process->ended || process->chosen == wanted.key;
}

/// The recorder takes up a choice within a moment.
attach::SteeringState choose(attach::SteeringLink& recorder, const std::vector<attach::SteeringChange::Loop>& wanted) {
  attach::SteeringState state;
  for (const attach::SteeringChange::Loop& loop : wanted) {
    attach::SteeringChange change;
    change.loop = loop;
    state = ask(recorder, change);
  }
  const auto in_effect = [&] {
    return std::ranges::all_of(wanted, [&](const auto& loop) { return is_chosen(state.program, loop); });
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!in_effect()) {
    if (std::chrono::steady_clock::now() > deadline) throw base::Error(tr("the recorder has not taken up the loop"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    state = ask(recorder, {});
  }
  return state;
}

std::string text_of(const attach::SteeringState& state) {
  std::string text = attach::text_of(state.intensity);
  if (!state.intensity.launch_lines) text += std::string("; ") + tr("no lines for launches");
  if (state.boosted_ns > 0 && state.intensity.level == wire::Level::Acquire) {
    const base::Nanoseconds seconds = (state.boosted_ns + base::kSecond - 1) / base::kSecond;
    text += "; " + tr("everything for another {} s", seconds);
  }
  const attach::ProcessState* process = state.program.first_with_gpu();
  if (process && !process->iterations.empty()) {
    text += "; " + (process->chosen ? tr("iterations by {}, as chosen", process->iterations)
                                    : tr("iterations by {}", process->iterations));
  }
  return text;
}

}  // namespace

int steer_recording(const SteerRequest& request) {
  const auto recorder_of = [&] {
    const std::vector<attach::Recording> all = attach::recordings();
    return attach::find_recording(all, request.target, "--steer");
  };
  if (request.relay) {
    attach::pass_on(STDIN_FILENO, STDOUT_FILENO,
                    [&] { return std::make_unique<attach::SteeringSocket>(recorder_of().recorder); });
    return 0;
  }
  const attach::Recording recording = recorder_of();
  attach::SteeringSocket recorder(recording.recorder);
  attach::SteeringState state = ask(recorder, {});
  const attach::SteeringChange& change = request.change;
  if (change.level.value_or(state.intensity.level) != wire::Level::Acquire) {
    if (change.share) throw base::UsageError(tr("{} needs {}", "--share", "--level acquire"));
    if (change.record) throw base::UsageError(tr("{} needs {}", "--record-for", "--level acquire"));
  }
  std::vector<attach::SteeringChange::Loop> loops;
  if (!request.loop.empty()) loops = choices(state.program, request.loop);
  if (change != attach::SteeringChange{}) state = ask(recorder, change);
  if (!loops.empty()) state = choose(recorder, loops);
  write_out(
      one_line(fmt::format("{} ({}): {}", attach::joined_words(recording.words), recording.recorder, text_of(state))) +
      "\n");
  return 0;
}

}  // namespace lanescope::app
