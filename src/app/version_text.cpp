#include "app/version_text.h"

#include <fmt/format.h>
#include <png.h>
#include <sqlite3.h>
#include <zlib.h>
#include <zstd.h>

#include <string_view>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/translate.h"
#include "base/version.h"

// Set by CMake for this file only; empty if unknown.
#ifndef LANESCOPE_COMMIT
#define LANESCOPE_COMMIT ""
#endif
#ifndef LANESCOPE_BUILD_TYPE
#define LANESCOPE_BUILD_TYPE ""
#endif
#ifndef LANESCOPE_CUDA_VERSION  // of the toolkit; empty: built without
#define LANESCOPE_CUDA_VERSION ""
#endif
#ifndef LANESCOPE_HAS_INJECT
#define LANESCOPE_HAS_INJECT 0
#endif

namespace lanescope::app {
namespace {

using base::tr;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return tr("unknown");
#endif
}

// The one that runs here: the portable program is made for many.
std::string c_library() {
#ifdef __GLIBC__
  return fmt::format("glibc {}", gnu_get_libc_version());
#else
  return {};
#endif
}

std::string libraries() {
  return fmt::format("fmt {}.{}.{}, libpng {}, zlib {}, Zstandard {}, SQLite {}", FMT_VERSION / 10'000,
                     FMT_VERSION / 100 % 100, FMT_VERSION % 100, PNG_LIBPNG_VER_STRING, ZLIB_VERSION,
                     ZSTD_VERSION_STRING, SQLITE_VERSION);
}

std::string cuda() {
  const std::string_view version = LANESCOPE_CUDA_VERSION;
  if (version.empty()) return tr("none: only simulated GPUs and files");
  return LANESCOPE_HAS_INJECT ? tr("{}, CUPTI, attaching to programs", version) : tr("{}, CUPTI", version);
}

}  // namespace

std::string build_line() {
  std::string line = compiler();
  for (const std::string_view more : {std::string_view(LANESCOPE_BUILD_TYPE), std::string_view(LANESCOPE_COMMIT)}) {
    if (!more.empty()) line += fmt::format(", {}", more);
  }
  const std::string libc = c_library();
  return libc.empty() ? line : line + ", " + libc;
}

std::string version_text() {
  std::string text = fmt::format("lanescope {}\n", base::kVersion);
  const auto add = [&](const char* name, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {:<10} {}\n", tr(name), value);
  };
  add(N_("commit"), LANESCOPE_COMMIT);
  add(N_("compiler"), compiler());
  add(N_("build"), LANESCOPE_BUILD_TYPE);
  add(N_("C library"), c_library());
  add(N_("window"), window_libraries());
  add(N_("libraries"), libraries());
  add("CUDA", cuda());
  return text;
}

}  // namespace lanescope::app
