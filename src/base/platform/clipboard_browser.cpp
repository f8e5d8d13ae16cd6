#include "base/error.h"
#include "base/platform/clipboard.h"
#include "base/translate.h"

namespace lanescope::base {

class Clipboard::Owner {};

Clipboard::Clipboard() = default;
Clipboard::~Clipboard() = default;
// The program then makes it a file, which is downloaded.
void Clipboard::set_png(std::vector<std::uint8_t>) {
  throw FileError(tr("in the browser, pictures are downloaded instead of copied"));
}
bool Clipboard::owned() const { return false; }

}  // namespace lanescope::base
