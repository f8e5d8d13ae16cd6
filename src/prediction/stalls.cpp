#include "prediction/stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::prediction {
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
