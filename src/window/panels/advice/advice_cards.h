// The advisor's cards, under the verdict.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// So many are shown before "N more".
inline constexpr std::size_t kFirstCards = 3;

/// The colour of what it is about, as in the bar above.
Colour card_colour(const analysis::Card& card);

/// Nothing where there are none. A click on one selects its example and unfolds its text.
void draw_advice_cards(const Canvas& canvas);

}  // namespace lanescope::ui
