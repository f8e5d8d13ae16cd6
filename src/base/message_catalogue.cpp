#include "base/message_catalogue.h"

#include <cstring>

namespace lanescope::base {
namespace {

constexpr std::uint32_t kMagic = 0x950412de, kSwappedMagic = 0xde120495;
constexpr std::size_t kHeader = 20;  // magic, revision, count, offset of the originals, offset of the translations
constexpr std::size_t kEntry = 8;    // length without the terminating zero, offset

}  // namespace

std::uint32_t MessageCatalogue::number(std::size_t at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes_.data() + at, sizeof value);
  return swapped_ ? __builtin_bswap32(value) : value;
}

// An entry with plural forms continues after its first zero.
std::string_view MessageCatalogue::text(std::uint32_t table, std::uint32_t i) const {
  return bytes_.data() + number(table + kEntry * i + 4);
}

// True if all texts of a table lie within the bytes and are zero-terminated.
bool MessageCatalogue::holds(std::uint32_t table) const {
  if (table > bytes_.size() || count_ > (bytes_.size() - table) / kEntry) return false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::size_t length = number(table + kEntry * i), at = number(table + kEntry * i + 4);
    if (at >= bytes_.size() || length >= bytes_.size() - at || bytes_[at + length] != '\0') return false;
  }
  return true;
}

std::optional<MessageCatalogue> MessageCatalogue::read(std::string_view bytes) {
  if (bytes.size() < kHeader) return std::nullopt;
  MessageCatalogue catalogue;
  catalogue.bytes_ = bytes;
  const std::uint32_t magic = catalogue.number(0);
  if (magic != kMagic && magic != kSwappedMagic) return std::nullopt;
  catalogue.swapped_ = magic == kSwappedMagic;
  if (catalogue.number(4) >> 16 > 1) return std::nullopt;  // unknown major revision
  catalogue.count_ = catalogue.number(8);
  catalogue.originals_ = catalogue.number(12);
  catalogue.translations_ = catalogue.number(16);
  if (!catalogue.holds(catalogue.originals_) || !catalogue.holds(catalogue.translations_)) return std::nullopt;
  for (std::uint32_t i = 1; i < catalogue.count_; ++i) {
    if (catalogue.original(i - 1) >= catalogue.original(i)) return std::nullopt;
  }
  return catalogue;
}

const char* MessageCatalogue::find(std::string_view original) const {
  std::uint32_t from = 0, to = count_;
  while (from < to) {
    const std::uint32_t middle = from + (to - from) / 2;
    const int order = this->original(middle).compare(original);
    if (order == 0) return translation(middle);
    (order < 0 ? from : to) = order < 0 ? middle + 1 : middle;
  }
  return nullptr;
}

}  // namespace lanescope::base
