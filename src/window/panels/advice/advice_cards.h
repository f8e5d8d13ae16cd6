// The advisor's cards, under the verdict.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// How many cards are shown before "N more".
inline constexpr std::size_t kFirstCards = 1;

/// The colour of the card's topic, as in the bar above.
Colour card_colour(const analysis::Card& card);

/// Where the GPU idles, place by place, for a program whose places are its own; nothing if that is not known. A click
/// on a row selects its longest gap.
void draw_idle_ledger(const Canvas& canvas);

/// Draws nothing if there are no cards. A click on a card selects its example and unfolds its text.
void draw_advice_cards(const Canvas& canvas);

// The last line of a card, which tries out its advice, and the table of trials.

/// The height of a card's last line; 0: there is no trial for this card.
float try_row_height(const Canvas& canvas, const AdviceCard& card, float width);
/// Draws the line in `area`, of that height; `hovered`: the mouse is over the card. Returns the clickable part; empty
/// if the line is read-only (an opened file).
Rect draw_try_row(const Canvas& canvas, const AdviceCard& card, const Rect& area, bool hovered);
/// The line's full text: "predicted 94 µs an iteration instead of 163 µs"; or why there is no prediction.
std::string prediction_text(const analysis::WhatIf& prediction);
/// How a trial in a watched program stands: what it has measured, and beside it what a replay said.
struct TrialLook {
  std::string measured;  ///< short_text()
  Colour colour = Colour::Muted;
  std::string foretold;  ///< "predicted 1.20 to 1.40x"; empty: nothing was
  std::string whole;     ///< all of it, in sentences
};
TrialLook trial_look(const ShellState& state, const attach::ProgramTrial& trial);
/// Predicted next to measured, the newest trial in detail; nothing before the first trial.
void draw_tried(const Canvas& canvas);

}  // namespace lanescope::ui
