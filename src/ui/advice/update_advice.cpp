#include "ui/advice/update_advice.h"

#include <algorithm>

#include "ui/find/range_statistics.h"
#include "ui/shell_state.h"

namespace lanescope::ui {
namespace {

using analysis::Card;
using analysis::IterationRecord;

constexpr double kMuchCostlier = 1.25;
constexpr std::size_t kWarmUpWithin = 1000;  // iterations, the first of a run

}  // namespace

std::vector<AdviceCard> keyed(std::vector<Card> cards) {
  std::vector<AdviceCard> all;
  for (Card& card : cards) {
    CardKey key{card.rule, card.range, card.call, 0};
    while (std::any_of(all.begin(), all.end(), [&](const AdviceCard& other) { return other.key == key; })) ++key.nth;
    all.push_back({std::move(card), key});
  }
  return all;
}

std::vector<AdviceCard> in_shown_order(std::span<const AdviceCard> shown, std::vector<AdviceCard> found) {
  const auto rank = [&](const AdviceCard& card) {
    return std::find_if(shown.begin(), shown.end(), [&](const AdviceCard& s) { return s.key == card.key; }) -
           shown.begin();
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const AdviceCard& a, const AdviceCard& b) { return rank(a) < rank(b); });
  for (auto next = found.begin(); next != found.end(); ++next) {
    const auto costliest = std::max_element(next, found.end(), [](const AdviceCard& a, const AdviceCard& b) {
      return a.card.weight != b.card.weight ? a.card.weight > b.card.weight : a.card.cost_ns < b.card.cost_ns;
    });
    const Card most = costliest->card;
    const auto first = std::find_if(next, found.end(), [&](const AdviceCard& c) {
      return c.card.weight == most.weight && c.card.cost_ns * kMuchCostlier >= most.cost_ns;
    });
    std::rotate(next, first, std::next(first));
  }
  return found;
}

std::vector<AdviceCard> next_cards(std::span<const AdviceCard> shown, std::vector<AdviceCard> found) {
  for (const AdviceCard& old : shown) {
    const bool there =
        std::any_of(found.begin(), found.end(), [&](const AdviceCard& card) { return card.key == old.key; });
    if (there || old.missed) continue;
    found.push_back(old);
    found.back().missed = true;
  }
  return in_shown_order(shown, std::move(found));
}

std::optional<std::pair<Nanoseconds, Nanoseconds>> newest_stretch(const trace::Trace& trace,
                                                                  std::span<const IterationRecord> records,
                                                                  Nanoseconds from, Nanoseconds to,
                                                                  std::int64_t most_events) {
  const std::size_t warm_up = analysis::warm_up_count(records.first(std::min(records.size(), kWarmUpWithin)));
  const auto kept = records.subspan(warm_up);
  const auto first =
      std::partition_point(kept.begin(), kept.end(), [&](const IterationRecord& r) { return r.start_ns < from; });
  const auto end = std::partition_point(first, kept.end(), [&](const IterationRecord& r) { return r.end_ns <= to; });
  if (first == end) return std::nullopt;
  const auto last = std::prev(end);
  const auto begin = std::partition_point(first, last, [&](const IterationRecord& r) {
    return count_starting(trace, r.start_ns, last->end_ns, {}) > most_events;
  });
  return std::pair{begin->start_ns, last->end_ns};
}

std::optional<EventRef> event_of(const trace::Trace& trace, const analysis::Place& place) {
  if (place.end_ns <= place.start_ns || place.lane >= trace.lane_count()) return std::nullopt;
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& lane = trace.lane(place.lane);
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const trace::EventIndex last = row.last();
    auto i = row.first_starting_at_or_after(place.start_ns, row.first(), last);
    for (; i < last && row.start(i) == place.start_ns; ++i) {
      if (row.end(i) == place.end_ns) return event_ref(place.lane, r, row, i);
    }
  }
  return std::nullopt;
}

void AdviceState::end() {
  job_.end();
  cards_.clear();
  turns_ = 0;
  looked_at_ = 0;
  looked_ = false;
  stretch_.reset();
  started_ = {};
  all = false;
  open.reset();
  open_lines = 0;
  went_to.reset();
}

void AdviceState::say_again() {
  job_.supersede();
  looked_at_ = 0;
  looked_ = false;
  stretch_.reset();
  started_ = {};
}

void AdviceState::update(const Model& model, bool seen, Clock::time_point now) {
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  if (std::optional<Look> look = job_.take(); look && look->iterations > 0) {
    std::vector<AdviceCard> found = keyed(std::move(look->cards));
    // What held before a knob was turned need not hold now.
    cards_ = look->turns == turns_ ? next_cards(cards_, std::move(found)) : in_shown_order(cards_, std::move(found));
    turns_ = look->turns;
  }
  if (!seen || job_.busy()) return;
  const auto stretch = next_stretch(model, now);
  if (!stretch || stretch == stretch_) return;
  stretch_ = stretch;
  analysis::AdviceContext link;
  if (model.live()) {
    const device::DeviceInfo& device = model.session()->device();
    link = {device.h2d_peak_gb_per_s, device.d2h_peak_gb_per_s};
  }
  job_.start([&trace = model.trace(), stretch = *stretch, link,
              turns = model.analysis().markers().size()](const Stop& stop) -> Look {
    const analysis::Evidence evidence = analysis::gather(trace, stretch.first, stretch.second, &stop);
    return {analysis::advise(evidence, trace.names(), link), evidence.iterations, turns};
  });
}

std::optional<std::pair<Nanoseconds, Nanoseconds>> AdviceState::next_stretch(const Model& model,
                                                                             Clock::time_point now) {
  const auto records = model.analysis().records();
  if (!model.live()) {
    if (std::exchange(looked_, true) || records.empty()) return std::nullopt;
    return newest_stretch(model.trace(), records, records.front().start_ns, records.back().end_ns, kMostEvents);
  }
  if (records.size() < kFewestIterations && model.session()->runner().running()) return std::nullopt;
  const analysis::Summary& recent = model.recent();
  if (recent.iteration.count == 0 || looked_at_ == model.recent_number() || now - started_ < kBetweenLooks)
    return std::nullopt;
  looked_at_ = model.recent_number();
  started_ = now;
  return newest_stretch(model.trace(), records, recent.from_ns, recent.to_ns, kMostLiveEvents);
}

void update_advice(ShellState& state) {
  const auto now = AdviceState::Clock::now();
  state.advice.update(state.model, !state.presentation, now);
  state.try_it.update(state.model, state.advice.cards(), !state.presentation, now);
}

}  // namespace lanescope::ui
