#include "model/advice/idle_places.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/translate.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using analysis::Bubble;
using analysis::IdleLedger;
using analysis::IdleRow;
using base::tr;

bool same_place(const IdleRow& a, const IdleRow& b) {
  const auto key = [](const IdleRow& row) { return std::tie(row.file, row.line, row.place, row.own_work); };
  return key(a) == key(b) && analysis::group_of(a.cause) == analysis::group_of(b.cause);
}

}  // namespace

bool worth_showing(const IdleLedger& shown, const IdleLedger& found) {
  if (shown.rows.size() != found.rows.size() || (shown.other_places > 0) != (found.other_places > 0)) return true;
  const double least = 0.01 * found.each(found.idle_ns);
  const auto differs = [&](Nanoseconds a, Nanoseconds b) {
    const double was = shown.each(a), is = found.each(b);
    return std::abs(is - was) > std::max(0.05 * was, least);
  };
  if (differs(shown.idle_ns, found.idle_ns) || differs(shown.other.idle_ns, found.other.idle_ns)) return true;
  for (const IdleRow& old : shown.rows) {
    const auto now = std::ranges::find_if(found.rows, [&](const IdleRow& row) { return same_place(row, old); });
    if (now == found.rows.end() || differs(old.idle_ns, now->idle_ns)) return true;
  }
  return false;
}

void IdlePlaces::update(const Model& model, bool seen, Clock::time_point now) {
  if (generation_ != model.generation()) {
    *this = {};
    generation_ = model.generation();
  }
  if (std::optional<IdleLedger> found = job_.take()) take(std::move(*found));
  if (!seen || job_.busy()) return;
  const bool live = model.live();
  if (live && (looked_at_ == model.recent_number() || now - started_ < kBetweenLooks)) return;
  if (!live && std::exchange(looked_, true)) return;
  looked_at_ = model.recent_number();
  started_ = now;
  const analysis::Summary& recent = model.recent();
  if (live) {
    job_.start([trace = model.shared_trace(), bubbles = analysis::bubbles_of(model.analysis(), recent),
                recent](const base::Stop& stop) { return analysis::idle_ledger(*trace, bubbles, recent, &stop); });
  } else {
    job_.start([trace = model.shared_trace(), analysis = model.shared_analysis(), recent](const base::Stop& stop) {
      return analysis::idle_ledger(*trace, *analysis, recent, &stop);
    });
  }
}

void IdlePlaces::take(IdleLedger found) {
  if (!worth_showing(ledger_, found)) return;
  const IdleRow* const was = chosen_ ? row(*chosen_) : nullptr;
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; was && i < found.rows.size(); ++i)
    if (same_place(found.rows[i], *was)) chosen = i;
  if (was == &ledger_.other && found.other_places > 0) chosen = found.rows.size();
  ledger_ = std::move(found);
  chosen_ = chosen;
}

const IdleRow* IdlePlaces::row(std::size_t number) const {
  if (number < ledger_.rows.size()) return &ledger_.rows[number];
  return number == ledger_.rows.size() && ledger_.other_places > 0 ? &ledger_.other : nullptr;
}

bool IdlePlaces::choose(std::size_t number) {
  const IdleRow* const chosen = row(number);
  if (!chosen || chosen->longest_ns == 0) return false;
  chosen_ = number;
  gap_ = chosen->longest;
  return true;
}

bool IdlePlaces::step(const Model& model, Along along) {
  const IdleRow* const now = chosen_ ? row(*chosen_) : nullptr;
  if (!now || !gap_ || now->starts.empty()) return false;
  const std::vector<Nanoseconds>& starts = now->starts;
  const auto at = std::ranges::lower_bound(starts, gap_->start_ns);
  const std::size_t n = starts.size();
  const std::size_t i = static_cast<std::size_t>(at - starts.begin()) % n;
  const Nanoseconds next = starts[(along == Along::Forth ? i + 1 : i + n - 1) % n];
  const analysis::Bubbles& bubbles = model.analysis().bubbles(ledger_.gpu);
  const auto found = std::ranges::lower_bound(bubbles, next, {}, &Bubble::start_ns);
  if (found == bubbles.end() || found->start_ns != next) return false;
  gap_ = *found;
  return true;
}

std::string IdlePlaces::gap_text() const {
  const IdleRow* const now = chosen_ ? row(*chosen_) : nullptr;
  if (!now || !gap_) return {};
  const std::string place = now == &ledger_.other ? std::string(tr("other places")) : place_text(*now);
  if (now->gaps() == 1) return tr("the only gap of {}", place);
  const std::string all = base::format_count(now->gaps());
  if (gap_->start_ns == now->longest.start_ns) return tr("longest of the {} gaps of {}", all, place);
  const auto at = std::ranges::lower_bound(now->starts, gap_->start_ns) - now->starts.begin();
  return tr("gap {} of {} of {}", base::format_count(at + 1), all, place);
}

}  // namespace lanescope::ui
