// The names of CUPTI's calls, kernels and copies in the trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/assembly/operation_names.h"
#include "capture/assembly/record.h"
#include "capture/cupti/cupti_table.h"
#include "trace/sink.h"

namespace lanescope::capture::cupti {

class Names {
 public:
  Names(const CuptiTable& table, trace::EventSink& sink) : table_(table), sink_(sink) {}

  struct Api {
    NameId name = 0;
    trace::CallNature nature = trace::CallNature::Other;
    std::uint8_t traits = 0;  ///< as in Record
    bool known = false;
  };
  /// The name and the traits of the call with this number.
  Api api(bool driver, std::uint32_t cbid);
  /// Compares the text itself, because CUPTI may later store another name at the same address.
  NameId kernel(const char* text);
  /// Takes CUPTI's numbers for the kinds of copy and memory.
  NameId copy(std::uint8_t copy_kind, std::uint8_t from, std::uint8_t to);
  NameId memset(std::uint16_t memory_kind);

 private:
  static constexpr std::size_t kMaxCbid = 4096;
  struct AtAddress {
    const char* address = nullptr;
    std::string text;
    NameId id = 0;
  };
  Api make_api(bool driver, std::uint32_t cbid);

  const CuptiTable table_;
  trace::EventSink& sink_;
  std::array<std::vector<Api>, 2> apis_;  // runtime, driver
  std::array<AtAddress, 256> recent_;     // by hash of the address
  std::unordered_map<std::string, NameId> kernels_;
  std::array<NameId, kCopyKinds * kMemoryKinds * kMemoryKinds> copies_{};
  std::array<NameId, kMemoryKinds> memsets_{};
};

}  // namespace lanescope::capture::cupti
