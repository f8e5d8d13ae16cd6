#include "base/name_table.h"

namespace lanescope::base {

NameTable::NameTable() {
  intern("");
  intern("(name table full)");
}

NameId NameTable::intern(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const NameId id = count_.load(std::memory_order_relaxed);
  if (id >= kCapacity) {
    overflowed_.fetch_add(1, std::memory_order_relaxed);
    return kOverflow;
  }
  std::unique_ptr<Page>& page = pages_[id / kPageSize];
  if (!page) page = std::make_unique<Page>();
  std::string& slot = (*page)[id % kPageSize];
  slot = text;
  ids_.emplace(slot, id);
  // The text is stored before its id is published, so text() needs no lock.
  count_.store(id + 1, std::memory_order_release);
  return id;
}

std::string_view NameTable::text(NameId id) const {
  if (id >= count_.load(std::memory_order_acquire)) return {};
  return (*pages_[id / kPageSize])[id % kPageSize];
}

NameId NameTable::find(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  const auto known = ids_.find(text);
  return known == ids_.end() ? kEmpty : known->second;
}

}  // namespace lanescope::base
