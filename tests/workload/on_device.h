// A workload on a simulated device, iteration by iteration.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/catalogue.h"
#include "workload/recording_device.h"
#include "workload/workload.h"

namespace lanescope::workload {

class OnDevice {
 public:
  OnDevice(const std::string& device_id, std::string_view name, const std::vector<std::string>& assignments) {
    device::DeviceContext context;
    context.sink = &sink;
    device = device::make_device(device_id, context);
    settings = default_settings(name, device->info());
    for (const std::string& assignment : assignments) settings.assign(assignment);
    workload = make_workload(name, *device);
    workload->set_up(settings);
  }

  void iterate(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) workload->iterate(next_++, settings);
  }
  /// Microseconds per iteration over the next `count`; keeps only their events and figures.
  double us_each(std::uint64_t count) {
    sink.events.clear();
    workload->figures().restart();
    const base::Nanoseconds before = device->now_ns();
    iterate(count);
    return base::to_us(device->now_ns() - before) / static_cast<double>(count);
  }
  /// API calls of this name.
  std::ptrdiff_t calls(std::string_view name) const {
    const std::vector<std::string> names = sink.names_on(trace::LaneKind::Calls);
    return std::count(names.begin(), names.end(), name);
  }
  Figure figure(std::string_view key) const {
    for (const Figure& figure : workload->figures().read()) {
      if (figure.key == key) return figure;
    }
    ADD_FAILURE() << "there is no figure " << key;
    return {};
  }
  /// Premature reads, before the copy had written the bytes.
  std::ptrdiff_t stale_reads() const {
    return std::count_if(sink.events.begin(), sink.events.end(), trace::is_stale_read);
  }

  MemorySink sink;
  std::unique_ptr<device::Device> device;
  Settings settings;
  std::unique_ptr<Workload> workload;

 private:
  std::uint64_t next_ = 0;
};

}  // namespace lanescope::workload
