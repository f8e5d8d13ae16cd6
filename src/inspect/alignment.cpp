#include "inspect/alignment.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr double kBefore = 0.05, kAfter = 0.3;  // shares of the longer iteration, before and after it
constexpr double kByTime = 2.1;                 // by time: this many lengths of the longer iteration

const IterationSpan& iteration(const Alignment::Side& side, int number) {
  return side.iterations[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(side.typical) + number)];
}

// From the start of an iteration to that of the next, including what the program does between them.
Nanoseconds step(const Alignment::Side& side, int number) {
  const IterationSpan& own = iteration(side, number);
  const std::size_t next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(side.typical) + number) + 1;
  if (next >= side.iterations.size()) return std::max<Nanoseconds>(1, own.duration());
  return std::max({Nanoseconds{1}, own.duration(), side.iterations[next].start_ns - own.start_ns});
}

}  // namespace

Alignment::Alignment(CompareAlign align, const Side& a, const Side& b) : align_(align) {
  if (align == CompareAlign::Iteration) {
    by_iteration({a, b});
  } else {
    by_time({a, b});
  }
}

void Alignment::by_iteration(const std::array<Side, 2>& sides) {
  int before = kSlotsBefore, after = kSlotsAfter;
  for (const Side& side : sides) {
    if (side.iterations.empty()) continue;
    before = std::min(before, static_cast<int>(std::min<std::size_t>(side.typical, kSlotsBefore)));
    after = std::min(after,
                     static_cast<int>(std::min<std::size_t>(side.iterations.size() - 1 - side.typical, kSlotsAfter)));
  }
  const auto width = [&](int number) {
    Nanoseconds widest = 1;
    for (const Side& side : sides) {
      if (!side.iterations.empty()) widest = std::max(widest, step(side, number));
    }
    return widest;
  };
  for (int k = -before; k < 0; ++k) begin_ -= width(k);
  Nanoseconds at = begin_;
  for (int k = -before; k <= after; ++k) {
    const Slot& slot = slots_.emplace_back(Slot{k, at, at + width(k)});
    for (std::size_t s = 0; s < sides.size(); ++s) {
      if (sides[s].iterations.empty()) continue;
      const IterationSpan& own = iteration(sides[s], k);
      pieces_[s].push_back({at, at + step(sides[s], k), own.start_ns});
      marks_[s].push_back({k, at, at + own.duration()});
    }
    at = slot.to;
  }
  end_ = std::max(at, begin_ + 1);
}

void Alignment::by_time(const std::array<Side, 2>& sides) {
  bool first = true;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const Side& side = sides[s];
    if (side.iterations.empty()) continue;
    const Nanoseconds origin = iteration(side, 0).start_ns;
    const Piece piece{side.iterations.front().start_ns - origin, side.iterations.back().end_ns - origin,
                      side.iterations.front().start_ns};
    pieces_[s].push_back(piece);
    begin_ = first ? piece.at : std::min(begin_, piece.at);
    end_ = first ? piece.until : std::max(end_, piece.until);
    first = false;
    int number = -static_cast<int>(side.typical);
    for (const IterationSpan& span : side.iterations) {
      marks_[s].push_back({number++, span.start_ns - origin, span.end_ns - origin});
    }
  }
  end_ = std::max(end_, begin_ + 1);
}

const Alignment::Mark* Alignment::mark(std::size_t side, int number) const {
  const std::vector<Mark>& marks = marks_[side];
  if (marks.empty() || number < marks.front().number || number > marks.back().number) return nullptr;
  return &marks[static_cast<std::size_t>(number - marks.front().number)];
}

std::pair<Nanoseconds, Nanoseconds> Alignment::first_view() const {
  Nanoseconds longest = 1;
  for (std::size_t s = 0; s < 2; ++s) {
    if (const Mark* own = mark(s, 0)) longest = std::max(longest, own->to - own->from);
  }
  const auto width = static_cast<double>(longest);
  const double after = align_ == CompareAlign::Time ? kByTime : 1 + kAfter;
  const Nanoseconds from = std::max(begin_, -static_cast<Nanoseconds>(width * kBefore));
  const Nanoseconds to = std::min(end_, static_cast<Nanoseconds>(width * after));
  return {from, std::max(to, from + 1)};
}

}  // namespace lanescope::ui
