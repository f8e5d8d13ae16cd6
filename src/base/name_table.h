// Interned names: every distinct text is stored once and identified by a small number.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lanescope::base {

using NameId = std::uint32_t;

/// Names are never removed, so any thread may look up a published id without a lock. intern() locks. Holds at most
/// kCapacity names, because an event stores 20 bits of an id. Further names become kOverflow and are counted.
class NameTable {
 public:
  static constexpr NameId kEmpty = 0;     ///< ""
  static constexpr NameId kOverflow = 1;  ///< "(name table full)"
  static constexpr NameId kCapacity = 1u << 20;

  NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  NameId intern(std::string_view text);
  /// The text of an id that intern() returned, valid for the table's lifetime. Unknown ids give "".
  std::string_view text(NameId id) const;
  /// The id of an already interned text, or kEmpty.
  NameId find(std::string_view text) const;
  NameId size() const { return count_.load(std::memory_order_acquire); }
  std::uint64_t overflowed() const { return overflowed_.load(std::memory_order_relaxed); }

 private:
  static constexpr NameId kPageSize = 1024;
  using Page = std::array<std::string, kPageSize>;

  std::array<std::unique_ptr<Page>, kCapacity / kPageSize> pages_;
  std::unordered_map<std::string_view, NameId> ids_;
  mutable std::mutex mutex_;
  std::atomic<NameId> count_{0};
  std::atomic<std::uint64_t> overflowed_{0};
};

}  // namespace lanescope::base
