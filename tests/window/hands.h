// The pointer and the keyboard of the display, as a person moves them: events of the X server, not of the program.
#pragma once

struct _XDisplay;

namespace lanescope::ui_test {

/// A connection to the X server of its own.
class Hands {
 public:
  /// A display as DISPLAY names it. Null: what that says.
  explicit Hands(const char* display = nullptr);
  ~Hands();
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  struct Pointer {
    int x = 0, y = 0;  ///< in pixels of the screen
    unsigned buttons = 0;
  };
  Pointer pointer();
  void move_to(int x, int y);                 ///< in pixels of the screen
  void button(int number, bool down);         ///< 1 left, 4 and 5 the wheel up and down
  void key(unsigned long symbol, bool down);  ///< an X key symbol (XK_a)
  /// The colour that the screen really shows, 0xRRGGBB.
  unsigned long pixel(int x, int y);
  /// What a window manager does to a window (an X id) that is minimised, or brought back.
  void minimise(unsigned long window, bool minimised);
  /// What a desktop says of its displays: dots per inch, 96 where nothing is scaled. Counts for windows opened later.
  void set_density(int dots_per_inch);

 private:
  _XDisplay* display_;
};

/// A window over the whole screen, as on a display without a compositing window manager.
class Cover {
 public:
  Cover();
  ~Cover();  ///< takes it away
  Cover(const Cover&) = delete;
  Cover& operator=(const Cover&) = delete;

 private:
  _XDisplay* display_;
};

}  // namespace lanescope::ui_test
