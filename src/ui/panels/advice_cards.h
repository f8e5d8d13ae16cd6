// The advisor's cards, under the verdict.
#pragma once

#include "ui/shell_state.h"

namespace lanescope::ui {

/// So many are shown before "N more".
inline constexpr std::size_t kFirstCards = 3;

/// What an iteration would be shorter by, and its share: "56 µs · 34 %"; empty for what costs nothing.
std::string cost_text(const analysis::Card& card);
/// The colour of what it is about, as in the bar above.
Colour card_colour(const analysis::Card& card);

/// Nothing where there are none. A click on one selects its example and unfolds its text.
void draw_advice_cards(const Canvas& canvas);

}  // namespace lanescope::ui
