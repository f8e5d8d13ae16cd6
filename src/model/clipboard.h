// A picture on the clipboard. On X11 the one who copied has to hand it out whenever somebody pastes, which a thread of
// its own does here; on Wayland wl-copy does.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lanescope::ui {

class Clipboard {
 public:
  Clipboard();
  ~Clipboard();  ///< asks the desktop's clipboard manager, where there is one, to keep what is there
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;

  /// From any thread, one at a time. Throws base::FileError: one line that says why it is not possible here.
  void set_png(std::vector<std::uint8_t> bytes);
  /// Nothing else has been copied since.
  bool owned() const;

 private:
  class X11;
  std::unique_ptr<X11> x11_;
};

}  // namespace lanescope::ui
