// Reads a binary gettext catalogue (.mo). Format: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope::base {

/// A view of a validated catalogue. It copies nothing: the bytes must outlive it.
class MessageCatalogue {
 public:
  /// Returns nothing if the bytes are not a catalogue, or if one of its texts is out of bounds, unterminated or out of
  /// order. Reads both byte orders.
  static std::optional<MessageCatalogue> read(std::string_view bytes);

  std::uint32_t size() const { return count_; }
  std::string_view original(std::uint32_t i) const { return text(originals_, i); }
  /// Zero-terminated. For an entry with plural forms, the first of them.
  const char* translation(std::uint32_t i) const { return text(translations_, i).data(); }

  /// The translation, or nullptr.
  const char* find(std::string_view original) const;

 private:
  std::uint32_t number(std::size_t at) const;
  std::string_view text(std::uint32_t table, std::uint32_t i) const;
  bool holds(std::uint32_t table) const;

  std::string_view bytes_;
  bool swapped_ = false;
  std::uint32_t count_ = 0, originals_ = 0, translations_ = 0;
};

}  // namespace lanescope::base
