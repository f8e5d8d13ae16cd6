#include "prediction/assumed_link.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "device/sim/profile.h"

namespace lanescope::prediction {
namespace {

using device::sim::DeviceProfile;

struct Range {
  double least = std::numeric_limits<double>::max(), most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  Range times(double factor) const { return {least * factor, most * factor}; }
};

/// One direction: its rates from and to pinned and pageable memory, and the ratio of the first to the second.
struct Direction {
  Number pinned, pageable;
  Range pinned_rates{}, pageable_rates{}, ratios{};
};

/// The catalogue's profiles of real machines; the numbers of "teaching" are round.
std::vector<DeviceProfile> real_machines() {
  std::vector<DeviceProfile> profiles;
  for (const std::string& id : device::sim::embedded_profiles()) {
    if (id != "teaching") profiles.push_back(device::sim::embedded_profile(id));
  }
  return profiles;
}

std::array<Direction, 2> from_the_catalogue() {
  std::array<Direction, 2> both{{{Number::H2dPinned, Number::H2dPageable}, {Number::D2hPinned, Number::D2hPageable}}};
  for (const DeviceProfile& profile : real_machines()) {
    const DeviceProfile::Link& link = profile.link;
    const auto add = [](Direction& d, double pinned, double pageable) {
      d.pinned_rates.add(pinned);
      d.pageable_rates.add(pageable);
      d.ratios.add(pinned / pageable);
    };
    add(both[0], link.h2d_pinned_gb_per_s, link.h2d_pageable_gb_per_s);
    add(both[1], link.d2h_pinned_gb_per_s, link.d2h_pageable_gb_per_s);
  }
  return both;
}

/// Within `range`, and not slower than what the recording has been seen to reach.
void narrow(Numbers& numbers, Number number, const Range& range) {
  static const Numbers kUnknown;
  const double reached = numbers.slow(number) != kUnknown.slow(number) ? numbers.slow(number) : 0;
  const double least = std::max(range.least, reached);
  const double most = std::max(range.most, least);
  numbers.narrow(number, std::sqrt(least * most), most, least);
}

}  // namespace

void assume_link(Numbers& numbers) {
  static const std::array<Direction, 2> kBoth = from_the_catalogue();
  for (std::size_t i = 0; i < kBoth.size(); ++i) {
    const Direction &direction = kBoth[i], &other = kBoth[1 - i];
    const bool pinned = numbers.known(direction.pinned), pageable = numbers.known(direction.pageable);
    // If the other direction's pinned rate is known, this one is already narrowed to about the same.
    if (!pinned && !numbers.known(other.pinned)) {
      const double rate = pageable ? numbers.value(direction.pageable) : 0;
      narrow(numbers, direction.pinned, pageable ? direction.ratios.times(rate) : direction.pinned_rates);
    }
    if (pageable) continue;
    const double rate = numbers.value(direction.pinned);
    const Range usual{rate / direction.ratios.most, rate / direction.ratios.least};
    narrow(numbers, direction.pageable, pinned ? usual : direction.pageable_rates);
  }
}

}  // namespace lanescope::prediction
