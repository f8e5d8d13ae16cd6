// A picture on the clipboard. On X11 the program that copied must serve the picture at every paste, which a thread does
// here; on Wayland wl-copy does it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lanescope::base {

class Clipboard {
 public:
  Clipboard();
  ~Clipboard();  ///< asks the desktop's clipboard manager, where there is one, to keep what is there
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;

  /// Callable from any thread, one at a time. Throws base::FileError with one line on why copying is not possible.
  void set_png(std::vector<std::uint8_t> bytes);
  /// Whether the picture is still on the clipboard: nothing else has been copied since.
  bool owned() const;

 private:
  class Owner;
  std::unique_ptr<Owner> owner_;
};

}  // namespace lanescope::base
