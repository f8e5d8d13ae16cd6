#include "base/translate.h"

#include <libintl.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace lanescope::base {
namespace {

constexpr const char* kDomain = "lanescope";

std::string catalogue_folder() {
  if (const char* folder = std::getenv("LANESCOPE_LOCALE_DIR"); folder != nullptr && *folder != '\0') return folder;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : (program.parent_path().parent_path() / "share" / "locale").string();
}

// The variable that names the language of messages, as POSIX ranks them.
const char* language_in_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

}  // namespace

const char* tr(const char* text) {
  // gettext answers an empty text with the catalogue's header.
  return *text == '\0' ? text : dgettext(kDomain, text);
}

void set_up_translation() {
  if (std::setlocale(LC_MESSAGES, "") == nullptr) {
    // The person's locale is not installed, as on a small machine. gettext needs only the language, not the locale.
    if (const char* language = language_in_environment(); language != nullptr) setenv("LANGUAGE", language, 0);
    std::setlocale(LC_MESSAGES, "C.UTF-8");
  }
  const std::string folder = catalogue_folder();
  if (!folder.empty()) bindtextdomain(kDomain, folder.c_str());
  bind_textdomain_codeset(kDomain, "UTF-8");
}

}  // namespace lanescope::base
