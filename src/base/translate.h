// Every text shown to the user goes through tr(). English is the source text; Chinese is looked up in the embedded
// catalogue (po/zh_CN.po). One language applies to everything, including the experiments' texts. It can be switched at
// run time, so the program stores the English text, marked with N_, and translates it when showing it.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

// Marks a text for translation in a table or a stored value. tr() translates it when it is shown.
#define N_(text) text

namespace lanescope::base {

enum class Language : std::uint8_t { English, Chinese };
inline constexpr std::size_t kLanguages = 2;
std::string_view language_key(Language language);  ///< "en", "zh"
Language parse_language(std::string_view key);     ///< throws base::UsageError, which lists the valid keys
Language preferred_language();                     ///< from the environment: LANGUAGE, LC_ALL, LC_MESSAGES, LANG

/// The current language, English by default. Any thread may get or set it.
Language language();
void set_language(Language language);

/// Returns the translation into the current language, or `text` itself if there is none. A translation stays valid for
/// the lifetime of the program, `text` for as long as the caller keeps it.
const char* tr(const char* text);
const char* tr(const char* text, Language language);
inline const char* tr(const std::string& text) { return tr(text.c_str()); }

/// An English format string ("{} of {}"). The compiler checks that it fits the argument types.
template <class... Arguments>
class Pattern {
 public:
  consteval Pattern(const char* english) : english_(english) {  // NOLINT: a literal is meant to convert
    static_cast<void>(fmt::format_string<Arguments...>(english));
  }
  const char* english() const { return english_; }

 private:
  const char* english_;
};

/// Formats the translation of a text. Falls back to the English text if the translation's placeholders do not fit.
std::string format_translated(const char* english, fmt::format_args arguments);
/// tr("{} of {}", n, total)
template <class... Arguments>
requires(sizeof...(Arguments) > 0) std::string
    tr(Pattern<std::type_identity_t<Arguments>...> text, Arguments&&... arguments) {
  return format_translated(text.english(), fmt::make_format_args(arguments...));
}

/// The system's message for an error number (errno), translated.
std::string system_error_text(int error);

/// All translations into a language, concatenated: the text that fonts must cover.
std::string all_translations(Language language);

// --- message catalogue -----------------------------------------------------------------------------------------------
// Reads a binary gettext catalogue (.mo). Format: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html

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
