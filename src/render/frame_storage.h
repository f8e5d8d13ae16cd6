// Keeps data of a draw list's callbacks until the frame has been rendered.
#pragma once

#include <memory>
#include <utility>

namespace lanescope::ui {

/// Keeps `item` until the current ImGui context stores something in a later frame, or is destroyed.
void keep_until_next_frame(std::shared_ptr<void> item);

template <typename T>
T* keep_until_next_frame(T item) {
  auto kept = std::make_shared<T>(std::move(item));
  T* address = kept.get();
  keep_until_next_frame(std::shared_ptr<void>(std::move(kept)));
  return address;
}

}  // namespace lanescope::ui
