#include "device/device.h"

#include <fmt/format.h>

#include "base/translate.h"

namespace lanescope::device {
namespace {

[[noreturn]] void no_threads(const Device& device) {
  throw base::Error(device.info().id + ": " + base::tr("this device has no further host threads"));
}

[[noreturn]] void no_graphs(const Device& device) {
  throw base::Error(device.info().id + ": " + base::tr("this device has no CUDA graphs"));
}

}  // namespace

HostThread Device::create_host_thread(std::string_view /*name*/) { no_threads(*this); }
void Device::end_host_thread(HostThread /*thread*/) { no_threads(*this); }
HostTask Device::submit(HostThread /*thread*/, const HostWork& /*work*/, HostTask /*after*/) { no_threads(*this); }
bool Device::ended(HostTask /*task*/) { no_threads(*this); }
void Device::wait_for(HostTask /*task*/, std::string_view /*what*/) { no_threads(*this); }

void Device::begin_capture(Stream /*stream*/) { no_graphs(*this); }
Graph Device::end_capture(Stream /*stream*/) { no_graphs(*this); }
void Device::launch_graph(Graph /*graph*/, Stream /*stream*/) { no_graphs(*this); }
void Device::destroy_graph(Graph /*graph*/) { no_graphs(*this); }

void Device::hand_over(Slice /*to*/, Slice /*from*/, std::size_t /*bytes*/) {
  throw base::Error(info().id + ": " +
                    base::tr("this device has its own memory; tensors must be copied to and from it"));
}

// --- device name -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kCpuOf = "CPU of ";

}  // namespace

std::string cpu_name_beside(std::string_view gpu) { return std::string(kCpuOf) + std::string(gpu); }

std::string name_in_words(std::string_view name) {
  if (!name.starts_with(kCpuOf)) return base::tr(std::string(name));
  return base::tr("CPU of {}", name.substr(kCpuOf.size()));
}

}  // namespace lanescope::device
