// What the palette offers, and how typed text finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::ui {

struct ShellState;

struct PaletteEntry {
  std::string id;       ///< stable, to remember used entries: "action.pause", "experiment.P01"
  std::string text;     ///< "pause or continue the run"
  std::string also;     ///< also searched: the action's name, the setting's key
  std::string aside;    ///< at the right: its keys, or its kind ("experiment")
  std::string why;      ///< why it has no effect now; otherwise empty
  bool is_key = false;  ///< `aside` is a key
  std::function<void(ShellState&)> act;
  bool first = false;  ///< of equally good matches, this is meant
};

/// The open palette.
struct PaletteState {
  std::string typed;
  std::vector<PaletteEntry> entries;  ///< as of the opening, most recently used first; then those of typed numbers
  std::size_t fixed = 0;              ///< the number of entries as of the opening
  std::vector<std::size_t> shown;     ///< entries that match `typed`, best first
  std::size_t selected = 0;           ///< in `shown`
  bool scroll_to_selected = false;
  // Keys since the last frame, applied after the text typed before them.
  std::ptrdiff_t steps = 0;
  bool enter = false;
};

/// How well every word of `query` is found in `text`; 0: a word is missing. A match at the start of a word scores
/// higher than one inside a word, and scattered letters score lowest. Case does not matter.
int found_score(std::string_view query, std::string_view text);
/// The entries that `query` finds, best first; equally good ones in their original order.
std::vector<std::size_t> found_entries(std::string_view query, const std::vector<PaletteEntry>& entries);

/// Everything that can be done now, `recent` first.
std::vector<PaletteEntry> palette_entries(const ShellState& state);

/// The settings of numbers that `typed` names, with the number at its end: "batch size 512". A number out of range says
/// so instead of having an effect.
std::vector<PaletteEntry> typed_entries(const ShellState& state, std::string_view typed);

/// Finds what is typed.
void find_in_palette(ShellState& state);
/// Fills the palette with the current entries, with nothing typed.
void fill_palette(ShellState& state);
/// Performs the entry and remembers it as the most recent.
void act(ShellState& state, const PaletteEntry& entry);

}  // namespace lanescope::ui
