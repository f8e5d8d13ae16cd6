#include "io/chrome_fields.h"

#include <array>
#include <cstring>
#include <span>

#include "io/chrome_vocabulary.h"

namespace lanescope::io {
namespace {

struct FieldName {
  std::string_view key;
  Field field = Field::Other;
};

constexpr FieldName kEventFields[] = {{"ph", Field::Phase},
                                      {"cat", Field::Category},
                                      {"name", Field::Name},
                                      {"pid", Field::Process},
                                      {"tid", Field::Thread},
                                      {"ts", Field::Start},
                                      {"dur", Field::Duration},
                                      {"lane", Field::Lane},
                                      {"args", Field::Args},
                                      {"label", Field::Label},
                                      {"raw", Field::Raw},
                                      {"label_hex", Field::LabelHex},
                                      {"correlation", Field::Correlation}};

constexpr FieldName kArgumentFields[] = {{"device", Field::Device},
                                         {"stream", Field::Stream},
                                         {"correlation", Field::Correlation},
                                         {"flags", Field::Flags},
                                         {"bytes", Field::Bytes},
                                         {"size", Field::Size},
                                         {"index", Field::Index},
                                         {"own_ns", Field::OwnNs},
                                         {"copying_ns", Field::CopyingNs},
                                         {"returning_ns", Field::ReturningNs},
                                         {"value", Field::Value},
                                         {"name", Field::NewName},
                                         {"wait_on_stream", Field::WaitOnStream},
                                         {"range", Field::RangeKind},
                                         {"marker", Field::MarkerKind},
                                         {"version", Field::Version},
                                         {"key", Field::Key},
                                         {"before", Field::Before},
                                         {"now", Field::Now},
                                         {kExternalId, Field::ExternalId},
                                         {"cbid", Field::Known},
                                         {"Ev Idx", Field::Known},
                                         {kContext, Field::Context},
                                         {kGrid, Field::Grid},
                                         {kBlock, Field::Block},
                                         {kRegisters, Field::Registers},
                                         {kSharedMemory, Field::SharedMemory},
                                         {kStaticShared, Field::StaticShared},
                                         {kDynamicShared, Field::DynamicShared},
                                         {kBlocksPerSm, Field::BlocksPerSm},
                                         {kWarpsPerSm, Field::WarpsPerSm},
                                         {kOccupancy, Field::Occupancy},
                                         {"correlation_id", Field::Correlation},
                                         {"step_num", Field::Index},
                                         {"kernel_details", Field::KernelDetails},
                                         {"memcpy_details", Field::CopyDetails},
                                         {"Memset_details", Field::MemsetDetails},
                                         {"memalloc_details", Field::MemoryDetails},
                                         {"MemFree_details", Field::MemoryDetails},
                                         {"MemoryResidency_details", Field::MemoryDetails},
                                         {"queued", Field::Known},
                                         {kBandwidth, Field::Known},
                                         {"waiting_ns", Field::Known},
                                         {"Record function id", Field::Known},
                                         {"Python id", Field::Known},
                                         {"Python parent id", Field::Known},
                                         {"Python module id", Field::Known}};

/// For short texts faster than a call of memcmp().
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto word = [](const char* p, auto x) {
    std::memcpy(&x, p, sizeof x);
    return x;
  };
  const std::size_t n = a.size();
  const char *p = a.data(), *q = b.data();
  if (n < 4) {  // at least one: no key is empty
    return p[0] == q[0] && p[n / 2] == q[n / 2] && p[n - 1] == q[n - 1];
  }
  if (n < 8) {
    return word(p, 0u) == word(q, 0u) && word(p + n - 4, 0u) == word(q + n - 4, 0u);
  }
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    if (word(p + i, std::uint64_t{}) != word(q + i, std::uint64_t{})) return false;
  }
  return word(p + n - 8, std::uint64_t{}) == word(q + n - 8, std::uint64_t{});
}

/// Finds a key by its length and its ends, which hardly any two have in common.
class FieldTable {
 public:
  consteval explicit FieldTable(std::span<const FieldName> names) {
    for (const FieldName& name : names) {
      std::size_t at = place(name.key);
      while (!slots_[at].key.empty()) at = (at + 1) % kSlots;
      slots_[at] = name;
    }
  }
  Field find(std::string_view key) const {
    if (key.empty()) return Field::Other;
    if (const FieldName& first = slots_[place(key)]; same(first.key, key)) return first.field;
    for (std::size_t at = place(key); !slots_[at].key.empty(); at = (at + 1) % kSlots) {
      if (same(slots_[at].key, key)) return slots_[at].field;
    }
    return Field::Other;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t place(std::string_view key) {
    const auto first = static_cast<unsigned char>(key.front()), last = static_cast<unsigned char>(key.back());
    return (key.size() * 29 + std::size_t{first} * 7 + last) % kSlots;
  }
  std::array<FieldName, kSlots> slots_{};
};

constexpr FieldTable kOfEvents{kEventFields}, kOfArguments{kArgumentFields};

}  // namespace

Field event_field(std::string_view key) { return kOfEvents.find(key); }
Field argument_field(std::string_view key) { return kOfArguments.find(key); }

}  // namespace lanescope::io
