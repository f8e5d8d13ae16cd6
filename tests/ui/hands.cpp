#include "ui/hands.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>

#include <stdexcept>

namespace lanescope::ui_test {

Hands::Hands() : display_(XOpenDisplay(nullptr)) {
  if (!display_) throw std::runtime_error("these tests need an X display: run them under xvfb-run");
  int unused = 0;
  if (!XTestQueryExtension(display_, &unused, &unused, &unused, &unused)) {
    throw std::runtime_error("these tests need the XTEST extension of the X server");
  }
}

Hands::~Hands() { XCloseDisplay(display_); }

void Hands::move_to(int x, int y) {
  XTestFakeMotionEvent(display_, DefaultScreen(display_), x, y, 0);
  XSync(display_, False);
}

void Hands::button(int number, bool down) {
  XTestFakeButtonEvent(display_, static_cast<unsigned>(number), down ? True : False, 0);
  XSync(display_, False);
}

void Hands::key(unsigned long symbol, bool down) {
  const KeyCode code = XKeysymToKeycode(display_, symbol);
  if (code == 0) throw std::runtime_error("the keyboard has no such key");
  XTestFakeKeyEvent(display_, code, down ? True : False, 0);
  XSync(display_, False);
}

unsigned long Hands::pixel(int x, int y) {
  XImage* image = XGetImage(display_, DefaultRootWindow(display_), x, y, 1, 1, AllPlanes, ZPixmap);
  if (!image) throw std::runtime_error("the screen cannot be read there");
  const unsigned long colour = XGetPixel(image, 0, 0) & 0xffffff;
  XDestroyImage(image);
  return colour;
}

}  // namespace lanescope::ui_test
