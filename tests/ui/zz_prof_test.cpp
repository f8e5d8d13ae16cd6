#include "ui/desk.h"
#include <cstdio>
#include <chrono>
namespace lanescope::ui_test {
class Prof : public WindowTest { void SetUp() override {} };
TEST_F(Prof, Hover) {
  const auto time = [&](const char* what, auto f) {
    const auto b = std::chrono::steady_clock::now();
    const auto f0 = desk().window().frames();
    f();
    std::printf("%-30s wall %.1f ms (%d frames)\n", what, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - b).count(), int(desk().window().frames() - f0));
  };
  for (int i = 0; i < 8; ++i) {
  time("new session", [&] { 
  session::SessionOptions options = usual().session;
  options.speed = 0.01;
  model().start_run(options);
  });
  time("frame", [&] { desk().frames(1);});
  time("wait", [&] { wait_for_iterations(6); });
  time("wait", [&] { wait_for_iterations(30); });
  if (i % 2) time("still", [&] { hold_still();});
  }
}
}
