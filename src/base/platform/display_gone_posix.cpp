#include "base/platform/display_gone.h"

#include <string>

#include "base/platform/library.h"

namespace lanescope::base {
namespace {

void (*chosen)() = nullptr;

// What XSetIOErrorHandler takes; without libX11's headers, because it is opened at run time. Libx11 ends the program
// when this returns.
int on_error(void* /*display*/) {
  if (void (*const once)() = chosen) {
    chosen = nullptr;
    once();
  }
  return 0;
}

}  // namespace

void when_display_goes(void (*what_to_do)()) {
  using Handler = int (*)(void*);
  std::string why;
  void* const library = open_library("libX11.so.6", why);
  if (library == nullptr) return;
  if (const auto set = find_function<Handler (*)(Handler)>(library, "XSetIOErrorHandler")) {
    chosen = what_to_do;
    set(what_to_do != nullptr ? on_error : nullptr);
  }
}

}  // namespace lanescope::base
