#include "attach/recorder_controls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;
using std::chrono::milliseconds;

// Until the recorder is there, and while a connection is broken.
constexpr milliseconds kFirstPause{250}, kLongestPause{10'000};
constexpr std::size_t kMostChanges = 64;

}  // namespace

RecorderControls::RecorderControls(std::unique_ptr<SteeringLink> link, milliseconds every)
    : link_(std::move(link)), every_(every) {
  thread_ = std::thread([this] { run(); });
}

RecorderControls::~RecorderControls() {
  stop();
  thread_.join();
}

void RecorderControls::stop() {
  link_->stop();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  woken_.notify_all();
}

RecorderControls::State RecorderControls::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void RecorderControls::change(const SteeringChange& change) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_ || changes_.size() == kMostChanges) return;
    changes_.push_back(change);
    state_.changing = changes_.size();
    state_.refusal.clear();
  }
  woken_.notify_all();
}

void RecorderControls::run() {
  milliseconds pause = kFirstPause;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const bool changes = !changes_.empty();
    const SteeringChange change = changes ? changes_.front() : SteeringChange{};
    lock.unlock();
    std::optional<SteeringAnswer> answer;
    std::string trouble;
    bool lasting = false;
    try {
      answer = link_->ask(change);
      if (answer->result == SteeringResult::NoRecorder || answer->result == SteeringResult::OtherVersion) {
        trouble = sentence_of(answer->result);
        lasting = answer->result == SteeringResult::OtherVersion;
      }
    } catch (const SteeringError& error) {
      trouble = error.what();
      lasting = error.lasting();
    }
    lock.lock();
    state_.connected = trouble.empty();
    state_.trouble = trouble;
    if (state_.connected) {
      state_.known = true;
      state_.recorder = std::move(answer->state);
      pause = kFirstPause;
    }
    if (changes) {
      changes_.pop_front();
      const std::string why = state_.connected ? sentence_of(answer->result) : trouble;
      if (!why.empty()) state_.refusal = tr("The last change was not made. {}", why);
    }
    if (lasting) {
      stop_ = true;
      changes_.clear();
    }
    state_.changing = changes_.size();
    if (stop_) return;
    const auto due = [this] { return stop_ || !changes_.empty(); };
    woken_.wait_for(lock, state_.connected ? every_ : pause, due);
    if (!state_.connected) pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace lanescope::attach
