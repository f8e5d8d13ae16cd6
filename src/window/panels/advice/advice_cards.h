// The advisor's cards, under the verdict.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// How many cards are shown before "N more".
inline constexpr std::size_t kFirstCards = 3;

/// The colour of the card's topic, as in the bar above.
Colour card_colour(const analysis::Card& card);

/// Draws nothing if there are no cards. A click on a card selects its example and unfolds its text.
void draw_advice_cards(const Canvas& canvas);

}  // namespace lanescope::ui
