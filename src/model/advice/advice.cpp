#include "model/advice/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/time.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using analysis::Card;

constexpr double kMuchCostlier = 1.25;

}  // namespace

std::string cost_text(const Card& card) {
  if (card.cost_ns < 1) return {};
  // Two digits: the figure is an upper bound and changes with every look.
  Nanoseconds step = 1;
  while (card.cost_ns >= 99.5 * static_cast<double>(step)) step *= 10;
  const auto rounded = static_cast<Nanoseconds>(std::llround(card.cost_ns / static_cast<double>(step))) * step;
  const double percent = card.share * 100;
  return base::format_duration(rounded) + (percent < 1 ? " · < 1 %" : fmt::format(" · {:.0f} %", percent));
}

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

void AdviceState::say_again() {
  job_.supersede();
  looked_at_ = 0;
  looked_ = false;
  stretch_.reset();
  started_ = {};
}

void AdviceState::update(const Model& model, bool seen, Clock::time_point now) {
  if (generation_ != model.generation()) {
    *this = {};
    generation_ = model.generation();
  }
  if (std::optional<Findings> look = job_.take(); look && look->iterations > 0) {
    std::vector<AdviceCard> found = keyed(std::move(look->cards));
    // A card from before a knob was turned may no longer hold.
    cards_ = look->turns == turns_ ? next_cards(cards_, std::move(found)) : in_shown_order(cards_, std::move(found));
    turns_ = look->turns;
  }
  if (!seen || job_.busy()) return;
  const std::optional<analysis::AdvicePlan> plan = next_plan(model, now);
  if (!plan || stretch_ == std::pair(plan->from_ns, plan->to_ns)) return;
  stretch_ = {plan->from_ns, plan->to_ns};
  job_.start([trace = model.shared_trace(), plan = *plan,
              turns = model.analysis().markers().size()](const base::Stop& stop) -> Findings {
    analysis::Advice advice = analysis::advise(*trace, plan, &stop);
    return {std::move(advice.cards), advice.iterations, turns};
  });
}

std::optional<analysis::AdvicePlan> AdviceState::next_plan(const Model& model, Clock::time_point now) {
  if (!model.live()) {
    if (std::exchange(looked_, true)) return std::nullopt;
  } else {
    const bool young = model.analysis().records().size() < kFewestIterations;
    if (young && model.running()) return std::nullopt;
    if (model.recent().iteration.count == 0 || looked_at_ == model.recent_number() || now - started_ < kBetweenLooks)
      return std::nullopt;
    looked_at_ = model.recent_number();
    started_ = now;
  }
  return plan_of(model, kMostLiveEvents);
}

std::optional<analysis::AdvicePlan> plan_of(const Model& model, std::int64_t most_live_events) {
  analysis::NewestIterations which = analysis::kAdvised;
  if (model.live()) which = {.from_ns = model.recent().from_ns, .to_ns = model.recent().to_ns};
  if (model.live()) which.most_events = most_live_events;
  const trace::GpuNumber gpu = model.recent().verdict_gpu;
  return analysis::plan_advice(model.trace(), model.analysis().records(gpu), model.conditions(), which, gpu);
}

}  // namespace lanescope::ui
