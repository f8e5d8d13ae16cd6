#include "base/translate.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/error.h"
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

// --- message catalogue -----------------------------------------------------------------------------------------------

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
