// The knobs of a watched program, in the row where a loop of ours has its own. A tick starts a trial, and what it has
// measured stands behind the knob, in a place that it has from the beginning.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/translate.h"
#include "inspect/figure_text.h"
#include "render/labels.h"
#include "window/panels/advice/advice_cards.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using attach::Knob;
using attach::KnobKind;
using attach::ProgramTrial;
using base::tr;

constexpr float kProgramGap = 18, kOutcome = 142, kStop = 46, kListWidth = 400, kOwnTrack = 110, kOwnValue = 56;
constexpr int kOwnSteps = 50;

std::string control_of(const Knob& knob) {
  const bool named = knob.kind == KnobKind::Variable || knob.kind == KnobKind::Own;
  const std::string what = named ? knob.name : std::to_string(knob.line);
  return fmt::format("program.{}.{}", attach::to_text(knob.kind), what);
}

std::optional<double> parsed_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
  return whole ? std::optional(number) : std::nullopt;
}

// --- a lanescope.knob() ----------------------------------------------------------------------------------------------

// What its slider reaches from end to end.
struct OwnScale {
  double least = 0, most = 1;
  bool whole = true;

  bool logarithmic() const { return least > 0 && most / least >= 100; }
  double position(double value) const {
    const double at =
        logarithmic() ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
    return std::clamp(at, 0.0, 1.0);
  }
  std::string value(double position) const {
    const double at = logarithmic() ? least * std::pow(most / least, position) : least + position * (most - least);
    return whole ? fmt::format("{}", std::llround(at)) : fmt::format("{:.3g}", at);
  }
};

std::optional<OwnScale> scale_of(const Knob& knob) {
  const std::optional<double> now = parsed_number(knob.value);
  if (!now) return std::nullopt;
  OwnScale scale;
  scale.whole = knob.value.find_first_of(".eE") == std::string::npos;
  const double size = *now != 0 ? std::abs(*now) : 10;
  scale.least = knob.least.value_or(*now < 0 ? -10 * size : scale.whole ? std::min(1.0, *now) : size / 10);
  scale.most = knob.most.value_or(std::max(*now, 0.0) + 9 * size);
  return scale.least < scale.most ? std::optional(scale) : std::nullopt;
}

std::vector<std::string> choices_of(const Knob& knob) {
  if (!knob.choices.empty()) return knob.choices;
  if (knob.value == "True" || knob.value == "False") return {"False", "True"};
  return {};
}

float own_width(const Canvas& c, const Knob& knob) {
  const float s = c.scale;
  float width = text_width(c.fonts, FontRole::Body, knob.name) + 8 * s;
  const std::vector<std::string> choices = choices_of(knob);
  for (const std::string& choice : choices) width += text_width(c.fonts, FontRole::BodyBold, choice) + 16 * s;
  if (!choices.empty()) return width;
  if (!scale_of(knob)) return width + text_width(c.fonts, FontRole::Mono, knob.value);
  return width + (kOwnTrack + kOwnValue + 8) * s;
}

void tooltip_of(const Canvas& c, const std::string& says) {
  ImGui::SetTooltip("%s", wrapped_lines(c, FontRole::Body, says, 380 * c.scale).c_str());
}

// Turned, it is set at once, and stays.
void draw_own(const Canvas& c, const Knob& knob, const Rect& place) {
  ShellState& state = c.state;
  ProgramTrials& trials = state.program_trials;
  const float s = c.scale, middle = place.y + place.height / 2;
  const std::string control = control_of(knob), now = trials.own_value(knob);
  const float label = text_width(c.fonts, FontRole::Body, knob.name) + 8 * s;
  draw_label(c, {place.x, place.y, label, place.height}, c.theme[Colour::Text], FontRole::Body, knob.name);
  if (ImGui::IsMouseHoveringRect({place.x, place.y}, {place.x + label, place.y + place.height}))
    tooltip_of(c, knob_help(knob));
  float x = place.x + label;
  const bool tried = trials.running() && trials.running()->plan.knob.name == knob.name;
  const auto set = [&](const std::string& value) {
    if (tried) return state.show_toast(tr("Another trial is running"));
    trials.set_own(state.model, knob, value);
  };
  const std::vector<std::string> choices = choices_of(knob);
  for (const std::string& choice : choices) {
    const float width = text_width(c.fonts, FontRole::BodyBold, choice) + 12 * s;
    ImGui::SetCursorScreenPos({x, middle - 13 * s});
    if (button(c, "knob." + control + "." + choice, choice, choice == now, width) && choice != now) set(choice);
    x += width + 4 * s;
  }
  if (!choices.empty()) return;
  const std::optional<OwnScale> scale = scale_of(knob);
  const std::optional<double> value = parsed_number(now);
  if (scale && value) {
    ImGui::SetCursorScreenPos({x, middle - 10 * s});
    const std::optional<double> moved =
        slider_track(c, "knob." + control, scale->position(*value), kOwnSteps, kOwnTrack * s);
    if (moved) set(scale->value(*moved));
    x += (kOwnTrack + 8) * s;
  }
  draw_label(c, {x, place.y, kOwnValue * s, place.height}, c.theme.as_text(Colour::Accent), FontRole::Mono, now);
}

// --- what a trial turns ----------------------------------------------------------------------------------------------

// "read every", "log_interval 10 →": the value that it is turned to stands behind it.
std::string label_before(const Knob& knob) {
  if (knob.kind == KnobKind::Variable) return fmt::format("{} {} →", knob.name, knob.value);
  return knob.kind == KnobKind::ReadEvery ? std::string(tr("read every")) : turn_text(knob, {});
}

float switch_width_of(const Canvas& c, const Knob& knob) {
  const float s = c.scale;
  const float label = text_width(c.fonts, FontRole::Body, label_before(knob)) + 26 * s;
  if (other_values(knob).empty()) return label;
  return label + text_width(c.fonts, FontRole::Mono, c.state.program_trials.value(knob)) + 26 * s;
}

// The value, and the others in a list.
void draw_trial_values(const Canvas& c, const Knob& knob, float x, const Rect& row, bool still) {
  ProgramTrials& trials = c.state.program_trials;
  const float s = c.scale, middle = row.y + row.height / 2;
  const std::string control = "value." + control_of(knob), now = trials.value(knob);
  const float width = text_width(c.fonts, FontRole::Mono, now) + 20 * s;
  ImGui::SetCursorScreenPos({x, middle - 13 * s});
  if (press_area(c, ("##" + control).c_str(), {width, 26 * s}) && !still) ImGui::OpenPopup("values");
  note_control(c, control);
  const bool hovered = ImGui::IsItemHovered() && !still;
  draw_label(c, {x, row.y, width, row.height},
             c.theme.as_text(still     ? Colour::Muted
                             : hovered ? Colour::Text
                                       : Colour::Accent),
             FontRole::Mono, now);
  const ImVec2 m{x + width - 9 * s, middle + s};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({m.x - 4 * s, m.y - 2 * s}, {m.x, m.y + 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  list.AddLine({m.x, m.y + 2 * s}, {m.x + 4 * s, m.y - 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  ImGui::SetNextWindowPos({x - 8 * s, row.y + row.height});
  if (!ImGui::BeginPopup("values")) return;
  for (const std::string& value : other_values(knob)) {
    const TextStyle style(c, FontRole::Mono, Colour::Text);
    const RowSpacing rows(c);
    if (ImGui::Selectable(value.c_str(), value == now)) trials.choose(knob, value);
    note_control(c, control + "." + value);
  }
  if (key_pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void draw_trial_switch(const Canvas& c, const Knob& knob, const Rect& place) {
  ShellState& state = c.state;
  const ProgramTrials& trials = state.program_trials;
  const float s = c.scale, middle = place.y + place.height / 2;
  const ProgramTrial* running = trials.running();
  const bool on = running && ProgramTrials::key_of(running->plan.knob) == ProgramTrials::key_of(knob);
  const bool waits = running && !on;
  const std::string control = "knob." + control_of(knob), label = label_before(knob);
  const float width = text_width(c.fonts, FontRole::Body, label) + 26 * s;
  ImGui::SetCursorScreenPos({place.x, middle - 14 * s});
  const bool clicked = press_area(c, ("##" + control).c_str(), {width, 28 * s});
  note_control(c, control);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) tooltip_of(c, waits ? std::string(tr("Another trial is running")) : knob_help(knob));
  const Rect box{place.x, middle - 8 * s, 16 * s, 16 * s};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low{box.x, box.y}, high{box.x + box.width, box.y + box.height};
  if (on) {
    list.AddRectFilled(low, high, c.theme[Colour::Accent], 4 * s);
    const ImVec2 tick[3] = {{low.x + 0.22f * box.width, low.y + 0.52f * box.width},
                            {low.x + 0.42f * box.width, low.y + 0.72f * box.width},
                            {low.x + 0.78f * box.width, low.y + 0.30f * box.width}};
    list.AddPolyline(tick, 3, c.theme[Colour::AccentInk], 0, 2 * s);
  } else {
    const Colour line = waits ? Colour::Faint : hovered ? Colour::Accent : Colour::Muted;
    list.AddRect(low, high, c.theme[line], 4 * s, 0, 1.5f * s);
  }
  draw_label(c, {place.x + 24 * s, place.y, width, place.height}, c.theme[waits ? Colour::Dim : Colour::Text],
             FontRole::Body, label);
  if (!other_values(knob).empty()) draw_trial_values(c, knob, place.x + width + 2 * s, place, running != nullptr);
  if (!clicked) return;
  if (on) {
    stop_trial(state);
  } else {
    try_knob(state, knob);
  }
}

// --- how its trial goes ----------------------------------------------------------------------------------------------

bool trial_shown(const ProgramTrials& trials, const Knob& knob, const ProgramTrial& trial) {
  return &trial == trials.running() || knob.kind == KnobKind::Own || trial.plan.value == trials.value(knob);
}

// Its place in the program, until there is a trial; then how far that is, and what it has measured.
void draw_outcome(const Canvas& c, const Knob& knob, const Rect& place) {
  ShellState& state = c.state;
  ProgramTrials& trials = state.program_trials;
  const float s = c.scale;
  const ProgramTrial* trial = trials.newest(knob);
  if (trial && !trial_shown(trials, knob, *trial)) trial = nullptr;
  const std::string control = control_of(knob);
  const Rect upper{place.x, place.y + 2 * s, place.width, place.height / 2};
  const Rect lower{place.x, place.y + place.height / 2 - 2 * s, place.width, place.height / 2};
  // Of her own value, the two that a trial compares.
  const auto before = knob.kind == KnobKind::Own ? trials.own_before(knob) : std::nullopt;
  const bool stale = trial && before && trial->over() &&
                     (trial->plan.value != trials.own_value(knob) || trial->plan.knob.value != *before);
  if (before && trials.on() && (!trial || stale)) {
    ImGui::SetCursorScreenPos({place.x, place.y + (place.height - 26 * s) / 2});
    const std::string says = fmt::format("{} {} → {}", tr("Try"), *before, trials.own_value(knob));
    if (button(c, "knob." + control + ".try", fit_text(c.fonts, FontRole::Body, says, place.width - 24 * s), false,
               place.width, tr("compares the two in the running program")))
      try_knob(state, knob);
    return;
  }
  if (!trial) {
    const std::string at = knob.place();
    draw_label(c, place, c.theme[Colour::Muted], FontRole::Small,
               fit_text(c.fonts, FontRole::Small, at.empty() ? std::string(tr("everywhere")) : at, place.width));
    return;
  }
  const TrialLook look = trial_look(state, *trial);
  const bool running = !trial->over();
  const float room = place.width - (running ? kStop * s : 0);
  const bool two = running || !look.foretold.empty();
  draw_label(c, two ? upper : place, c.theme.as_text(look.colour), running ? FontRole::Small : FontRole::SmallBold,
             fit_text(c.fonts, FontRole::SmallBold, look.measured, room));
  state.places["outcome." + control] = place;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (running) {
    const float y = lower.y + lower.height / 2 - 2 * s;
    const float share = static_cast<float>(trial->blocks.size()) / static_cast<float>(std::max(1u, trial->plan.blocks));
    list.AddRectFilled({place.x, y}, {place.x + room - 8 * s, y + 4 * s}, c.theme[Colour::Faint], 2 * s);
    list.AddRectFilled({place.x, y}, {place.x + std::min(1.0f, share) * (room - 8 * s), y + 4 * s},
                       c.theme[Colour::Accent], 2 * s);
    ImGui::SetCursorScreenPos({place.x + room, place.y + (place.height - 26 * s) / 2});
    if (button(c, "knob." + control + ".stop", tr("Stop"), false, kStop * s, "Esc")) stop_trial(state);
  } else if (two) {
    draw_label(c, lower, c.theme[Colour::Muted], FontRole::Small,
               fit_text(c.fonts, FontRole::Small, look.foretold, place.width));
  }
  if (ImGui::IsMouseHoveringRect({place.x, place.y}, {place.x + room, place.y + place.height}))
    tooltip_of(c, look.whole);
}

float knob_width(const Canvas& c, const Knob& knob) {
  const float own = knob.kind == KnobKind::Own ? own_width(c, knob) : switch_width_of(c, knob);
  return own + (8 + kOutcome) * c.scale;
}

void draw_program_knob(const Canvas& c, const Knob& knob, const Rect& place, int number) {
  ImGui::PushID(number);
  const float outcome = kOutcome * c.scale;
  const Rect control{place.x, place.y, place.width - outcome - 8 * c.scale, place.height};
  knob.kind == KnobKind::Own ? draw_own(c, knob, control) : draw_trial_switch(c, knob, control);
  draw_outcome(c, knob, {place.x + place.width - outcome, place.y, outcome, place.height});
  ImGui::PopID();
}

// --- the others ------------------------------------------------------------------------------------------------------

void draw_refused(const Canvas& c, const Knob& knob, float width) {
  const std::string place = knob.place(), what = knob.kind == KnobKind::Variable ? knob.name : label_before(knob);
  text(c, FontRole::Body, Colour::Dim, place.empty() ? what : what + "  " + place);
  text(c, FontRole::Small, Colour::Muted, wrapped_lines(c, FontRole::Small, knob.refused, width));
  vertical_space(c, 8);
}

void draw_knob_list(const Canvas& c, const std::vector<const Knob*>& others, const std::vector<const Knob*>& refused) {
  const float s = c.scale, width = (kListWidth - 32) * s, row = 36 * s;
  int number = 1000;
  for (const Knob* knob : others) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_program_knob(c, *knob, {at.x, at.y, std::max(width, knob_width(c, *knob)), row}, number++);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, row});
  }
  if (!others.empty() && !refused.empty()) vertical_space(c, 8);
  if (!refused.empty()) text(c, FontRole::SmallBold, Colour::Dim, tr("CANNOT BE TURNED"));
  for (const Knob* knob : refused) draw_refused(c, *knob, width);
}

void draw_others(const Canvas& c, const std::vector<const Knob*>& others, const std::vector<const Knob*>& refused,
                 const Rect& place) {
  if (others.empty() && refused.empty()) return;
  const float s = c.scale;
  const std::string says = others.empty() ? std::string("…") : tr("{} more", others.size());
  const float width = text_width(c.fonts, FontRole::Body, says) + 20 * s;
  ImGui::SetCursorScreenPos({place.x, place.y + (place.height - 26 * s) / 2});
  if (press_area(c, "##program.more", {width, 26 * s})) ImGui::OpenPopup("program_knobs");
  note_control(c, "program.more");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && others.empty()) ImGui::SetTooltip("%s", tr("what cannot be turned here, and why"));
  draw_label(c, {place.x, place.y, width, place.height}, c.theme.as_text(hovered ? Colour::Accent : Colour::Muted),
             FontRole::Body, says);
  const float most = ImGui::GetIO().DisplaySize.y - place.y - place.height - 20 * s;
  ImGui::SetNextWindowPos({std::max(0.0f, std::min(place.x, ImGui::GetIO().DisplaySize.x - (kListWidth + 60) * s)),
                           place.y + place.height});
  ImGui::SetNextWindowSizeConstraints({kListWidth * s, 0}, {2 * kListWidth * s, std::max(100 * s, most)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {16 * s, 14 * s});
  if (ImGui::BeginPopup("program_knobs")) {
    draw_knob_list(c, others, refused);
    if (key_pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace

TrialLook trial_look(const ShellState& state, const ProgramTrial& trial) {
  TrialLook look;
  look.measured = short_text(trial);
  const auto& result = trial.result;
  if (trial.over() && result && result->differs) look.colour = result->most < 1 ? Colour::Wait : Colour::Good;
  look.whole = attach::result_text(trial);
  const analysis::WhatIf* foretold = state.program_trials.foretold(trial);
  if (!foretold) return look;
  look.whole += '\n' + prediction_text(*foretold);
  if (foretold->refusal.empty())
    look.foretold = tr("predicted {}", interval_text(foretold->least_factor, foretold->most_factor));
  return look;
}

void draw_program_knobs(const Canvas& c, float left, float right, float y, float height) {
  const ProgramTrials& trials = c.state.program_trials;
  const float s = c.scale;
  const std::vector<const Knob*> offered = trials.offered(), refused = trials.refused();
  std::vector<const Knob*> shown, others;
  const float more = 80 * s;
  float x = left;
  bool full = false;
  for (const Knob* knob : offered) {
    const float width = knob_width(c, *knob);
    full = full || x + width > right - more;
    (full ? others : shown).push_back(knob);
    if (!full) x += width + kProgramGap * s;
  }
  x = left;
  int number = 0;
  for (const Knob* knob : shown) {
    const float width = knob_width(c, *knob);
    draw_program_knob(c, *knob, {x, y, width, height}, number++);
    x += width + kProgramGap * s;
  }
  const std::string none = trials.why_none();
  const float room = right - x;
  if (!none.empty() && room > 120 * s) {
    const std::string says = fit_text(c.fonts, FontRole::Small, none, room - more);
    draw_label(c, {x, y, room - more, height}, c.theme[Colour::Muted], FontRole::Small, says);
    const float width = text_width(c.fonts, FontRole::Small, says);
    c.state.places["program.none"] = {x, y, width, height};
    if (says != none && ImGui::IsMouseHoveringRect({x, y}, {x + width, y + height})) tooltip_of(c, none);
    x += width + kProgramGap * s;
  }
  // In a narrow window there may be no room for one: then all are in the list.
  draw_others(c, others, refused, {std::min(x, right - more), y, more, height});
}

}  // namespace lanescope::ui
