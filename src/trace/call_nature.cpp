#include "trace/call_nature.h"

namespace lanescope::trace {
namespace {

/// Strips a version suffix: "cudaLaunchKernel_ptsz", "cuMemcpyHtoD_v2" -> the name without it.
std::string_view without_suffix(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (name.ends_with(suffix)) {
        name.remove_suffix(suffix.size());
        again = true;
      }
    }
    const std::size_t digits = name.find_last_not_of("0123456789");
    if (digits != std::string_view::npos && digits + 1 < name.size() && digits >= 1 &&
        name.substr(digits - 1, 2) == "_v") {
      name = name.substr(0, digits - 1);
      again = true;
    }
  }
  return name;
}

/// Strips the API prefix: "cudaMemcpy", "cuMemcpy" or "hipMemcpy" -> "Memcpy". Empty for anything else.
std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

}  // namespace

CallNature call_nature(std::string_view name) {
  const std::string_view stem = without_prefix(without_suffix(name));
  for (const std::string_view sync : {"StreamSynchronize", "DeviceSynchronize", "ThreadSynchronize", "CtxSynchronize",
                                      "EventSynchronize", "Free", "FreeHost", "MemFree", "MemFreeHost", "HostFree"}) {
    if (stem == sync) return CallNature::Sync;
  }
  const bool asynchronous = stem.find("Async") != std::string_view::npos;
  if (stem.starts_with("Memcpy")) {
    const bool peer = stem.find("Peer") != std::string_view::npos;
    return asynchronous ? CallNature::AsyncCopy : peer ? CallNature::Launch : CallNature::BlockingCopy;
  }
  for (const std::string_view launch :
       {"Launch", "GraphLaunch", "ModuleLaunch", "ExtLaunch", "ExtModuleLaunch", "Memset"}) {
    if (stem.starts_with(launch)) return CallNature::Launch;
  }
  return CallNature::Other;
}

bool is_graph_launch(std::string_view name) { return without_prefix(name).starts_with("GraphLaunch"); }

}  // namespace lanescope::trace
