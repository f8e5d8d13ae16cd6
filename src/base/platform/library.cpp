#include <dlfcn.h>

#include <string_view>

#include "base/platform/library.h"
#include "base/translate.h"

namespace lanescope::base {
namespace {

/// The last error, without the library's name at its start.
std::string open_error(std::string_view library) {
  const char* const said = ::dlerror();
  if (said == nullptr) return tr("no reason given");
  std::string_view why = said;
  if (why.starts_with(library)) why.remove_prefix(library.size());
  while (why.starts_with(':') || why.starts_with(' ')) why.remove_prefix(1);
  constexpr std::string_view kMissing = "cannot open shared object file: ";
  if (why.starts_with(kMissing)) why.remove_prefix(kMissing.size());
  return std::string(why);
}

}  // namespace

void* open_library(const std::string& name, std::string& why) {
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) why = open_error(name);
  return library;
}

void* find_symbol(void* library, const char* name) { return ::dlsym(library, name); }

}  // namespace lanescope::base
