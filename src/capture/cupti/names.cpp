#include "capture/cupti/names.h"

#include <fmt/format.h>

#include "capture/assembly/operation_names.h"

namespace lanescope::capture::cupti {
namespace {

constexpr std::size_t kMostKernels = 1 << 16;

}  // namespace

Names::Api Names::make_api(bool driver, std::uint32_t cbid) {
  const char* text = nullptr;
  const CUpti_CallbackDomain domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  std::string name;
  if (table_.get_callback_name && table_.get_callback_name(domain, cbid, &text) == CUPTI_SUCCESS && text) {
    name = text;
  } else {
    name = fmt::format("{} call {}", driver ? "driver" : "runtime", cbid);
  }
  const ApiFacts facts = api_facts(name, driver);
  Api api;
  api.known = true;
  api.name = sink_.name(facts.name);
  api.nature = facts.nature;
  api.traits = facts.traits;
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
  if (id == 0) id = sink_.name(copy_name(copy_kind, from, to));
  return id;
}

NameId Names::memset(std::uint16_t memory_kind) {
  if (memory_kind >= kMemoryKinds) memory_kind = 0;
  NameId& id = memsets_[memory_kind];
  if (id == 0) id = sink_.name(memset_name(memory_kind));
  return id;
}

}  // namespace lanescope::capture::cupti
