// What the palette offers, and how what is typed finds it.
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
  std::string id;       ///< stable, for what is remembered: "action.pause", "experiment.P01"
  std::string text;     ///< "pause or continue the run"
  std::string also;     ///< found by this, too: the action's name, the setting's key
  std::string aside;    ///< at the right: its keys, or what it is ("experiment")
  std::string why;      ///< why it has no effect as things are; else empty
  bool is_key = false;  ///< `aside` is a key
  std::function<void(ShellState&)> act;
};

/// The list that is open.
struct PaletteState {
  bool just_opened = false;
  std::string typed;
  std::vector<PaletteEntry> entries;  ///< as of the opening, the newest used ones first
  std::vector<std::size_t> shown;     ///< what `typed` leaves, best first
  std::size_t selected = 0;           ///< in `shown`
  bool scroll_to_selected = false;
  // Keys since the last frame; what was typed before them comes first.
  std::ptrdiff_t steps = 0;
  bool enter = false;
};

/// How well every word of `query` is found in `text`; 0: one of them is not. The start of a word is better than its
/// middle, and letters apart from each other are worst. Capitals do not matter.
int found_score(std::string_view query, std::string_view text);
/// The entries that `query` finds, best first; equally good ones in their order.
std::vector<std::size_t> found_entries(std::string_view query, const std::vector<PaletteEntry>& entries);

/// Everything that can be done now, `recent` first.
std::vector<PaletteEntry> palette_entries(const ShellState& state);

/// As of now, with nothing typed.
void fill_palette(ShellState& state);
/// Does it and remembers it as the newest.
void act(ShellState& state, const PaletteEntry& entry);

}  // namespace lanescope::ui
