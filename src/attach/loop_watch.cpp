#include "attach/loop_watch.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lanescope::attach {
namespace {

constexpr int kRangesForSteps = 3;
constexpr std::size_t kMostRangeNames = 4096;

bool names_a_step(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> kWords{"profilerstep", "iteration", "train_step", "training_step"};
  if (std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return lower.find(word) != std::string::npos; })) {
    return true;
  }
  // "step 12", "iter_3", but not "optimizer.step".
  const auto first_letters = lower.substr(0, lower.find_first_of(" _#:-"));
  return first_letters == "step" || first_letters == "iter" || first_letters == "batch";
}

}  // namespace

std::optional<LoopWatch::Iteration> LoopWatch::add(const Call& call, std::span<const FramePlace> stack) {
  ++calls_;
  std::optional<LoopKey> again;
  if (call.recorded || !ever_recorded_) {
    ever_recorded_ = ever_recorded_ || call.recorded;
    if (in_gap_) {
      finder_.forget_last();
      left_out_ns_ += call.start_ns - last_start_ns_;
      in_gap_ = false;
    }
    again = finder_.add(call.start_ns - left_out_ns_, stack, call.recorded);
    last_start_ns_ = call.start_ns;
  }
  const std::optional<LoopKey> now = loop();
  if (now != loop_) {
    loop_ = now;
    loop_since_ns_ = call.start_ns;
    drop_anchor();
  }
  std::optional<Iteration> ended;
  const auto begin = [&](Nanoseconds t) {
    if (begun_ns_ && t > *begun_ns_) ended = Iteration{*begun_ns_, t};
    begun_ns_ = t;
  };
  if (!loop_ || (!chosen_ && call.start_ns - loop_since_ns_ < settled_ns_)) return ended;
  const bool round = again == loop_;
  if (round && call.recorded) {
    if (whole_) {
      look_for_anchor();
    } else {
      whole_rounds_ = 0;
    }
    for (auto& [key, count] : counts_) count.first = 0;
    whole_ = true;
  }
  if (call.always_watched && call.recorded && call.site != 0 &&
      (counts_.size() < kMostCandidates || counts_.contains({call.api, call.site}))) {
    ++counts_[{call.api, call.site}].first;
  }
  if (anchor_) {
    if (call.api == anchor_->api && call.site == anchor_->site) {
      begin(call.end_ns);
      anchor_seen_ns_ = call.end_ns;
    } else if (round && call.recorded && begun_ns_ && call.start_ns - anchor_seen_ns_ > 10 * base::kSecond) {
      drop_anchor();  // the program has gone on without it
    }
  } else if (round && call.recorded) {
    begin(call.start_ns);
  }
  return ended;
}

void LoopWatch::look_for_anchor() {
  ++whole_rounds_;
  for (auto& [key, count] : counts_) count.second = count.first == 1 ? count.second + 1 : 0;
  if (anchor_ || whole_rounds_ < kRoundsForAnchor) return;
  for (const auto& [key, count] : counts_) {
    if (count.second < kRoundsForAnchor) continue;
    anchor_ = Anchor{key.first, key.second};
    begun_ns_.reset();
    return;
  }
}

void LoopWatch::drop_anchor() {
  anchor_.reset();
  begun_ns_.reset();
  counts_.clear();
  whole_rounds_ = 0;
  whole_ = false;
}

void LoopWatch::recording_changed() {
  whole_ = false;
  in_gap_ = last_start_ns_ != 0;
  if (!anchor_) begun_ns_.reset();
}

void LoopWatch::choose(std::optional<LoopKey> loop) {
  if (loop == chosen_) return;
  chosen_ = loop;
}

std::string StepRanges::without_digits(std::string_view name) {
  std::string plain;
  std::copy_if(name.begin(), name.end(), std::back_inserter(plain),
               [](unsigned char c) { return std::isdigit(c) == 0; });
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

bool StepRanges::add(std::string_view name, std::uint32_t thread) {
  std::pair<std::string, std::uint32_t> key{without_digits(name), thread};
  if (found()) return key == chosen_;
  if (!names_a_step(name) || (counts_.size() >= kMostRangeNames && !counts_.contains(key))) return false;
  if (++counts_[key] < kRangesForSteps) return false;
  chosen_ = std::move(key);
  return true;
}

}  // namespace lanescope::attach
