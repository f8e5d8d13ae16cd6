// A workload on a device that logs every call.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workload/recording_device.h"
#include "workload/workload.h"

namespace lanescope::workload {

using Calls = std::vector<std::string>;

inline Calls operator+(Calls a, const Calls& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Calls operator*(std::size_t times, const Calls& calls) {
  Calls all;
  for (std::size_t i = 0; i < times; ++i) all = all + calls;
  return all;
}
inline const Calls kItem{"cudaMemcpyAsync device->pinned 4", "cudaStreamSynchronize"};

class RecordedWorkload {
 public:
  RecordedWorkload(std::string_view name, std::initializer_list<const char*> assignments)
      : settings(default_settings(name, device.info())), workload(make_workload(name, device)) {
    assign(assignments);
    workload->set_up(settings);
    device.take_log();
  }

  void assign(std::initializer_list<const char*> assignments) {
    for (const char* assignment : assignments) settings.assign(assignment);
  }
  /// The calls of the next iteration, with these changes to the settings.
  Calls iterate(std::initializer_list<const char*> assignments = {}) {
    assign(assignments);
    workload->iterate(next_++, settings);
    return device.take_log();
  }
  /// The calls of the second iteration, when the first gradients and the scratch memory exist.
  Calls steady() {
    iterate();
    return iterate();
  }
  Figure figure(std::string_view key) const {
    for (const Figure& figure : workload->figures().read()) {
      if (figure.key == key) return figure;
    }
    return {};
  }

  RecordingDevice device;
  Settings settings;
  std::unique_ptr<Workload> workload;

 private:
  std::uint64_t next_ = 0;
};

}  // namespace lanescope::workload
