#include "base/translate.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "base/message_catalogue.h"
#include "lanescope_translations.h"

namespace lanescope::base {
namespace {

constexpr std::array<std::string_view, kLanguages> kLanguageKeys{"en", "zh"};

// The C library's texts for errors of file operations.
constexpr std::array kSystemErrors{N_("No such file or directory"),
                                   N_("Permission denied"),
                                   N_("Operation not permitted"),
                                   N_("No space left on device"),
                                   N_("Is a directory"),
                                   N_("Not a directory"),
                                   N_("Directory not empty"),
                                   N_("File exists"),
                                   N_("File name too long"),
                                   N_("File too large"),
                                   N_("Read-only file system"),
                                   N_("Disk quota exceeded"),
                                   N_("Too many open files"),
                                   N_("Too many levels of symbolic links"),
                                   N_("Cannot allocate memory"),
                                   N_("Input/output error"),
                                   N_("Invalid argument"),
                                   N_("Broken pipe"),
                                   N_("Bad file descriptor"),
                                   N_("Resource temporarily unavailable"),
                                   N_("Connection refused")};

std::atomic<Language> chosen_language{Language::English};

const MessageCatalogue& chinese() {
  static const MessageCatalogue kCatalogue = [] {
    const translations::File* file = translations::find("zh_CN.mo");
    const auto read = file ? MessageCatalogue::read(file->text) : std::nullopt;
    return read.value_or(MessageCatalogue());
  }();
  return kCatalogue;
}

}  // namespace

std::string_view language_key(Language language) { return kLanguageKeys[static_cast<std::size_t>(language)]; }

Language parse_language(std::string_view key) {
  for (std::size_t l = 0; l < kLanguages; ++l) {
    if (kLanguageKeys[l] == key) return static_cast<Language>(l);
  }
  throw UsageError(tr("language '{}' is unknown; allowed: {}", key, fmt::join(kLanguageKeys, ", ")));
}

Language preferred_language() {
  for (const char* variable : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? Language::Chinese : Language::English;
  }
  return Language::English;
}

Language language() { return chosen_language.load(std::memory_order_relaxed); }
void set_language(Language language) { chosen_language.store(language, std::memory_order_relaxed); }

const char* tr(const char* text) { return tr(text, language()); }

const char* tr(const char* text, Language language) {
  // The empty text is the key of the catalogue's own header.
  if (language == Language::English || *text == '\0') return text;
  const char* found = chinese().find(text);
  return found != nullptr && *found != '\0' ? found : text;
}

std::string format_translated(const char* english, fmt::format_args arguments) {
  try {
    return fmt::vformat(tr(english), arguments);
  } catch (const fmt::format_error&) {
    return fmt::vformat(english, arguments);
  }
}

std::string system_error_text(int error) {
  static_cast<void>(kSystemErrors);
  return tr(std::generic_category().message(error));
}

std::string all_translations(Language language) {
  std::string all;
  if (language == Language::English) return all;
  for (std::uint32_t i = 0; i < chinese().size(); ++i) {
    if (!chinese().original(i).empty()) all += chinese().translation(i);
  }
  return all;
}

}  // namespace lanescope::base
