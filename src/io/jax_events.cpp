#include "io/chrome_builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "io/chrome_vocabulary.h"

namespace lanescope::io {
namespace {

constexpr std::string_view kHost = "/host:CPU", kGpu = "/device:GPU:", kStream = "Stream #";
constexpr std::size_t kMostLines = 65'536;  // real files have some hundred

std::optional<std::int64_t> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// The value of "size" in "kind_src:pageable kind_dst:device size:4096 dest:0 async:1".
std::string_view detail(std::string_view details, std::string_view key) {
  for (std::size_t at = 0; at < details.size();) {
    const std::size_t end = std::min(details.find(' ', at), details.size());
    const std::string_view word = details.substr(at, end - at);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == ':')
      return word.substr(key.size() + 1);
    at = end + 1;
  }
  return {};
}

std::optional<std::int64_t> number_in(std::string_view details, std::string_view key) {
  return number_after(detail(details, key), "");
}

std::array<std::uint32_t, 3> size_in(std::string_view details, std::string_view key) {
  std::array<std::uint32_t, 3> size{};
  const std::string_view text = detail(details, key);
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint32_t& n : size) {
    const auto [next, error] = std::from_chars(at, end, n);
    if (error != std::errc{}) return {};
    at = next == end ? end : next + 1;
  }
  return size;
}

std::string capital(std::string_view word) {
  std::string text(word);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.empty() ? "Unknown" : text;
}

/// "Memcpy HtoD (Pageable -> Device)"
std::string copy_in_words(std::string_view name, std::string_view details) {
  const std::string_view direction = name == "MemcpyH2D"   ? "HtoD"
                                     : name == "MemcpyD2H" ? "DtoH"
                                     : name == "MemcpyD2D" ? "DtoD"
                                     : name == "MemcpyP2P" ? "PtoP"
                                                           : "";
  if (direction.empty()) return std::string(name);
  return "Memcpy " + std::string(direction) + " (" + capital(detail(details, "kind_src")) + " -> " +
         capital(detail(details, "kind_dst")) + ")";
}

/// A call of the driver or the runtime: "cuLaunchKernel", "cudaMemcpyAsync", "hipLaunchKernel".
bool is_call(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

void JaxEvents::name_process(std::int64_t pid, std::string_view name) {
  if (name.starts_with(kHost)) host_ = pid;
  const auto device = number_after(name, kGpu);
  if (!device || devices_.size() >= kMostLines) return;
  devices_[pid] = *device;
  const std::size_t space = name.find(' ');
  if (device_name_.empty() && space != std::string::npos) device_name_ = std::string(name.substr(space + 1));
}

void JaxEvents::name_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  if (!devices_.contains(pid) || lines_.size() >= kMostLines) return;
  lines_[{pid, tid}] = {std::string(name), number_after(name, kStream)};
}

RawEvent JaxEvents::translated(const RawEvent& raw) {
  RawEvent event = raw;
  if (!event.category.empty() || event.process.is_text) return event;
  const auto device = devices_.find(event.process.number);
  if (host_ && event.process.number == *host_) {
    translate_host(event);
  } else if (device != devices_.end()) {
    const auto line = lines_.find({event.process.number, event.thread.number});
    if (line != lines_.end()) translate_gpu(event, device->second, line->second);
  }
  return event;
}

void JaxEvents::translate_gpu(RawEvent& event, std::int64_t device, const Line& line) {
  using Details = RawEvent::Details;
  event.device = device;
  event.stream = line.stream ? *line.stream : event.thread.number;
  if (host_) event.process.number = *host_;  // a GPU is no process of its own
  if (!line.stream) {
    // "XLA Modules", "XLA Ops", "Steps": derived from the kernels' annotations, not work of the GPU.
    event.category = line.name == "CUPTI overhead" ? "overhead" : "gpu_user_annotation";
    event.label = line.name;
    return;
  }
  if (event.details_of == Details::Memory || event.name == "MemoryAlloc" || event.name == "MemoryFree") {
    event.category = "overhead";  // a record of memory, which occupies no stream
  } else if (event.details_of == Details::Memset || event.name == "Memset") {
    event.category = "gpu_memset";
    event.bytes = number_in(event.details, "num_bytes");
  } else if (event.details_of == Details::Copy || event.name.starts_with("Memcpy")) {
    event.category = "gpu_memcpy";
    event.bytes = number_in(event.details, "size");
    event.name = name_ = copy_in_words(event.name, event.details);
  } else {
    event.category = "kernel";
    event.launch.grid = size_in(event.details, "grid");
    event.launch.block = size_in(event.details, "block");
    const auto registers = number_in(event.details, "regs");
    if (registers && *registers >= 0 && *registers < trace::LaunchShape::kUnknown) {
      event.launch.registers_per_thread = static_cast<std::uint32_t>(*registers);
    }
  }
}

void JaxEvents::translate_host(RawEvent& event) {
  if (is_call(event.name)) {
    event.category = "cuda_driver";
    return;
  }
  event.category = "user_annotation";
  // jax.profiler.StepTraceAnnotation
  if (event.index && *event.index >= 0 && *event.index <= std::numeric_limits<std::uint32_t>::max()) {
    event.name = name_ = step_name(static_cast<std::uint32_t>(*event.index));
  }
}

}  // namespace lanescope::io
