// The events of JAX's profiler (XProf's trace viewer), put into the PyTorch profiler's words. They have no categories:
// what an event is follows from the names of its process and thread, which precede all events, and from its arguments.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "io/chrome_parser.h"

namespace lanescope::io {

class JaxEvents {
 public:
  void name_process(std::int64_t pid, std::string_view name);
  void name_thread(std::int64_t pid, std::int64_t tid, std::string_view name);
  /// Some process is one of XProf's: "/host:CPU", "/device:GPU:0".
  bool any() const { return host_.has_value() || !devices_.empty(); }
  /// What follows a GPU's number in its process's name; empty if nothing does.
  const std::string& device_name() const { return device_name_; }
  /// The event with a category, and what else it is told by there; as it is, if it is of another process. Its texts are
  /// valid until the next one.
  RawEvent translated(const RawEvent& raw);

 private:
  struct Line {
    std::string name;
    std::optional<std::int64_t> stream;  ///< of "Stream #13(Compute)"
  };
  void translate_gpu(RawEvent& event, std::int64_t device, const Line& line);
  void translate_host(RawEvent& event);

  std::optional<std::int64_t> host_;              // the process
  std::map<std::int64_t, std::int64_t> devices_;  // of the process
  std::map<std::pair<std::int64_t, std::int64_t>, Line> lines_;
  std::string device_name_;
  std::string name_;  // of the event translated last
};

}  // namespace lanescope::io
