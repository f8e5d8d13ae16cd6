#include "prediction/open_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::prediction {
namespace {

constexpr double kNothing = 1e-4;

class Effects {
 public:
  Effects(const Fit& fit, const TimeOn& time, double unsure)
      : fit_(fit), time_(time), unsure_(unsure), now_ns_(time(fit.machine, false)), then_ns_(time(fit.machine, true)) {}

  OpenEffects run() {
    OpenEffects found;
    if (now_ns_ <= 0 || then_ns_ <= 0) return found;
    // Usually nothing that is open matters, and then nobody asks what matters most.
    constexpr double kLittle = 0.002;
    Span all;
    for (const double end : {-1.0, 1.0}) all.include(time_(at_the_end(fit_, end), true) / then_ns_ - 1);
    if (all.width() <= kLittle) {
      found.measured = all;
      return found;
    }
    double less = 0, more = 0;
    for (const Effect& thing : things()) {
      Effect effect = thing;
      effect.span = alone(thing);
      if (effect.span.width() <= kNothing) continue;
      if (effect.basis != Basis::Assumed) {
        less += effect.span.less * effect.span.less;
        more += effect.span.more * effect.span.more;
      }
      found.each.push_back(std::move(effect));
    }
    found.measured = {-std::sqrt(less), std::sqrt(more)};
    found.assumed = assumed_together(found.each);
    std::stable_sort(found.each.begin(), found.each.end(),
                     [](const Effect& a, const Effect& b) { return a.span.width() > b.span.width(); });
    return found;
  }

 private:
  /// Each name and basis once.
  std::vector<Effect> things() const {
    std::vector<Effect> list;
    for (const OpenNumber& open : fit_.open) {
      const auto is_it = [&](const Effect& e) { return e.what == open.what && e.basis == open.basis; };
      if (std::none_of(list.begin(), list.end(), is_it)) list.push_back({open.what, open.basis, {}});
    }
    return list;
  }

  template <typename Which>
  Machine with(double where, Which which) const {
    Machine machine = fit_.machine;
    for (const OpenNumber& open : fit_.open) {
      if (which(open)) open.set(machine, where);
    }
    return machine;
  }

  Span alone(const Effect& thing) const {
    Span span;
    for (const double end : {-1.0, 1.0}) {
      span.include(moved(
          with(end, [&](const OpenNumber& open) { return open.what == thing.what && open.basis == thing.basis; })));
    }
    return span;
  }

  double moved(const Machine& machine) const {
    const double then_end = time_(machine, true);
    const double moved = then_end / then_ns_ - 1;
    if (std::abs(moved) <= kNothing) return moved;
    const double now_end = time_(machine, false);
    const double seen = std::abs(now_end / now_ns_ - 1);
    if (seen <= unsure_) return moved;
    const double by_ratio = then_end / then_ns_ * now_ns_ / now_end - 1;
    const double by_difference = (then_end - now_end + now_ns_) / then_ns_ - 1;
    const double cleared = std::abs(by_ratio) < std::abs(by_difference) ? by_ratio : by_difference;
    const double unseen = moved * unsure_ / seen;
    if (std::abs(cleared) >= std::abs(moved)) return moved;
    return std::abs(cleared) > std::abs(unseen) ? cleared : unseen;
  }

  // Two assumed numbers may together do more than the sum of both, or less: the slower of two overlapping works counts.
  Span assumed_together(const std::vector<Effect>& each) const {
    Span together;
    bool any = false;
    for (const Effect& effect : each) {
      if (effect.basis != Basis::Assumed) continue;
      any = true;
      together.include(effect.span.less);
      together.include(effect.span.more);
    }
    if (!any) return together;
    for (const double end : {-1.0, 1.0}) {
      together.include(moved(with(end, [](const OpenNumber& open) { return open.basis == Basis::Assumed; })));
    }
    return together;
  }

  const Fit& fit_;
  const TimeOn& time_;
  const double unsure_, now_ns_, then_ns_;
};

}  // namespace

std::string OpenEffects::largest(Basis basis) const {
  const auto found = std::find_if(each.begin(), each.end(), [&](const Effect& e) { return e.basis == basis; });
  return found == each.end() ? std::string() : found->what;
}

OpenEffects open_effects(const Fit& fit, const TimeOn& time, double unsure) { return Effects(fit, time, unsure).run(); }

// --- scatter ---------------------------------------------------------------------------------------------------------

double student_t(std::size_t degrees_of_freedom) {
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  const double v = static_cast<double>(std::max<std::size_t>(degrees_of_freedom, 1));
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

namespace {

struct Blocks {
  std::size_t count = 0;
  double variance = 0;  ///< of their means
};

Blocks blocks_of(std::span<const double> values) {
  if (values.size() < kFewestBlocks) return {};
  const std::size_t blocks = std::min(kMostBlocks, values.size());
  const std::size_t each = values.size() / blocks;
  values = values.last(blocks * each);
  std::vector<double> means;
  double mean = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    double sum = 0;
    for (const double value : values.subspan(b * each, each)) sum += value;
    means.push_back(sum / static_cast<double>(each));
    mean += means.back() / static_cast<double>(blocks);
  }
  double squares = 0;
  for (const double m : means) squares += (m - mean) * (m - mean);
  return {blocks, squares / static_cast<double>(blocks - 1)};
}

}  // namespace

double scatter_of_mean(std::span<const double> values) {
  const Blocks blocks = blocks_of(values);
  if (blocks.count == 0) return 0;
  return student_t(blocks.count - 1) * std::sqrt(blocks.variance / static_cast<double>(blocks.count));
}

double scatter_of_next(std::span<const double> values) {
  const Blocks blocks = blocks_of(values);
  if (blocks.count == 0) return 0;
  return student_t(blocks.count - 1) * std::sqrt(blocks.variance * (1 + 1 / static_cast<double>(blocks.count)));
}

// --- stalls ----------------------------------------------------------------------------------------------------------

namespace {

using base::tr;

double change(const Stall& stall) { return stall.then_ns - stall.now_ns; }

std::string place(const Stall& stall) { return stall.range.empty() ? stall.call : stall.range; }

}  // namespace

std::vector<Stall> stalls_of(const analysis::Evidence& now, const base::NameTable& names_now,
                             const analysis::Evidence& then, const base::NameTable& names_then) {
  std::map<std::pair<std::string, std::string>, Stall> by_place;
  const auto add = [&](const analysis::Evidence& evidence, const base::NameTable& names, double Stall::*member) {
    for (const analysis::CallSite& site : evidence.sites) {
      // A wait for data is a range by itself.
      const bool data = site.range == site.call && site.range != 0;
      const double wait = evidence.time_per_iteration(data ? site.host_ns : site.wait_ns);
      if (wait <= 0) continue;
      const std::string range(site.range == 0 ? std::string_view() : names.text(site.range));
      const std::string call(names.text(site.call));
      Stall& stall = by_place[{range, call}];
      stall.range = range;
      stall.call = call;
      stall.*member += wait;
    }
  };
  add(now, names_now, &Stall::now_ns);
  add(then, names_then, &Stall::then_ns);
  std::vector<Stall> stalls;
  for (auto& [key, stall] : by_place) stalls.push_back(std::move(stall));
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const Stall& a, const Stall& b) { return std::abs(change(a)) > std::abs(change(b)); });
  return stalls;
}

std::string stall_sentence(const std::vector<Stall>& stalls, double iteration_ns) {
  constexpr double kSmall = 0.02;  // of an iteration
  std::map<std::string, double> by_place;
  for (const Stall& stall : stalls) by_place[place(stall)] += change(stall);
  const std::pair<const std::string, double>*less = nullptr, *more = nullptr;
  for (const auto& entry : by_place) {
    if (less == nullptr || entry.second < less->second) less = &entry;
    if (more == nullptr || entry.second > more->second) more = &entry;
  }
  const double least = kSmall * iteration_ns;
  const bool goes = less != nullptr && less->second < -least, comes = more != nullptr && more->second > least;
  if (goes && comes) {
    return tr("Of {} of waiting removed at {}, {} reappear at {}", base::duration_text(-less->second), less->first,
              base::duration_text(std::min(more->second, -less->second)), more->first);
  }
  if (goes) {
    return tr("{} of waiting at {} disappear", base::duration_text(-less->second), less->first);
  }
  if (comes) return tr("{} of waiting appear at {}", base::duration_text(more->second), more->first);
  return tr("The CPU waits as before");
}

}  // namespace lanescope::prediction
