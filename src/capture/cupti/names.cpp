#include "capture/cupti/names.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace lanescope::capture::cupti {
namespace {

constexpr std::size_t kLongestName = 120;
constexpr std::size_t kMostKernels = 1 << 16;

constexpr std::array<std::string_view, 11> kCopyKindNames{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                          "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 8> kMemoryKindNames{"Unknown", "Pageable", "Pinned",        "Device",
                                                           "Array",   "Managed",  "Device Static", "Managed Static"};

std::string demangled(std::string_view raw) {
  std::string text(raw);
  if (!raw.starts_with("_Z")) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  if (plain && status == 0) text = plain.get();
  return text;
}

/// The start of the parameter list: the opening parenthesis that matches the last closing one. The name's length if
/// there is none.
std::size_t parameters_at(std::string_view name) {
  const std::size_t close = name.rfind(')');
  if (close == std::string_view::npos) return name.size();
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
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

std::string kernel_name(std::string_view raw) {
  std::string name = demangled(raw);
  if (const std::size_t parameters = parameters_at(name); parameters > 0) {
    // A parenthesis inside template arguments, as in "k<(int)3>", does not start the parameter list.
    const std::string_view rest = std::string_view(name).substr(parameters);
    if (rest.find('>', rest.rfind(')') == std::string_view::npos ? 0 : rest.rfind(')')) == std::string_view::npos) {
      name.resize(parameters);
    }
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  if (name.size() > kLongestName) {
    name.resize(kLongestName - 3);
    name += "...";
  }
  return name;
}

Names::Api Names::make_api(bool driver, std::uint32_t cbid) {
  const char* text = nullptr;
  const CUpti_CallbackDomain domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  std::string name;
  if (table_.get_callback_name && table_.get_callback_name(domain, cbid, &text) == CUPTI_SUCCESS && text) {
    name = plain_api_name(text);
  } else {
    name = fmt::format("{} call {}", driver ? "driver" : "runtime", cbid);
  }
  Api api;
  api.known = true;
  api.name = sink_.name(name);
  api.nature = trace::call_nature(name);
  api.traits = driver ? kDriverCall : std::uint8_t{0};
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  // A graph may be empty, a copy may stay in host memory, a memset may have size 0.
  if (!has("LaunchKernel") && !has("LaunchCooperative")) api.traits |= kMayBeIdle;
  if (has("LaunchHostFunc")) api.traits |= kNeverOnGpu;
  if (has("StreamBeginCapture")) api.traits |= kBeginsCapture;
  if (has("StreamEndCapture")) api.traits |= kEndsCapture;
  return api;
}

Names::Api Names::api(bool driver, std::uint32_t cbid) {
  if (cbid >= kMaxCbid) return make_api(driver, cbid);
  std::vector<Api>& apis = apis_[driver ? 1 : 0];
  if (cbid >= apis.size()) apis.resize(cbid + 1);
  if (!apis[cbid].known) apis[cbid] = make_api(driver, cbid);
  return apis[cbid];
}

NameId Names::kernel(const char* text) {
  if (!text) text = "(no name)";
  const auto hash = reinterpret_cast<std::uintptr_t>(text) * 0x9E3779B97F4A7C15u;
  AtAddress& recent = recent_[hash >> 56];
  if (recent.address == text && recent.text == text) return recent.id;
  if (kernels_.size() >= kMostKernels) kernels_.clear();
  const auto [it, added] = kernels_.try_emplace(text, NameId{0});
  if (added) it->second = sink_.name(kernel_name(it->first));
  recent = {text, it->first, it->second};
  return it->second;
}

NameId Names::copy(std::uint8_t copy_kind, std::uint8_t from, std::uint8_t to) {
  if (copy_kind >= kCopyKinds) copy_kind = 0;
  if (from >= kMemoryKinds) from = 0;
  if (to >= kMemoryKinds) to = 0;
  NameId& id = copies_[(copy_kind * kMemoryKinds + from) * kMemoryKinds + to];
  if (id == 0) {
    id = sink_.name(
        fmt::format("Memcpy {} ({} -> {})", kCopyKindNames[copy_kind], kMemoryKindNames[from], kMemoryKindNames[to]));
  }
  return id;
}

NameId Names::memset(std::uint16_t memory_kind) {
  if (memory_kind >= kMemoryKinds) memory_kind = 0;
  NameId& id = memsets_[memory_kind];
  if (id == 0) id = sink_.name(fmt::format("Memset ({})", kMemoryKindNames[memory_kind]));
  return id;
}

}  // namespace lanescope::capture::cupti
