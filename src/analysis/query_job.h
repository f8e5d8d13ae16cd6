// Keeps the answer to a question about a trace up to date: computed at once if it is about few events, else in the
// background; again while the trace grows; given up when another question is asked.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/event_query.h"

namespace lanescope::analysis {

template <class Answer>
class QueryJob {
 public:
  using Clock = std::chrono::steady_clock;
  /// `again`: the least time from an answer to its renewal; more often, its numbers could not be read.
  explicit QueryJob(Clock::duration again) : again_(again) {}

  std::optional<Answer> answer;  ///< the last one, until the next is ready
  EventQuery of;                 ///< what it answers
  std::uint64_t number = 0;      ///< changes with every new answer

  /// Call once per frame. `work` answers a query, on another thread: (const Trace&, const EventQuery&, const Watch&) ->
  /// Answer.
  /// Without a question there is no answer. True: the answer is new.
  template <class Work>
  bool update(const trace::SharedTrace& trace, const std::optional<EventQuery>& wanted, Clock::time_point now,
              Work work);
  /// It is to be continued: `work` has not read all that it could.
  void go_on() { looked_.reset(), seen_.reset(), again_at_ = {}; }
  /// Gives up what is being computed.
  void supersede() { job_.supersede(); }
  /// Stops, and forgets the answer.
  void end() {
    job_.leave();
    answer.reset();
    asked_.reset();
    outdated_ = true;
    due_ = false;
    go_on();
  }

  /// It is being computed.
  bool busy() const { return job_.busy(); }
  /// It is, or will be without anybody's doing.
  bool moves() const { return job_.busy() || due_; }
  /// There is no answer to the question asked.
  bool outdated() const { return outdated_; }
  float progress() const { return *progress_; }

 private:
  static constexpr std::uint64_t kAtOnce = 8'000;  // events
  // While an edge is dragged: so often, and the last question is answered unless it takes long.
  static constexpr std::chrono::milliseconds kDragged{100}, kPatience{400};
  static constexpr int kPause = 4;  // a computation is followed by this many times its duration without one

  void take(Answer&& taken) {
    answer = std::move(taken);
    of = *asked_;
    ++number;
  }
  // The same question, of another stretch.
  bool only_moved(const EventQuery& wanted) const {
    if (!asked_) return false;
    EventQuery there = *asked_;
    there.from = wanted.from;
    there.to = wanted.to;
    return there == wanted;
  }

  Clock::duration again_;
  std::shared_ptr<std::atomic<float>> progress_ = std::make_shared<std::atomic<float>>(0.0f);  // the job writes it
  base::BackgroundJob<Answer> job_;
  std::optional<EventQuery> asked_;  // last
  std::optional<Growth> looked_;     // of the whole trace, when it was last looked for more
  std::optional<Growth> seen_;       // of the stretch, when it was asked
  bool outdated_ = true, due_ = false;
  Clock::time_point started_{}, again_at_{};
};

template <class Answer>
template <class Work>
bool QueryJob<Answer>::update(const trace::SharedTrace& trace, const std::optional<EventQuery>& wanted,
                              Clock::time_point now, Work work) {
  const std::uint64_t before = number;
  due_ = false;
  if (!wanted) {
    job_.supersede();
    answer.reset();
    outdated_ = true;
  }
  const bool moved = wanted && asked_ != wanted && only_moved(*wanted);
  const bool patient = moved && now - started_ < kPatience;
  if (wanted && asked_ != wanted && !patient) job_.supersede();
  if (job_.ready()) {
    again_at_ = now + std::max(again_, kPause * (now - started_));
    if (auto done = job_.take()) take(std::move(*done));
  }
  if (!wanted) return false;
  const bool other = !answer || of != *wanted;
  outdated_ = other;
  due_ = number != before;  // the next one, not in the same frame
  if (due_ || job_.busy()) return due_;
  const bool same = !other && asked_ == wanted;
  const Growth of_all = growth_of(*trace, {});  // costs nothing
  if (same && of_all == looked_) return false;
  due_ = true;
  if (!other && now < again_at_) return false;
  looked_ = of_all;
  again_at_ = now + again_;
  EventQuery stretch = *wanted;
  stretch.lanes.clear();  // an answer may be about all lanes, too
  const Growth growth = growth_of(*trace, stretch);
  const bool few = growth.events() <= kAtOnce;
  due_ = other && !few && moved && now - started_ < kDragged;
  if (due_ || (same && growth == seen_)) return false;
  asked_ = wanted;
  seen_ = growth;
  started_ = now;
  *progress_ = 0;
  if (few) {
    take(work(*trace, *wanted, Watch{}));
    outdated_ = false;
    return true;
  }
  job_.start([work = std::move(work), trace, query = *wanted, progress = progress_](const base::Stop& stop) mutable {
    return work(*trace, query, Watch{&stop, progress.get()});
  });
  return false;
}

}  // namespace lanescope::analysis
