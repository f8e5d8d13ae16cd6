// Every text that a person reads goes through tr(): in Chinese it is looked up in the catalogue that the program
// carries (po/zh_CN.po), in English it is itself. One language for everything, the experiments' texts included; it can
// be switched while the program runs, so what is kept is the English text, marked with N_ and translated where it is
// shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Marks a text for translation where it stands in a table or is kept; tr() translates it where it is shown.
#define N_(text) text

namespace lanescope::base {

enum class Language : std::uint8_t { English, Chinese };
inline constexpr std::size_t kLanguages = 2;
std::string_view language_key(Language language);  ///< "en", "zh"
Language parse_language(std::string_view key);     ///< throws base::UsageError that lists the keys
Language preferred_language();                     ///< as the environment says (LANGUAGE, LC_ALL, LC_MESSAGES, LANG)

/// The language of everything. English until it is set; any thread may ask and set.
Language language();
void set_language(Language language);

/// The translation of a text into the language that is set, or the text itself where there is none. What is returned
/// stays valid as long as the program runs, or as long as `text` does where it is that.
const char* tr(const char* text);
const char* tr(const char* text, Language language);
inline const char* tr(const std::string& text) { return tr(text.c_str()); }

/// What the system says about an error number (errno), translated.
std::string system_error_text(int error);

/// All translations into a language, one after the other: what its fonts must have letters for.
std::string all_translations(Language language);

}  // namespace lanescope::base
