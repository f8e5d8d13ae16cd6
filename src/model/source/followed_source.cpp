#include "model/source/followed_source.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "attach/program_state.h"
#include "base/error.h"
#include "base/translate.h"
#include "experiment/session.h"

namespace lanescope::ui {

using base::tr;

namespace {

constexpr std::chrono::milliseconds kLook{20};
// A recorder that has gone has written what it could; a connection may still bring the end of it.
constexpr Nanoseconds kPatienceHere = base::kSecond, kPatienceFar = 10 * base::kSecond;

Nanoseconds clock_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// "python3 train.py --epochs 3": the program and a script without their folders.
std::string short_command(std::vector<std::string> words) {
  for (std::size_t i = 0; i < words.size() && i < 2; ++i) {
    if (!words[i].ends_with('/')) words[i] = words[i].substr(words[i].rfind('/') + 1);
  }
  return attach::joined_words(words);
}

}  // namespace

Followed followed(const attach::Recording& recording) {
  Followed what;
  what.file = recording.file;
  what.title = short_command(recording.words);
  what.recorder = recording.recorder;
  return what;
}

Followed followed(std::shared_ptr<attach::RemoteProgram> remote) {
  Followed what;
  what.file = remote->copy();
  what.title = short_command(remote->options().command.words);
  what.remote = std::move(remote);
  return what;
}

FollowedSource::FollowedSource(Followed what) : what_(std::move(what)) {
  if (what_.remote) what_.remote->start();
  follower_ = std::make_unique<io::SessionFollower>(what_.file, what_.memory_bytes);
}

FollowedSource::~FollowedSource() { end(); }

void FollowedSource::start() {
  running_ = true;
  thread_ = std::thread([this] { follow(); });
}

void FollowedSource::end() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void FollowedSource::follow() {
  quiet_since_ns_ = clock_now();
  try {
    while (!stop_ && !follower_->ended() && !given_up()) {
      if (follower_->read()) note_step();
      std::this_thread::sleep_for(kLook);
    }
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    failure_ = error.what();
  }
  if (what_.remote) what_.remote->stop_copying(follower_->ended());
  running_.store(false, std::memory_order_release);
}

// The present is at least as late as the edge was whenever a step arrived: its clock is the trace's plus the least
// difference seen.
void FollowedSource::note_step() {
  quiet_since_ns_ = clock_now();
  if (trace().counts().recorded == 0) return;
  present_offset_ns_ = std::min(present_offset_ns_.load(), quiet_since_ns_ - trace().complete_until());
}

bool FollowedSource::given_up() {
  const bool writes = what_.remote ? !what_.remote->ended() : attach::is_alive(what_.recorder);
  const Nanoseconds patience = what_.remote ? kPatienceFar : kPatienceHere;
  if (writes || clock_now() - quiet_since_ns_ < patience) return false;
  const std::lock_guard lock(mutex_);
  failure_ = tr("The recording has not been ended: what was recorded last may be missing.");
  return true;
}

Nanoseconds FollowedSource::now_ns() const {
  const Nanoseconds offset = present_offset_ns_;
  if (!running() || offset == std::numeric_limits<Nanoseconds>::max()) return live_edge_ns();
  return std::max(live_edge_ns(), clock_now() - offset);
}

io::RunFacts FollowedSource::facts() const {
  io::RunFacts facts = follower_->facts();
  facts.version.clear();
  return facts;
}

device::DeviceInfo FollowedSource::device() const {
  device::DeviceInfo info = experiment::device_of(follower_->facts());
  info.id.clear();
  if (info.name.empty()) info.name = tr("the program's GPU");
  return info;
}

std::string FollowedSource::trouble() const {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return failure_;
  }
  return what_.remote && running() ? what_.remote->state().trouble : std::string();
}

SourceWords FollowedSource::words() const {
  SourceWords words{tr("a recording that goes on"), tr("RECORDING"), trouble()};
  if (!words.sentence.empty()) return words;
  if (!running()) {
    words.sentence = tr("The program has ended: nothing is missing.");
  } else if (what_.remote) {
    words.sentence =
        tr("Recorded on {} and copied here: what is newer than the copy is unknown.", what_.remote->options().host);
  } else {
    words.sentence = tr("Recorded by process {}.", what_.recorder);
  }
  return words;
}

trace::CaptureHealth FollowedSource::health() const {
  trace::CaptureHealth health = follower_->health().value_or(trace::CaptureHealth{});
  if (const std::string why = trouble(); !why.empty()) {
    health.state = running() ? trace::CaptureState::Degraded : trace::CaptureState::Lost;
    health.reason = why;
  }
  return health;
}

}  // namespace lanescope::ui
