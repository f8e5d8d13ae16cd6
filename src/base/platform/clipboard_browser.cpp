#include "base/error.h"
#include "base/platform/clipboard.h"
#include "base/translate.h"

namespace lanescope::base {

// The program then makes it a file, which is downloaded.
void copy_png(std::span<const std::uint8_t>) {
  throw FileError(tr("in the browser, pictures are downloaded instead of copied"));
}

}  // namespace lanescope::base
