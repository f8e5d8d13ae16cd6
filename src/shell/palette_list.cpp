#include "shell/palette_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/error.h"
#include "base/translate.h"
#include "experiment/own_experiments.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr int kWordStart = 100, kInside = 60, kScattered = 20;
constexpr std::size_t kRemembered = 12;

std::string palette_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80; }

/// Scores one word in a text, both in lower case.
int word_score(std::string_view word, std::string_view text) {
  int best = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !letter(text[at - 1]);
    const bool whole = begins && (at + word.size() == text.size() || !letter(text[at + word.size()]));
    best = std::max(best, begins ? kWordStart + (whole ? 5 : 0) : kInside);
  }
  if (best > 0) return best;
  // Scattered letters in this order: "pnd" finds "pinned", but "npnd" does not. The first letter must begin a word.
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (text[begin] != word[0] || (begin > 0 && letter(text[begin - 1]))) continue;
    std::size_t at = begin;
    std::size_t found = 0;
    while (found < word.size() && at < text.size() && at - begin < 3 * word.size() + 4) {
      if (text[at++] == word[found]) ++found;
    }
    const int gaps = static_cast<int>(at - begin - word.size());
    if (found == word.size()) best = std::max({best, 1, kScattered - gaps});
  }
  return best;
}

void add_actions(const ShellState& state, std::vector<PaletteEntry>& entries) {
  for (const ActionInfo& a : actions()) {
    if (a.action == Action::Palette) continue;
    const std::string keys = keys_text(a);
    entries.push_back({"action." + std::string(a.name), tr(a.text), a.name, keys, why_without_effect(state, a.action),
                       true, [action = a.action](ShellState& s) { s.requests.actions.push_back(action); },
                       a.action == Action::OpenTrace});
  }
}

void add_recent_files(const ShellState& state, std::vector<PaletteEntry>& entries) {
  for (const std::filesystem::path& path : recent_files(state.preferences)) {
    entries.push_back({"file." + path.string(), tr("open {}", path.filename().string()),
                       "open recent file trace " + path.string(), short_path(path.parent_path()), "", false,
                       [path](ShellState& s) { s.requests.files = {path}; }});
  }
}

void add_colourings(const ShellState& state, std::vector<PaletteEntry>& entries) {
  for (const ColourBy by : kColourings) {
    entries.push_back({"colour." + std::string(colour_by_key(by)), tr("colour {}", colour_by_title(by)),
                       "look colours color legend " + std::string(colour_by_key(by)), tr("colours"),
                       colouring_of(state) == by ? tr("already set") : "", false,
                       [by](ShellState& s) { colour_by(s, by); }});
  }
}

void add_experiments(const ShellState& state, std::vector<PaletteEntry>& entries) {
  for (const experiment::Experiment* each : experiment::all_experiments()) {
    const experiment::Experiment& e = *each;
    const bool runs = state.experiment.active && &state.experiment.active->experiment() == &e;
    entries.push_back({"experiment." + e.id, e.id + "  " + e.title[state.language()],
                       "experiment " + e.name + " " + e.title[experiment::Language::English], tr("experiment"),
                       runs ? tr("running now; this restarts it") : "", false, [&e](ShellState& s) {
                         s.requests.experiment = {&e, experiment::Side::Before};
                       }});
  }
}

void add_devices(const ShellState& state, std::vector<PaletteEntry>& entries) {
  const std::string current = state.model.source().device().id;
  for (const device::CatalogueEntry& d : device::catalogue()) {
    entries.push_back({"device." + d.id, d.name, "device " + d.id, tr("device"),
                       d.id == current ? tr("in use; this restarts the run") : "", false, [id = d.id](ShellState& s) {
                         s.requests.run = s.model.options_now();
                         s.requests.run->device = id;
                       }});
  }
  for (const RecordedCapture& r : state.device_menu.recorded) {
    entries.push_back({"recorded." + r.name, tr(r.title), "recorded run device " + r.name, tr("recorded run"), "",
                       false, [name = r.name](ShellState& s) {
                         s.requests.files = {std::filesystem::path(std::string(kRecordedPrefix) + name)};
                       }});
  }
}

void set_knob(ShellState& state, const std::string& key, const workload::Value& value) {
  if (const std::string refused = state.model.set(key, value); !refused.empty()) state.show_toast(refused, true);
}

void edit_knob(ShellState& state, const std::string& key) {
  if (!state.model.steering()) return;
  state.presentation.on = false;  // it has no knobs but the experiment's own
  state.knob_editing.setting = key;
  state.knob_editing.text = workload::to_text(state.model.steering()->settings().value(key));
  state.await_field();
}

bool is_number(const workload::SettingSpec& spec) {
  return spec.type == workload::SettingType::Integer || spec.type == workload::SettingType::Real;
}

void add_trials(const ShellState& state, std::vector<PaletteEntry>& entries) {
  for (const AdviceCard& card : state.advice.cards()) {
    const Offer* offer = state.try_it.offer(card.key);
    if (!offer) continue;
    entries.push_back({"try." + offer->text, tr("Try {}", offer->text), "try it card " + card.card.title, tr("advice"),
                       "", false, [key = card.key](ShellState& s) {
                         if (const std::string refused = s.try_it.press(s.model, key); !refused.empty()) {
                           s.show_toast(refused, true);
                         }
                       }});
  }
}

void add_knobs(const ShellState& state, std::vector<PaletteEntry>& entries) {
  if (!state.model.steering()) return;
  const workload::Settings settings = state.model.steering()->settings();
  for (const workload::SettingSpec& spec : settings.specs()) {
    const auto add = [&](const workload::Value& value, const std::string& says) {
      const std::string plain = workload::to_text(value);
      entries.push_back({"knob." + spec.key + "=" + plain, std::string(tr(spec.label)) + " " + says,
                         "set " + spec.key + "=" + plain + " " + plain, tr("knob"),
                         value == settings.value(spec.key) ? tr("already set") : "", false,
                         [key = spec.key, value](ShellState& s) { set_knob(s, key, value); }});
    };
    if (spec.type == workload::SettingType::Bool) {
      add(true, tr("on"));
      add(false, tr("off"));
    } else if (spec.type == workload::SettingType::Choice) {
      for (const std::string& choice : spec.choices) add(choice, choice);
    } else {
      entries.push_back({"knob." + spec.key, fmt::format("{} …", tr(spec.label)), "set " + spec.key + " type number",
                         tr("knob"), tr("opens its field; or type the number here"), false,
                         [key = spec.key](ShellState& s) { edit_knob(s, key); }});
      for (const double stop : spec.stops) {
        const std::string number = fmt::format("{:g}", stop) + (spec.unit.empty() ? "" : " " + spec.unit);
        const bool never = spec.zero_is_never && stop == 0;
        if (spec.type == workload::SettingType::Integer) {
          add(static_cast<std::int64_t>(stop), never ? tr("never") : number);
        } else {
          add(stop, never ? tr("never") : number);
        }
      }
    }
  }
}

void add_themes(const ShellState& state, std::vector<PaletteEntry>& entries) {
  for (const ThemeName name : kThemes) {
    entries.push_back({"theme." + std::string(theme_key(name)), fmt::format("{}: {}", tr("theme"), theme_title(name)),
                       "look colours " + std::string(theme_key(name)), tr("theme"),
                       state.preferences.theme == name ? tr("already set") : "", false,
                       [name](ShellState& s) { s.preferences.theme = name; }});
  }
}

}  // namespace

int found_score(std::string_view query, std::string_view text) {
  const std::string small = palette_lower(text);
  const std::string words = palette_lower(query);
  int sum = 1;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) {
      const int score = word_score(std::string_view(words).substr(at, end - at), small);
      if (score == 0) return 0;
      sum += score;
    }
    at = end + 1;
  }
  return sum;
}

std::vector<PaletteEntry> typed_entries(const ShellState& state, std::string_view typed) {
  std::vector<PaletteEntry> entries;
  while (typed.ends_with(' ')) typed.remove_suffix(1);
  const std::size_t space = typed.rfind(' ');
  if (!state.model.steering() || space == std::string_view::npos) return entries;
  const std::string number(typed.substr(space + 1));
  const std::string_view name = typed.substr(0, space);
  if (name.find_first_not_of(' ') == std::string_view::npos ||
      number.find_first_not_of("0123456789.+-e") != std::string::npos) {
    return entries;
  }
  workload::Settings settings = state.model.steering()->settings();
  for (const workload::SettingSpec& spec : settings.specs()) {
    if (!is_number(spec)) continue;
    const std::string names = fmt::format("set {} {} {}", tr(spec.label), spec.label, spec.key);
    if (found_score(name, names) == 0) continue;
    PaletteEntry entry;
    entry.id = "knob." + spec.key + "=" + number;
    entry.text = fmt::format("{} {}{}", tr(spec.label), number, spec.unit.empty() ? "" : " " + spec.unit);
    entry.also = names + " " + number;
    entry.aside = tr("knob");
    try {
      settings.set_text(spec.key, number);
      entry.act = [key = spec.key, value = settings.value(spec.key)](ShellState& s) { set_knob(s, key, value); };
    } catch (const base::UsageError& error) {
      entry.why = error.what();
      entry.act = [why = entry.why](ShellState& s) { s.show_toast(why, true); };
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void find_in_palette(ShellState& state) {
  PaletteState& palette = state.overlays.palette;
  palette.entries.resize(palette.fixed);
  for (PaletteEntry& entry : typed_entries(state, palette.typed)) {
    const auto same = [&](const PaletteEntry& other) { return other.id == entry.id; };
    if (std::ranges::none_of(palette.entries, same)) palette.entries.push_back(std::move(entry));
  }
  palette.shown = found_entries(palette.typed, palette.entries);
  palette.selected = 0;
  palette.scroll_to_selected = true;
}

std::vector<std::size_t> found_entries(std::string_view query, const std::vector<PaletteEntry>& entries) {
  std::vector<std::pair<int, std::size_t>> found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    // A match in the visible text counts a little more than one in hidden text.
    const int shown = found_score(query, entries[i].text) * 2;
    const int all = found_score(query, entries[i].text + " " + entries[i].also);
    if (all > 0) found.emplace_back(std::max(shown, all * 2 - 1), i);
  }
  // Of equal matches the shorter comes first: it has less text besides the match. Without a query, the most recently
  // used stay first.
  const bool asked = query.find_first_not_of(' ') != std::string_view::npos;
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    if (asked && entries[a.second].first != entries[b.second].first) return entries[a.second].first;
    return asked && entries[a.second].text.size() < entries[b.second].text.size();
  });
  std::vector<std::size_t> places;
  for (const auto& [score, place] : found) places.push_back(place);
  return places;
}

std::vector<PaletteEntry> palette_entries(const ShellState& state) {
  std::vector<PaletteEntry> entries;
  add_actions(state, entries);
  add_knobs(state, entries);
  add_trials(state, entries);
  add_experiments(state, entries);
  add_devices(state, entries);
  add_themes(state, entries);
  add_colourings(state, entries);
  add_recent_files(state, entries);
  const std::vector<std::string>& recent = state.preferences.recent;
  const auto age = [&](const PaletteEntry& e) { return std::find(recent.begin(), recent.end(), e.id); };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const PaletteEntry& a, const PaletteEntry& b) { return age(a) < age(b); });
  return entries;
}

void fill_palette(ShellState& state) {
  PaletteState& palette = state.overlays.palette;
  palette = {};
  palette.entries = palette_entries(state);
  palette.fixed = palette.entries.size();
  palette.shown = found_entries("", palette.entries);
}

void act(ShellState& state, const PaletteEntry& entry) {
  std::vector<std::string>& recent = state.preferences.recent;
  std::erase(recent, entry.id);
  recent.insert(recent.begin(), entry.id);
  if (recent.size() > kRemembered) recent.resize(kRemembered);
  entry.act(state);
}

}  // namespace lanescope::ui
