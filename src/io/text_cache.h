// The numbers of texts that come again and again, in front of a NameTable: finding one takes no lock and hashes only a
// few of its bytes. For one thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/name_table.h"

namespace lanescope::io {

class TextCache {
 public:
  explicit TextCache(base::NameTable& table) : table_(table), slots_(kSlots) {}

  base::NameId intern(std::string_view text) {
    return find_or(text, [&] { return table_.intern(text); });
  }
  /// The same, where `number` decides on its number in the table.
  template <class Number>
  base::NameId find_or(std::string_view text, Number&& number) {
    Slot& slot = slots_[place(text)];
    if (slot.text == text) return slot.id;
    const base::NameId id = number();
    if (id != base::NameTable::kOverflow) slot = {table_.text(id), id};
    return id;
  }

 private:
  struct Slot {
    std::string_view text;  // the table's; at first "", whose number is kEmpty
    base::NameId id = base::NameTable::kEmpty;
  };
  static constexpr std::size_t kSlots = 4096;

  static std::uint64_t eight_at(const char* p) {
    std::uint64_t x = 0;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static std::size_t place(std::string_view text) {
    std::uint64_t hash = text.size();
    const auto mix = [&](std::uint64_t x) {
      hash = (hash ^ x) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    };
    const char* const p = text.data();
    if (text.size() >= 8) {
      // Long names are those of templates, which often differ only somewhere in the middle.
      for (const std::size_t eighths : {0u, 2u, 4u, 6u, 8u}) mix(eight_at(p + (text.size() - 8) * eighths / 8));
    } else {
      std::uint64_t x = 0;
      for (const char c : text) x = x << 8 | static_cast<unsigned char>(c);
      mix(x);
    }
    return hash % kSlots;
  }

  base::NameTable& table_;
  std::vector<Slot> slots_;
};

}  // namespace lanescope::io
