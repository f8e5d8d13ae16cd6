// Reads a binary gettext catalogue (.mo). Format: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope::base {

/// A view of a catalogue's bytes, all of which have been checked: it has no cost of its own, and the bytes must stay.
class MessageCatalogue {
 public:
  /// Empty when these bytes are no catalogue, or one whose texts do not all lie within it, are not ended by a zero, or
  /// are not sorted. Both byte orders are read.
  static std::optional<MessageCatalogue> read(std::string_view bytes);

  std::uint32_t size() const { return count_; }
  std::string_view original(std::uint32_t i) const { return text(originals_, i); }
  /// Ends in a zero. With plural forms, the first of them.
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
