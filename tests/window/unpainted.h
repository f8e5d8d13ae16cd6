// Most of a frame's time under Xvfb goes into painting it: the processor stands in for a GPU.
#pragma once

namespace lanescope::ui_test {

/// While one lives, only every fiftieth frame is painted. Everything else happens in each frame: input, layout, texts.
/// For tests that look at the window's state or texts in many frames, not at pixels.
class Unpainted {
 public:
  Unpainted();
  ~Unpainted();
  Unpainted(const Unpainted&) = delete;
  Unpainted& operator=(const Unpainted&) = delete;
};

/// Under ThreadSanitizer, which makes everything slow, frames are painted so rarely unless one of these lives. For
/// tests that look at pixels.
class Painted {
 public:
  Painted();
  ~Painted();
  Painted(const Painted&) = delete;
  Painted& operator=(const Painted&) = delete;
};

}  // namespace lanescope::ui_test
