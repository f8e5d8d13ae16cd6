#include "window/panels/advice/advice_cards.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "inspect/figure_text.h"
#include "io/atomic_file.h"
#include "model/experiment/active_experiment.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/preferences.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr double kWide = 1.1;  // of a range, from end to end
constexpr float kTryRow = 26, kTryButton = 22, kTryLine = 17, kBar = 8, kBarRow = 18;

std::string time_text(double ns) { return base::format_duration(static_cast<Nanoseconds>(std::llround(ns))); }

struct GainText {
  std::string text;
  Colour colour = Colour::Muted;
};

GainText gain_text(const Offer& offer) {
  const analysis::WhatIf& p = *offer.prediction;
  if (outlook(p) == Outlook::Unknown) return {"–", Colour::Muted};
  if (p.most_factor < kWide * p.least_factor) return {factor_text(predicted_gain(p)), Colour::Good};
  if (p.least_factor < 1) return {tr("up to {}", factor_text(p.most_factor)), Colour::Good};
  std::string from = factor_text(p.least_factor);
  from.resize(std::min(from.find_first_not_of("0123456789.e-"), from.size()));  // "2.17–5.89x"
  return {fmt::format("{}–{}", from, factor_text(p.most_factor)), Colour::Good};
}

struct Bar {
  const char* name;
  double ns;
  Colour colour;
  SpanStyle style;
};

// Before, predicted and measured: one below the other, at one scale.
void draw_bars(const Canvas& c, const Tried& tried) {
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const Bar bars[] = {
      {tr("before"), tried.before_ns, Colour::Muted, SpanStyle::Solid},
      {tr("predicted"), tried.predicted_ns(), Colour::Accent, SpanStyle::Dashed},
      {tr("measured"), tried.measured_ns, Colour::Accent, SpanStyle::Solid},
  };
  float names = 0;
  for (const Bar& bar : bars) names = std::max(names, text_width(c.fonts, FontRole::Small, bar.name));
  const float figures = text_width(c.fonts, FontRole::MonoSmall, "888.88 µs");
  const float left = at.x + names + 8 * s;
  const float room = std::max(10.0f, at.x + width - figures - 8 * s - left);
  double longest = 1;
  for (const Bar& bar : bars) longest = std::max(longest, bar.ns);
  static SpanBatch batch;
  batch.clear();
  std::vector<Label> labels;
  float y = at.y;
  for (const Bar& bar : bars) {
    labels.push_back({at.x, y, names + 2, c.theme.as_text(Colour::Muted), FontRole::Small, bar.name, kBarRow * s});
    const float top = y + (kBarRow - kBar) / 2 * s;
    const float end = left + std::max(2 * s, static_cast<float>(bar.ns / longest) * room);
    if (bar.ns > 0) {
      const Colour ground = bar.style == SpanStyle::Solid ? bar.colour : Colour::PanelRaised;
      batch.styled(bar.style, left, top, end, top + kBar * s, c.theme[ground], c.theme[bar.colour], 2 * s);
    }
    const bool waits = bar.ns <= 0 && &bar == &bars[2] && tried.state == Tried::State::Measuring;
    const std::string figure = bar.ns > 0 ? time_text(bar.ns) : waits ? "…" : "–";
    const Colour ink = tried.state == Tried::State::Measuring && &bar == &bars[2] ? Colour::Muted : Colour::Text;
    labels.push_back({at.x + width - figures, y, figures + 2, c.theme.as_text(ink), FontRole::MonoSmall, figure,
                      kBarRow * s, LabelAlign::Right});
    y += kBarRow * s;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_labels(list, c.fonts, labels);
  ImGui::Dummy({width, y - at.y});
}

// "1.73x faster; the prediction was 1.2 % too short"
std::string outcome_text(const Tried& tried) {
  if (tried.state == Tried::State::Overtaken) return tr("Something else changed before it was measured.");
  if (tried.state == Tried::State::Measuring) return tr("measuring …");
  if (tried.before_ns <= 0) return tr("How long it took before is not known: the launch queue was still filling.");
  const double gain = analysis::factor_between(tried.before_ns, tried.measured_ns, tried.trial.work);
  std::string text = change_text(gain);
  if (tried.trial.work != 1) text += " " + std::string(tr("per sample"));
  const auto error = tried.error();
  if (!error) return text;
  const double percent = std::abs(*error) * 100;
  if (percent < 0.5) return text + " · " + tr("as predicted");
  return text + " · " +
         fmt::format(fmt::runtime(*error < 0 ? tr("predicted {:.1f} % too short") : tr("predicted {:.1f} % too long")),
                     percent);
}

void save_tried(ShellState& state) {
  const std::filesystem::path path = new_picture_path(state.preferences, "trials", ".csv");
  try {
    io::write_text_file(path, tried_csv(state.try_it.tried()));
    state.show_toast(std::string(tr("Table saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state.show_toast(error.what(), true);
  }
}

// A clickable word, on its own line or next to another one.
bool link(const Canvas& c, const char* id, const char* says) {
  const float width = text_width(c.fonts, FontRole::Small, says);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, id, {width + 2, 18 * c.scale});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const Label label{
      at.x, at.y,        width + 4, c.theme.as_text(hovered ? Colour::Text : Colour::Accent), FontRole::Small,
      says, 18 * c.scale};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
  return clicked;
}

// One line for an older trial: what was changed, and the result.
void draw_older(const Canvas& c, const Tried& tried) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float figures = text_width(c.fonts, FontRole::MonoSmall, change_text(88.8)) + 4 * c.scale;
  std::string says = "–";
  if (tried.state == Tried::State::Done && tried.before_ns > 0) {
    says = change_text(analysis::factor_between(tried.before_ns, tried.measured_ns, tried.trial.work));
  }
  const Label labels[] = {{at.x, at.y, width - figures, c.theme.as_text(Colour::Muted), FontRole::Small,
                           fit_text(c.fonts, FontRole::Small, tried.text, width - figures), kBarRow * c.scale},
                          {at.x + width - figures, at.y, figures, c.theme.as_text(Colour::Text), FontRole::MonoSmall,
                           says, kBarRow * c.scale, LabelAlign::Right}};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
  ImGui::Dummy({width, kBarRow * c.scale});
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s\n%s", tried.text.c_str(), outcome_text(tried).c_str());
}

}  // namespace

std::string prediction_text(const analysis::WhatIf& p) {
  if (!p.refusal.empty()) return tr("No prediction: {}", p.refusal);
  return tr("Predicted: {} per iteration ({} to {}) instead of {}.", time_text(p.recorded_ns / predicted_gain(p)),
            time_text(p.recorded_ns / p.most_factor), time_text(p.recorded_ns / p.least_factor),
            time_text(p.recorded_ns));
}

namespace {

// A button, and beside it, or below it where there is no room, the gain and what kind of number that is.
struct TryRow {
  GainText gain;
  std::string note, says;
  float button = 0, height = 0, gain_width = 0, note_width = 0;
  bool below = false;
};

TryRow try_row(const Canvas& c, const Offer& offer, float width) {
  const bool steers = c.state.model.steering() != nullptr;
  TryRow row{gain_text(offer), {}, steers ? fmt::format("{} {}", tr("Try"), offer.text) : offer.text};
  // What kind of number it is.
  if (row.gain.colour != Colour::Muted) row.note = tr("predicted");
  const float padding = (steers ? 18 : 2) * c.scale;
  row.says = wrapped_lines(c, FontRole::SmallBold, row.says, width - padding);
  const auto more_lines = std::ranges::count(row.says, '\n');
  row.button = more_lines > 0 ? width : text_width(c.fonts, FontRole::SmallBold, row.says) + padding;
  row.height = (kTryButton + kTryLine * static_cast<float>(more_lines)) * c.scale;
  row.gain_width = text_width(c.fonts, FontRole::BodyBold, row.gain.text);
  row.note_width = row.note.empty() ? 0 : text_width(c.fonts, FontRole::Small, row.note) + 5 * c.scale;
  row.below = row.button + 10 * c.scale + row.gain_width + row.note_width > width;
  return row;
}

// A card's knob in a watched program: the button, and below it what it turns; then how its trial goes.
struct ProgramRow {
  const attach::Knob* knob = nullptr;
  const attach::ProgramTrial* trial = nullptr;
  bool running = false;
};

ProgramRow program_row(const ShellState& state, const AdviceCard& card) {
  const ProgramTrials& trials = state.program_trials;
  const attach::Knob* knob = trials.watching() && trials.on() ? trials.knob(card.key) : nullptr;
  if (!knob || !knob->refused.empty()) return {};
  if (knob->kind == attach::KnobKind::Own && !trials.own_before(*knob)) return {};  // nobody knows what to set it to
  const attach::ProgramTrial* trial = trials.newest(*knob);
  return {knob, trial, trial && trial == trials.running()};
}

Rect draw_program_row(const Canvas& c, const ProgramRow& row, const Rect& area, bool card_hovered) {
  const float s = c.scale;
  const ShellState& state = c.state;
  // Once it has measured something, that needs the room.
  const bool again = row.trial && row.trial->over() && row.trial->result;
  const std::string says = row.running ? fmt::format("{} (Esc)", tr("Stop"))
                           : again     ? std::string(tr("Try again"))
                                       : std::string(tr("Try it in the program"));
  const float width = text_width(c.fonts, FontRole::SmallBold, says) + 18 * s;
  const Rect box{area.x, area.y + (kTryRow - kTryButton) * s, width, kTryButton * s};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = card_hovered && mouse.x >= box.x && mouse.x < box.x + box.width && mouse.y >= box.y &&
                       mouse.y < box.y + box.height;
  const bool other = state.program_trials.running() && !row.running;
  const bool primary = !row.running && !other && !again;
  const Colour quiet = card_hovered ? Colour::Line : Colour::PanelHovered;  // a hovered card has the other's colour
  const Colour ground = hovered ? Colour::Text : primary ? Colour::Accent : quiet;
  const Colour ink = hovered ? Colour::Panel : primary ? Colour::AccentInk : Colour::Text;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.x, box.y}, {box.x + box.width, box.y + box.height}, c.theme[ground], 4 * s);
  std::vector<Label> labels{{box.x + 9 * s, box.y, width, primary || hovered ? c.theme[ink] : c.theme.as_text(ink),
                             FontRole::SmallBold, says, box.height}};
  const float right = area.x + area.width, below = box.y + box.height + 2 * s;
  if (row.trial) {
    const TrialLook look = trial_look(state, *row.trial);
    const float room = right - box.x - width - 10 * s;
    const FontRole role = row.running ? FontRole::Small : FontRole::BodyBold;
    labels.push_back({right - room, box.y, room, c.theme.as_text(look.colour), role,
                      fit_text(c.fonts, role, look.measured, room), box.height, LabelAlign::Right});
    // Of the interval alone, nobody knows what kind of number it is.
    const float number = text_width(c.fonts, role, look.measured),
                kind = text_width(c.fonts, FontRole::Small, tr("measured"));
    if (again && kind + 6 * s + number <= room)
      labels.push_back({right - number - 6 * s - kind, box.y, kind + 2, c.theme.as_text(Colour::Muted), FontRole::Small,
                        tr("measured"), box.height});
    const float foretold = text_width(c.fonts, FontRole::Small, look.foretold) + 2;
    labels.push_back({right - foretold, below, foretold, c.theme.as_text(Colour::Muted), FontRole::Small, look.foretold,
                      kTryLine * s, LabelAlign::Right});
    const std::string turned = turn_text(row.trial->plan.knob, row.trial->plan.value);
    const float left = right - foretold - box.x - 8 * s;
    labels.push_back({box.x, below, left, c.theme.as_text(Colour::Muted), FontRole::Small,
                      fit_text(c.fonts, FontRole::Small, turned, left), kTryLine * s});
    if (card_hovered && !hovered && mouse.y >= box.y && mouse.y < below + kTryLine * s)
      ImGui::SetTooltip("%s", wrapped_lines(c, FontRole::Body, look.whole, 360 * s).c_str());
  } else {
    const std::string turns = turn_text(*row.knob, state.program_trials.value(*row.knob));
    labels.push_back({box.x, below, area.width, c.theme.as_text(Colour::Muted), FontRole::Small,
                      fit_text(c.fonts, FontRole::Small, turns, area.width), kTryLine * s});
  }
  draw_labels(list, c.fonts, labels);
  const float around = std::max(0.0f, kLeastTarget - kTryButton) / 2 * s;
  return other ? Rect{} : Rect{box.x, box.y - around, box.width, box.height + 2 * around};
}

}  // namespace

float try_row_height(const Canvas& c, const AdviceCard& card, float width) {
  if (program_row(c.state, card).knob) return (kTryRow + kTryLine + 4) * c.scale;
  const Offer* offer = c.state.try_it.offer(card.key);
  if (!offer && c.state.try_it.comparing(card.key)) return (kTryRow + 2) * c.scale;  // so that nothing moves then
  if (!offer) return 0;
  const TryRow row = try_row(c, *offer, width);
  return (kTryRow - kTryButton + 2) * c.scale + row.height + (row.below ? kTryButton * c.scale : 0);
}

Rect draw_try_row(const Canvas& c, const AdviceCard& card, const Rect& area, bool card_hovered) {
  const float s = c.scale;
  if (const ProgramRow row = program_row(c.state, card); row.knob) return draw_program_row(c, row, area, card_hovered);
  if (!c.state.try_it.offer(card.key)) return {};
  const Offer& offer = *c.state.try_it.offer(card.key);
  const TryRow row = try_row(c, offer, area.width);
  const bool steers = c.state.model.steering() != nullptr;
  const bool primary = steers && is_primary(offer);
  const Rect box{area.x, area.y + (kTryRow - kTryButton) * s, row.button, row.height};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = steers && card_hovered && mouse.x >= box.x && mouse.x < box.x + box.width && mouse.y >= box.y &&
                       mouse.y < box.y + box.height;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (steers) {
    const Colour ground = hovered ? Colour::Text : primary ? Colour::Accent : Colour::PanelHovered;
    list.AddRectFilled({box.x, box.y}, {box.x + box.width, box.y + box.height}, c.theme[ground], 4 * s);
  }
  const Colour ink = hovered ? Colour::Panel : primary ? Colour::AccentInk : Colour::Text;
  const float inset = steers ? 9 * s : 0;
  const float y = row.below ? box.y + box.height : box.y;
  const float right = area.x + area.width, gain_x = right - row.note_width - row.gain_width;
  const bool quiet = row.gain.colour == Colour::Muted;
  const float line = kTryButton * s;
  std::vector<Label> labels{{gain_x - 1, y, row.gain_width + 2, c.theme.as_text(row.gain.colour),
                             quiet ? FontRole::Small : FontRole::BodyBold, row.gain.text, line, LabelAlign::Right},
                            {right - row.note_width + 5 * s, y, row.note_width, c.theme.as_text(Colour::Muted),
                             FontRole::Small, row.note, line}};
  float text_y = box.y;
  for (std::size_t begin = 0; begin <= row.says.size(); text_y += kTryLine * s) {
    const std::size_t end = std::min(row.says.find('\n', begin), row.says.size());
    labels.push_back({box.x + inset, text_y, box.width - 2 * inset + 2,
                      primary || hovered ? c.theme[ink] : c.theme.as_text(ink), FontRole::SmallBold,
                      row.says.substr(begin, end - begin), line});
    begin = end + 1;
  }
  draw_labels(list, c.fonts, labels);
  const float around = std::max(0.0f, kLeastTarget - kTryButton) / 2 * s;
  return steers ? Rect{box.x, box.y - around, box.width, box.height + 2 * around} : Rect{};
}

void draw_tried(const Canvas& c) {
  ShellState& state = c.state;
  TryIt& try_it = state.try_it;
  const std::vector<Tried>& rows = try_it.tried();
  if (rows.empty()) return;
  heading(c, tr("TRIED"));
  note_place(c, "tried");
  const Tried& newest = rows.back();
  wrapped_text(c, FontRole::BodyBold, Colour::Text, newest.text);
  vertical_space(c, 2);
  draw_bars(c, newest);
  wrapped_text(c, FontRole::Small, newest.state == Tried::State::Done ? Colour::Text : Colour::Muted,
               outcome_text(newest));
  note_place(c, "tried.outcome");
  vertical_space(c, 2);
  const Steering* steering = state.model.steering();
  const bool holds = steering && steering->settings() == newest.after;
  if (holds) {
    if (link(c, "tried.back", tr("Undo"))) {
      const std::string problem = try_it.turn_back(state.model, newest);
      if (!problem.empty()) state.show_toast(problem, true);
    }
    ImGui::SameLine(0, 14 * c.scale);
  }
  if (link(c, "tried.csv", tr("Save as CSV"))) save_tried(state);
  ImGui::SameLine(0, 14 * c.scale);
  if (link(c, "tried.copy", tr("Copy"))) {
    ImGui::SetClipboardText(tried_markdown(rows).c_str());
    state.show_toast(tr("Table of trials copied as Markdown"));
  }
  constexpr std::size_t kOlder = 3;
  const std::size_t older = rows.size() - 1;
  const std::size_t shown = try_it.all ? older : std::min(older, kOlder);
  for (std::size_t i = 0; i < shown; ++i) draw_older(c, rows[older - 1 - i]);
  if (older > kOlder) {
    const std::string more = try_it.all ? std::string(tr("fewer")) : tr("{} more", older - shown);
    if (link(c, "tried.more", more.c_str())) try_it.all = !try_it.all;
  }
  vertical_space(c, 8);
}

}  // namespace lanescope::ui
