// Waiting for what another thread or another process does.
#pragma once

#include <chrono>
#include <thread>

namespace lanescope {

/// Whether `done` comes true within a minute, in which `meanwhile` is done again and again.
template <typename Done, typename Meanwhile>
bool until(const Done& done, const Meanwhile& meanwhile) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    meanwhile();
  }
  return true;
}
template <typename Done>
bool until(const Done& done) {
  return until(done, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

}  // namespace lanescope
