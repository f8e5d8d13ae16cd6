#include "window/hands.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace lanescope::ui_test {

// The server takes what a hand does up when it comes to it, after it has answered a synchronisation.
template <typename Done>
static void wait_for_server(Done done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!done() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
}

Hands::Hands(const char* display) : display_(XOpenDisplay(display)) {
  if (!display_) throw std::runtime_error("these tests need an X display: run them under xvfb-run");
  int unused = 0;
  if (!XTestQueryExtension(display_, &unused, &unused, &unused, &unused)) {
    throw std::runtime_error("these tests need the XTEST extension of the X server");
  }
  // A key that is pressed once is not held, however long a frame takes under a sanitizer.
  XAutoRepeatOff(display_);
}

Hands::~Hands() {
  XAutoRepeatOn(display_);
  XCloseDisplay(display_);
}

void Hands::set_density(int dots_per_inch) {
  const std::string resources = "Xft.dpi:\t" + std::to_string(dots_per_inch) + "\n";
  XChangeProperty(display_, DefaultRootWindow(display_), XA_RESOURCE_MANAGER, XA_STRING, 8, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(resources.data()), static_cast<int>(resources.size()));
  XSync(display_, False);
}

void Hands::move_to(int x, int y) {
  XTestFakeMotionEvent(display_, DefaultScreen(display_), x, y, 0);
  wait_for_server([&] {
    const Pointer now = pointer();
    return now.x == x && now.y == y;
  });
}

void Hands::button(int number, bool down) {
  XTestFakeButtonEvent(display_, static_cast<unsigned>(number), down ? True : False, 0);
  constexpr int kLastWithState = 5;  // the server tells no more of those of a sideways wheel
  if (number > kLastWithState) {
    XSync(display_, False);
    return;
  }
  wait_for_server([&] { return ((pointer().buttons & (Button1Mask << (number - 1))) != 0) == down; });
}

void Hands::key(unsigned long symbol, bool down) {
  const KeyCode code = XKeysymToKeycode(display_, symbol);
  if (code == 0) throw std::runtime_error("the keyboard has no such key");
  XTestFakeKeyEvent(display_, code, down ? True : False, 0);
  wait_for_server([&] {
    char keys[32];
    XQueryKeymap(display_, keys);
    return (((keys[code / 8] >> (code % 8)) & 1) != 0) == down;
  });
}

Hands::Pointer Hands::pointer() {
  Window root = 0, child = 0;
  int in_window_x = 0, in_window_y = 0;
  Pointer now;
  XQueryPointer(display_, DefaultRootWindow(display_), &root, &child, &now.x, &now.y, &in_window_x, &in_window_y,
                &now.buttons);
  return now;
}

unsigned long Hands::pixel(int x, int y) {
  XImage* image = XGetImage(display_, DefaultRootWindow(display_), x, y, 1, 1, AllPlanes, ZPixmap);
  if (!image) throw std::runtime_error("the screen cannot be read there");
  const unsigned long colour = XGetPixel(image, 0, 0) & 0xffffff;
  XDestroyImage(image);
  return colour;
}

void Hands::minimise(unsigned long window, bool minimised) {
  const Atom state = XInternAtom(display_, "WM_STATE", False);
  const long data[] = {minimised ? IconicState : NormalState, 0};
  XChangeProperty(display_, window, state, state, 32, PropModeReplace, reinterpret_cast<const unsigned char*>(data), 2);
  XSync(display_, False);
}

Cover::Cover() : display_(XOpenDisplay(nullptr)) {
  XSetWindowAttributes how{};
  how.override_redirect = True;
  const int screen = DefaultScreen(display_);
  const Window window =
      XCreateWindow(display_, RootWindow(display_, screen), 0, 0, static_cast<unsigned>(DisplayWidth(display_, screen)),
                    static_cast<unsigned>(DisplayHeight(display_, screen)), 0, CopyFromParent, InputOutput, nullptr,
                    CWOverrideRedirect, &how);
  XMapRaised(display_, window);
  XSync(display_, False);
}

Cover::~Cover() { XCloseDisplay(display_); }  // its windows go with the connection

}  // namespace lanescope::ui_test
