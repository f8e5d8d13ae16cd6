#include "timeline/plots_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
using trace::EventIndex;

// Maximum number of unread samples of a column that are read individually.
constexpr EventIndex kMostUnread = 2048;

double value_at(const trace::Row& row, EventIndex i) { return trace::value_of(row.untimed_event(i)); }

}  // namespace

void CounterPlot::read(const trace::Row& row, Tree& tree, std::size_t& budget) {
  // A summary includes how long its last sample held, so it needs the next sample.
  while ((tree.size() + 1) * kLeaf < row.last()) {
    if (budget < kLeaf) {
      behind_ = true;
      return;
    }
    const EventIndex from = tree.size() * kLeaf;
    Node node;
    if (from >= row.first()) {  // otherwise it is evicted
      budget -= kLeaf;
      for (EventIndex i = from; i < from + kLeaf; ++i) {
        const double value = value_at(row, i);
        node.take(static_cast<float>(value));
        if (std::isfinite(value)) node.area += value * static_cast<double>(row.start(i + 1) - row.start(i));
      }
    }
    tree.push(node);
  }
}

// Summarises the samples [from, to), the last of which holds until sample `to`. Empty if too many of them are unread.
std::optional<CounterPlot::Node> CounterPlot::over(const trace::Row& row, const Tree& tree, EventIndex from,
                                                   EventIndex to) const {
  Node node;
  const auto look = [&](EventIndex a, EventIndex b) {
    for (EventIndex i = a; i < b; ++i) {
      const double value = value_at(row, i);
      node.take(static_cast<float>(value));
      if (std::isfinite(value)) node.area += value * static_cast<double>(row.start(i + 1) - row.start(i));
    }
  };
  const EventIndex first = std::min<EventIndex>((from + kLeaf - 1) / kLeaf, tree.size());
  const EventIndex last = std::min<EventIndex>(to / kLeaf, tree.size());
  if (first >= last) {
    if (to - from > kMostUnread) return std::nullopt;
    look(from, to);
    return node;
  }
  if (to - last * kLeaf > kMostUnread) return std::nullopt;
  look(from, first * kLeaf);
  node.join(tree.over(first, last));
  look(last * kLeaf, to);
  return node;
}

void CounterPlot::prepare(const trace::Trace& trace, trace::LaneId id, std::uint64_t generation, const TimeAxis& axis,
                          Nanoseconds edge) {
  if (generation != generation_ || id != lane_) {
    generation_ = generation;
    lane_ = id;
    trees_.clear();
  }
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  columns_.assign(static_cast<std::size_t>(std::max(0.0f, axis.width_px())), {kNaN, kNaN, kNaN});
  behind_ = false;
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& lane = trace.lane(id);
  trees_.resize(lane.row_count());
  std::size_t budget = kReadAtOnce;
  for (std::size_t r = 0; r < trees_.size(); ++r) {
    const trace::Row& row = lane.row(r);
    const EventIndex begin = row.first(), end = row.last();
    if (begin == end) continue;
    read(row, trees_[r], budget);
    EventIndex next = row.first_starting_at_or_after(axis.begin_ns(), begin, end);
    for (std::size_t x = 0; x < columns_.size(); ++x) {
      const Nanoseconds from = axis.to_ns(axis.left_px() + static_cast<float>(x));
      if (from >= edge) break;
      const Nanoseconds to = std::min(edge, axis.to_ns(axis.left_px() + static_cast<float>(x) + 1));
      const EventIndex first = next;
      next = row.first_starting_at_or_after(std::max(to, from + 1), first, end);
      PlotColumn& c = columns_[x];
      // Late samples only extend the range of the others.
      if (r > 0 && first == next) continue;
      const bool held = r == 0 && first > begin;
      Extremes range;
      double mean = 0;
      if (first == next) {
        if (!held) continue;
        mean = value_at(row, first - 1);
        range.take(static_cast<float>(mean));
      } else {
        const auto inside = over(row, trees_[r], first, next - 1);
        if (!inside) continue;
        range.join(*inside);
        const double last = value_at(row, next - 1);
        range.take(static_cast<float>(last));
        double area = inside->area;
        const Nanoseconds last_at = row.start(next - 1);
        area += last * static_cast<double>(std::max<Nanoseconds>(0, to - last_at));
        Nanoseconds since = row.start(first);
        if (held) {
          const double before = value_at(row, first - 1);
          range.take(static_cast<float>(before));
          area += before * static_cast<double>(std::max<Nanoseconds>(0, since - from));
          since = std::min(since, from);
        }
        mean = to > since ? area / static_cast<double>(to - since) : last;
      }
      if (range.empty()) continue;
      if (std::isnan(c.mean)) {
        c = {range.min, range.max, std::clamp(static_cast<float>(mean), range.min, range.max)};
      } else {
        c.min = std::min(c.min, range.min);
        c.max = std::max(c.max, range.max);
      }
    }
  }
}

std::optional<double> newest_sample(const trace::Trace& trace, trace::LaneId id) {
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& lane = trace.lane(id);
  std::optional<double> newest;
  Nanoseconds at = 0;
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const EventIndex end = row.last();
    if (row.first() == end || (newest && row.start(end - 1) < at)) continue;
    at = row.start(end - 1);
    newest = value_at(row, end - 1);
  }
  return newest;
}

// --- plots view ------------------------------------------------------------------------------------------------------

namespace {

// Separates a key from its height; no counter name contains it.
constexpr char kSeparator = '\t';
constexpr const char* kByDefault = "default";

auto with_key(const std::string& key) {
  return [&key](const ChosenPlot& plot) { return plot.key == key; };
}

}  // namespace

bool PlotChoice::has(const std::string& key) const { return std::any_of(plots_.begin(), plots_.end(), with_key(key)); }

void PlotChoice::add(const std::string& key) {
  const auto found = std::find_if(plots_.begin(), plots_.end(), with_key(key));
  if (found == plots_.end()) {
    plots_.push_back({key});
  } else {
    found->by_default = false;
  }
}

void PlotChoice::remove(const std::string& key) { std::erase_if(plots_, with_key(key)); }

void PlotChoice::move(const std::string& key, const std::string& before) {
  const auto found = std::find_if(plots_.begin(), plots_.end(), with_key(key));
  if (found == plots_.end() || key == before) return;
  const ChosenPlot moved = *found;
  plots_.erase(found);
  plots_.insert(std::find_if(plots_.begin(), plots_.end(), with_key(before)), moved);
}

void PlotChoice::divide(const std::string& upper, const std::string& lower, float share) {
  const auto a = std::find_if(plots_.begin(), plots_.end(), with_key(upper));
  const auto b = std::find_if(plots_.begin(), plots_.end(), with_key(lower));
  if (a == plots_.end() || b == plots_.end() || a == b || std::isnan(share)) return;
  const float both = a->height + b->height;
  const float least = std::min(kLeastHeight, both / 2);
  a->height = std::clamp(both * share, least, both - least);
  b->height = both - a->height;
}

void PlotChoice::reset() {
  plots_.clear();
  for (const std::string& key : default_) plots_.push_back({key, 1, true});
  if (!default_.empty()) return;
  for (const char* key : {"rate", "gpu-busy", "cpu-waiting", "h2d", "d2h", "loss"}) plots_.push_back({key, 1, true});
}

void PlotChoice::set_default(std::vector<std::string> keys) {
  PlotChoice usual;
  usual.default_ = default_;
  usual.reset();
  const bool untouched = plots_ == usual.plots_;
  default_ = std::move(keys);
  if (untouched) reset();
}

std::vector<std::string> PlotChoice::texts() const {
  std::vector<std::string> texts;
  for (const ChosenPlot& plot : plots_) {
    std::string& text = texts.emplace_back(plot.key);
    if (plot.height != 1) text += fmt::format("{}{:.2f}", kSeparator, plot.height);
    if (plot.by_default) text += kSeparator + std::string(kByDefault);
  }
  return texts;
}

void PlotChoice::set_texts(const std::vector<std::string>& texts) {
  plots_.clear();
  for (const std::string& text : texts) {
    const std::size_t end = text.find(kSeparator);
    const std::string key = text.substr(0, end);
    if (key.empty() || has(key)) continue;
    float height = 1;
    if (end != std::string::npos) height = std::strtof(text.c_str() + end + 1, nullptr);
    if (!(height >= kLeastHeight && height <= kMostHeight)) height = 1;
    plots_.push_back({key, height, text.ends_with(kSeparator + std::string(kByDefault))});
  }
  if (plots_.empty()) reset();
}

// --- plot scale ------------------------------------------------------------------------------------------------------

namespace {

constexpr double kMostDecades = 12;       // of a logarithmic scale
constexpr double kPatienceSeconds = 0.8;  // before a range that is too large starts to shrink
constexpr double kShrinkSeconds = 0.35;   // time constant of the shrinking

// The smallest of 1, 2 or 5 times a power of ten that is not below `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double mantissa : {1.0, 2.0, 5.0}) {
    if (mantissa * power >= step * (1 - 1e-9)) return mantissa * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> plot_ticks(double low, double high, std::size_t most, bool logarithmic) {
  std::vector<double> ticks;
  if (!(high > low) || most == 0) return ticks;
  // Powers of ten with their multiples by 2 and 5 if there is space, otherwise alone, or only every second, third...
  const double decades = logarithmic && low > 0 ? std::log10(high / low) : 0;
  for (int every = 0; decades > 0 && every <= static_cast<int>(decades) + 1; ++every) {
    ticks.clear();
    const auto last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    for (int power = static_cast<int>(std::floor(std::log10(low) + 1e-9)); power <= last; ++power) {
      if (every > 1 && power % every != 0) continue;
      for (const double mantissa : {1.0, 2.0, 5.0}) {
        const double value = mantissa * std::pow(10, power);
        if (mantissa > 1 && every > 0) continue;
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push_back(value);
      }
    }
    if (!ticks.empty() && ticks.size() <= most) return ticks;
  }
  for (double step = round_step((high - low) / static_cast<double>(most + 1));; step = round_step(step * 1.5)) {
    ticks.clear();
    const double first = std::ceil(low / step - 1e-6);
    const double last = std::floor(high / step + 1e-6);
    for (double n = first; n <= last && ticks.size() <= most; n += 1) ticks.push_back(n == 0 ? 0 : n * step);
    if (ticks.size() <= most) return ticks;
  }
}

std::pair<double, double> round_range(double low, double high, bool logarithmic) {
  if (!(high > low)) high = low + (low == 0 ? 1 : std::abs(low) * 0.1);
  if (logarithmic) {
    low = std::max(low, high * std::pow(10, -kMostDecades));
    // At least one decade, so that noise does not fill the plot.
    const double middle = std::sqrt(low * high);
    low = std::min(low, middle / std::sqrt(10));
    high = std::max(high, middle * std::sqrt(10));
    const auto down = [](double value) {
      const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
      return value >= 5 * power * (1 - 1e-9) ? 5 * power : value >= 2 * power * (1 - 1e-9) ? 2 * power : power;
    };
    return {down(low), round_step(high)};
  }
  const double step = round_step((high - low) / 5);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step};
}

double plot_position(double value, double low, double high, bool logarithmic) {
  if (!logarithmic) return high > low ? (value - low) / (high - low) : 0;
  if (!(value > 0)) return std::isnan(value) ? value : -0.05;  // below the bottom
  return std::log(value / low) / std::log(high / low);
}

std::vector<PlotColumn> in_scale(std::span<const PlotColumn> columns, double low, double high, bool logarithmic) {
  std::vector<PlotColumn> result;
  result.reserve(columns.size());
  const auto at = [&](float value) {
    return static_cast<float>(std::max(0.0, plot_position(static_cast<double>(value), low, high, logarithmic)));
  };
  for (const PlotColumn& c : columns) {
    result.push_back(std::isnan(c.mean) ? c : PlotColumn{at(c.min), at(c.max), at(c.mean)});
  }
  return result;
}

double least_positive(std::span<const PlotColumn> columns) {
  double least = 0;
  for (const PlotColumn& c : columns) {
    for (const float value : {c.min, c.mean}) {
      if (value > 0 && (least == 0 || static_cast<double>(value) < least)) least = static_cast<double>(value);
    }
  }
  return least;
}

void ShownRange::update(double low, double high, bool logarithmic, double seconds, bool eased) {
  std::tie(wanted_low_, wanted_high_) = round_range(low, high, logarithmic);
  const bool at_once = low_ == high_ || logarithmic != logarithmic_;
  logarithmic_ = logarithmic;
  if (at_once) {
    low_ = wanted_low_;
    high_ = wanted_high_;
  }
  low_ = std::min(low_, wanted_low_);
  high_ = std::max(high_, wanted_high_);
  moving_ = low_ != wanted_low_ || high_ != wanted_high_;
  if (!moving_) {
    waited_ = 0;
    return;
  }
  waited_ += seconds;
  if (waited_ < kPatienceSeconds) return;
  const double left = eased ? std::exp(-seconds / kShrinkSeconds) : 0;
  const auto ease = [&](double from, double to) {
    if (!logarithmic) return to + (from - to) * left;
    return to * std::pow(from / to, left);
  };
  low_ = ease(low_, wanted_low_);
  high_ = ease(high_, wanted_high_);
  const double span = std::abs(plot_position(high_, wanted_low_, wanted_high_, logarithmic) - 1) +
                      std::abs(plot_position(low_, wanted_low_, wanted_high_, logarithmic));
  if (span < 0.002) {
    low_ = wanted_low_;
    high_ = wanted_high_;
  }
}

}  // namespace lanescope::ui
