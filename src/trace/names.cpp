#include "trace/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>

namespace lanescope::trace {
namespace {

/// Strips the API prefix: "cudaMemcpy", "cuMemcpy" or "hipMemcpy" -> "Memcpy". Empty for anything else.
std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

/// The calls of other back ends, by what their names have in common whatever their prefix is: urEnqueueKernelLaunch,
/// zeCommandQueueSynchronize, mtiaMemcpyAsync, aclrtSynchronizeStream, synLaunch, cnrtQueueSync.
CallNature nature_of_others(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // After a prefix: "Memcpy" alone is no call's name.
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view w) { return lower.find(w, 1) != std::string::npos; });
  };
  const bool queued = has({"async", "enqueue", "append"});
  if (has({"memcpy", "memcopy", "memorycopy", "bufferread", "bufferwrite", "buffercopy"}))
    return queued ? CallNature::AsyncCopy : CallNature::BlockingCopy;
  // "urEventWait" blocks the CPU; "aclrtStreamWaitEvent" and "urEnqueueEventsWait" only order the work of a stream.
  const std::size_t wait = lower.find("wait");
  const bool orders = wait != std::string::npos && has({"stream", "queue"}) && wait + 4 < lower.size();
  if (!queued && (has({"synchroniz"}) || lower.ends_with("sync") || lower.ends_with("finish") ||
                  (wait != std::string::npos && !orders))) {
    return CallNature::Sync;
  }
  return has({"launch", "execute", "invokekernel", "runkernel", "memset", "fill"}) ? CallNature::Launch
                                                                                   : CallNature::Other;
}

}  // namespace

std::string_view plain_api_name(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (!name.ends_with(suffix)) continue;
      name.remove_suffix(suffix.size());
      again = true;
    }
    const std::size_t digit = name.find_last_not_of("0123456789");
    if (digit != std::string_view::npos && digit >= 2 && digit + 1 < name.size() && name.substr(digit - 1, 2) == "_v") {
      name = name.substr(0, digit - 1);
      again = true;
    }
  }
  return name;
}

CallNature call_nature(std::string_view name) {
  const std::string_view stem = without_prefix(plain_api_name(name));
  if (stem.empty()) return nature_of_others(plain_api_name(name));
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

bool is_graph_launch(std::string_view name) {
  const std::string_view stem = without_prefix(name);
  return stem.empty() ? name.find("GraphLaunch") != std::string_view::npos : stem.starts_with("GraphLaunch");
}

// --- kernel name -----------------------------------------------------------------------------------------------------

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";  // brackets that are not arguments
  if (name.starts_with("void ")) name.remove_prefix(5);
  // The function's name starts after the last "::" or, if there is a return type, after the blank. It excludes template
  // arguments.
  const bool has_arguments = name.find('(') != std::string_view::npos;
  std::size_t begin = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (rest.starts_with("::")) {
      begin = i + 2;
      end = name.size();
      ++i;
    } else if (name[i] == ' ' && has_arguments) {
      begin = i + 1;
      end = name.size();
    } else if (name[i] == '(') {
      end = std::min(end, i);
      break;
    } else if (name[i] == '<') {
      end = std::min(end, i);
      for (std::size_t depth = 1; depth > 0 && i + 1 < name.size();) {
        ++i;
        if (name[i] == '<') ++depth;
        if (name[i] == '>') --depth;
      }
    }
  }
  return std::string(begin < end ? name.substr(begin, end - begin) : name);
}

// --- stream lanes ----------------------------------------------------------------------------------------------------

namespace {

std::string_view name_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::CopyH2D:
      return "copy H2D";
    case LaneKind::CopyD2H:
      return "copy D2H";
    case LaneKind::CopyOther:
      return "copy D2D";
    default:
      return "kernels";
  }
}

}  // namespace

std::string stream_lane_name(LaneKind kind, std::int32_t stream, bool is_default) {
  return is_default ? std::string(name_of(kind)) : fmt::format("{}, stream {}", name_of(kind), stream);
}

}  // namespace lanescope::trace
