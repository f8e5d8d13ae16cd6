// Common code of renderers that draw between ImGui's own commands.
#pragma once

#include <memory>
#include <utility>

#include "timeline/span_batch.h"

struct ImDrawCmd;

namespace lanescope::ui {

// --- draw target -----------------------------------------------------------------------------------------------------
// The target of the renderers.

/// The bound framebuffer: its size in logical pixels, and its pixels per logical pixel.
struct DrawTarget {
  float width = 0, height = 0;
  float scale = 1;
};

// --- draw callback ---------------------------------------------------------------------------------------------------

float framebuffer_width(const DrawTarget& target);
float framebuffer_height(const DrawTarget& target);

/// Sets the viewport to the whole target, the scissor to `clip`, and blending for premultiplied colours. Returns false
/// if `clip` is outside the target.
bool set_up_drawing(const Rect& clip, const DrawTarget& target);

/// For use in an ImGui draw callback: the clip rectangle of its command, and the target that ImGui draws to.
Rect callback_clip(const ImDrawCmd& command);
DrawTarget callback_target();

// --- frame storage ---------------------------------------------------------------------------------------------------
// Keeps data of a draw list's callbacks until the frame has been rendered.

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
