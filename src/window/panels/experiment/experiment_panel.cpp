#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "experiment/named_figure.h"
#include "experiment/published_numbers.h"
#include "inspect/figure_text.h"
#include "picture/words.h"
#include "render/labels.h"
#include "window/panels/advice/advice_cards.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using experiment::Experiment;
using experiment::Measured;
using experiment::Side;

constexpr int kFoldedLines = 3;
constexpr double kAlike = 0.03;  // sides that differ by less are the same

std::string in_words(const Canvas& c, Word w) { return word(w, c.state.language()); }

// Continues the line with a text whose right edge is at `right`.
void text_ending_at(const Canvas& c, float right, FontRole role, Colour colour, const std::string& t) {
  ImGui::SameLine(right - text_width(c.fonts, role, t));
  text(c, role, colour, t);
}

// A long text is cut after a few lines until the user unfolds it.
void folded_text(const Canvas& c, Colour colour, const char* id, const std::string& says, float width, bool& open) {
  std::string lines = wrapped_lines(c, FontRole::Body, says, width);
  std::size_t end = 0;
  for (int i = 0; i < kFoldedLines && end != std::string::npos; ++i) end = lines.find('\n', end + (i > 0));
  // A single further line takes no more space than the word that unfolds it.
  const bool folds = end != std::string::npos && lines.find('\n', end + 1) != std::string::npos;
  if (folds && !open) lines.resize(end);
  text(c, FontRole::Body, colour, lines);
  if (!folds) return;
  text(c, FontRole::Body, Colour::Accent, in_words(c, open ? Word::Less : Word::More) + (open ? "" : " …"));
  if (press_text(c, id)) open = !open;
  note_control(c, id);
}

void draw_header(const Canvas& c, const Experiment& e) {
  vertical_space(c, 14);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(y + 3 * c.scale);
  const std::string full = in_words(c, Word::Experiment) + "  " + e.id;
  const bool fits = text_width(c.fonts, FontRole::SmallBold, full) < ImGui::GetContentRegionAvail().x - 92 * c.scale;
  text(c, FontRole::SmallBold, Colour::Dim, fits ? full : e.id);
  note_place(c, "experiment.code");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", code_text(e).c_str());
  ImGui::SetCursorPosY(y);
  language_switch(c, right);
  vertical_space(c, 4);
  draw_gallery_button(c);
  vertical_space(c, 12);
  wrapped_text(c, FontRole::Title, Colour::Text, e.title[c.state.language()]);
  vertical_space(c, 4);
  folded_text(c, Colour::Muted, "fold", e.shows[c.state.language()], ImGui::GetContentRegionAvail().x,
              c.state.experiment.shows_open);
}

// One half of the switch; `height` is that of the taller label.
bool draw_half(const Canvas& c, Side side, const std::string& lines, bool on, float width, float height) {
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string id = "side." + std::string(side_key(side));
  const bool clicked = press_area(c, id.c_str(), {width, height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Colour ground = on ? Colour::Accent : hovered ? Colour::PanelHovered : Colour::PanelRaised;
  list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[ground], 6 * s);
  outline(c, {at.x, at.y, width, height}, 6, hovered);
  const std::uint32_t strong = c.theme[on ? Colour::AccentInk : Colour::Text];
  const std::uint32_t weak = c.theme[on ? Colour::AccentInk : Colour::Muted];
  const Label title{at.x + 10 * s, at.y + 6 * s,       width - 16 * s,
                    strong,        FontRole::BodyBold, in_words(c, side == Side::Before ? Word::Before : Word::After),
                    18 * s};
  draw_labels(list, c.fonts, {&title, 1});
  list.AddText(c.fonts[FontRole::Small], c.fonts.size(FontRole::Small), {at.x + 10 * s, at.y + 26 * s}, weak,
               lines.data(), lines.data() + lines.size());
  return clicked;
}

void draw_switch(const Canvas& c, const Experiment& e, std::optional<Side> now) {
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = 4 * s;
  const float half = (width - gap) / 2;
  std::array<std::string, 2> lines;
  std::ptrdiff_t most = 1;
  for (const Side side : {Side::Before, Side::After}) {
    std::string& wrapped = lines[static_cast<std::size_t>(side)];
    wrapped = wrapped_lines(c, FontRole::Small, e.side(side).label[c.state.language()], half - 16 * s);
    most = std::max(most, std::count(wrapped.begin(), wrapped.end(), '\n') + 1);
  }
  const float height = 34 * s + static_cast<float>(most) * c.fonts.size(FontRole::Small);
  for (const Side side : {Side::Before, Side::After}) {
    if (side == Side::After) ImGui::SameLine(0, gap);
    if (draw_half(c, side, lines[static_cast<std::size_t>(side)], now == side, half, height))
      c.state.requests.side = side;
    const ActionInfo& flip = info(Action::FlipSide);
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("%s", fmt::format("{} ({})", base::tr(flip.text), key_text(flip.keys.front())).c_str());
    }
  }
  // The line stays when it is empty: what is below must not move under the hand that turns a knob.
  const std::string by_hand = fit_text(c.fonts, FontRole::Small, in_words(c, Word::ChangedByHand), width);
  text(c, FontRole::Small, Colour::Simulated, now ? " " : by_hand);
}

void draw_turned_knob(const Canvas& c, const Experiment& e) {
  const workload::Settings settings = c.state.model.steering()->settings();
  const std::string& says = e.knob[c.state.language()];
  const workload::SettingSpec* spec = e.turned_knob.empty() ? nullptr : settings.spec(e.turned_knob);
  if (says.empty() && !spec) return;
  const float s = c.scale;
  vertical_space(c, 14);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Indent(12 * s);
  text(c, FontRole::SmallBold, Colour::Accent, in_words(c, Word::Turn));
  if (!says.empty()) wrapped_text(c, FontRole::Small, Colour::Muted, says);
  if (spec) {
    vertical_space(c, 6);
    draw_knob(c, settings, *spec);
  }
  ImGui::Unindent(12 * s);
  const float bottom = ImGui::GetItemRectMax().y;
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 3 * s, bottom}, c.theme[Colour::Accent], 1.5f * s);
}

void draw_watch(const Canvas& c, const Experiment& e) {
  vertical_space(c, 14);
  text(c, FontRole::SmallBold, Colour::Dim, in_words(c, Word::Watch));
  wrapped_text(c, FontRole::Body, Colour::Text, e.watch[c.state.language()]);
}

// Three figures for each side, and the factor between them.
void draw_this_run(const Canvas& c, const ActiveExperiment& active, std::optional<Side> now) {
  const Measured* before = active.measured(Side::Before);
  const Measured* after = active.measured(Side::After);
  const bool fills =
      now && c.state.model.recent_is_current() && c.state.model.recent().pace.basis == analysis::PaceBasis::QueueMoves;
  if (!before && !after && !fills) return;
  heading(c, in_words(c, Word::ThisRun).c_str());
  if (fills) wrapped_text(c, FontRole::Small, Colour::Simulated, in_words(c, Word::QueueFills));
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  const float middle = start + width - 74 * c.scale;
  const float right = start + width;
  const auto line = [&](const std::string& name, FontRole role, const std::string& a, const std::string& b) {
    const auto colour = [&](Side side) { return now == side ? Colour::Accent : Colour::Muted; };
    text(c, FontRole::Small, Colour::Muted, name);
    text_ending_at(c, middle, role, colour(Side::Before), a);
    text_ending_at(c, right, role, colour(Side::After), b);
  };
  const auto value = [&](const Measured* m, auto of) { return m ? of(m->summary) : std::string("–"); };
  const auto row = [&](Word name, auto of) {
    line(in_words(c, name), FontRole::MonoSmall, value(before, of), value(after, of));
  };
  // The side that runs is marked by more than its colour.
  const auto title = [&](Side side, Word name) {
    return now == side ? base::tr("{} (now)", in_words(c, name)) : in_words(c, name);
  };
  line(" ", FontRole::Small, title(Side::Before, Word::Before), title(Side::After, Word::After));
  row(Word::Iteration, [](const analysis::Summary& s) { return pace_text(s.pace); });
  const experiment::InPytorch* in_pytorch = active.in_pytorch();
  if (in_pytorch != nullptr) {
    const auto pace = [&](std::size_t side) { return pace_text(in_pytorch->sides[side].measured.summary.pace); };
    line(base::tr("in PyTorch"), FontRole::MonoSmall, pace(0), pace(1));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", in_pytorch->machine().c_str());
    note_place(c, "in PyTorch");
  }
  if (before && after && gain_between(*before, *after).per_sample) {
    line(base::tr("sample"), FontRole::MonoSmall, sample_text(before->summary.pace, before->batch_size),
         sample_text(after->summary.pace, after->batch_size));
  }
  row(Word::GpuBusy, [](const analysis::Summary& s) {
    const double share =
        100.0 * static_cast<double>(s.gpu_busy_ns) / std::max(1.0, static_cast<double>(s.gpu_window_ns()));
    return fmt::format("{:.{}f} %", share, share > 0 && share < 2 ? 1 : 0);
  });
  row(Word::SyncsPerIteration, [](const analysis::Summary& s) {
    return fmt::format("{:.2f}", static_cast<double>(s.sync_count) / static_cast<double>(s.iteration.count));
  });
  if (!before || !after) return;
  const analysis::Gain gain = gain_between(*before, *after);
  const double factor = gain.factor;
  if (!gain.known()) return;
  const bool alike = std::abs(factor - 1) < kAlike;
  const Word says = alike ? Word::TheSame : factor > 1 ? Word::Faster : Word::Slower;
  vertical_space(c, 4);
  text(c, FontRole::Small, Colour::Muted, in_words(c, Word::Before) + " → " + in_words(c, Word::After));
  text_ending_at(c, right, FontRole::BodyBold,
                 alike        ? Colour::Text
                 : factor > 1 ? Colour::Good
                              : Colour::Wait,
                 (alike ? "" : factor_text(std::max(factor, 1 / factor)) + " ") + in_words(c, says));
  note_place(c, "factor");
  wrapped_text(c, FontRole::Small, Colour::Dim,
               fmt::format("{}, {}", of_what(gain), factor_basis(before->summary.pace, after->summary.pace)));
  const std::string otherwise = in_pytorch != nullptr ? disagreement(*in_pytorch, *before, *after) : "";
  if (!otherwise.empty()) {
    vertical_space(c, 4);
    wrapped_text(c, FontRole::Body, Colour::Simulated, otherwise);
    note_place(c, "disagreement");
  }
}

// The machine, and why there is no number next to it or why that number proves nothing.
std::string published_tip(const Canvas& c, const ActiveExperiment::Row& row) {
  const experiment::Published& p = *row.compared.published;
  std::string tip = p.environment[c.state.language()];
  if (p.figure.empty()) {
    tip += "\n" + in_words(c, Word::NoFigure);
  } else if (!row.compared.ours) {
    tip += "\n" + in_words(c, p.settings.empty() ? Word::FlipToMeasure : Word::OwnSettings);
  }
  if (row.checking.check == experiment::Check::Unchecked) tip += "\n" + p.unchecked[c.state.language()];
  for (const std::string& number : row.checking.fitted) {
    tip += "\n" + base::tr("The profile’s {} comes from it.", number);
  }
  return tip;
}

Colour check_colour(experiment::Check check) {
  return check == experiment::Check::Checked ? Colour::Good : Colour::Dim;
}

// Per number: its name; published | here | in PyTorch; its quality; and its check status.
void draw_published(const Canvas& c, const ActiveExperiment& active) {
  const Experiment& e = active.experiment();
  if (e.published.empty()) return;
  const float s = c.scale;
  const experiment::Language language = c.state.language();
  heading(c, in_words(c, Word::PublishedBeside).c_str());
  const float start = ImGui::GetCursorPosX();
  const float right = start + ImGui::GetContentRegionAvail().x;
  const float here = right - 74 * s;
  text(c, FontRole::Small, Colour::Dim, in_words(c, Word::Published));
  text_ending_at(c, here, FontRole::Small, Colour::Dim, base::tr("here"));
  text_ending_at(c, right, FontRole::Small, Colour::Dim, base::tr("in PyTorch"));
  vertical_space(c, 4);
  const auto in_pytorch = published_in_pytorch(e, active.in_pytorch());
  const std::vector<ActiveExperiment::Row> rows = active.published();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ActiveExperiment::Row& each = rows[i];
    const experiment::Compared& row = each.compared;
    const experiment::Published& p = *row.published;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    wrapped_text(c, FontRole::Small, Colour::Muted,
                 p.label[language] + (p.source.empty() ? "" : "  (" + p.source + ")"));
    const auto with_unit = [&](double v) {
      return figure_text(v) + (p.unit == "x" ? "x" : " " + experiment::unit_in_words(p.unit));
    };
    const std::string published = with_unit(p.value), ours = row.ours ? with_unit(*row.ours) : "–";
    text(c, FontRole::MonoSmall, Colour::Text, published);
    const bool beside = text_width(c.fonts, FontRole::MonoSmall, published + ours) + 8 * s <= here - start;
    if (!beside) text(c, FontRole::MonoSmall, Colour::Text, " ");
    text_ending_at(c, here, FontRole::MonoSmall, row.ours ? Colour::Accent : Colour::Muted, ours);
    text_ending_at(c, right, FontRole::MonoSmall, Colour::Muted, in_pytorch[i] ? with_unit(*in_pytorch[i]) : "–");
    wrapped_text(c, FontRole::Small, quality_colour(p.quality), word(p.quality, language));
    wrapped_text(c, FontRole::Small, check_colour(each.checking.check), base::tr(checking_text(each.checking)));
    note_place(c, "published." + p.name);
    const ImVec2 low{at.x, at.y};
    if (ImGui::IsMouseHoveringRect(low, {low.x + right - start, ImGui::GetItemRectMax().y}) &&
        ImGui::IsWindowHovered()) {
      ImGui::SetTooltip("%s", published_tip(c, each).c_str());
    }
    vertical_space(c, 9);
  }
}

}  // namespace

Colour quality_colour(experiment::Quality quality) {
  switch (quality) {
    case experiment::Quality::Measured:
      return Colour::Good;
    case experiment::Quality::Impossible:
      return Colour::Wait;
    default:
      return Colour::Simulated;
  }
}

void draw_gallery_button(const Canvas& c) {
  const std::string key = key_text(info(Action::Gallery).keys.front());
  if (button(c, "gallery.open", in_words(c, Word::AllExperiments) + "  (" + key + ")", false,
             ImGui::GetContentRegionAvail().x)) {
    c.state.requests.actions.push_back(Action::Gallery);
  }
}

void draw_correction(const Canvas& c, const std::string& says, bool* open) {
  if (says.empty()) return;
  const float s = c.scale;
  const float pad = 12 * s;
  vertical_space(c, 16);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::BeginGroup();
  ImGui::Dummy({0, 2 * s});
  ImGui::Indent(pad);
  text(c, FontRole::SmallBold, Colour::Simulated, in_words(c, Word::TutorialErrs));
  if (open) {
    folded_text(c, Colour::Text, "fold.correction", says, width - 2 * pad, *open);
  } else {
    text(c, FontRole::Body, Colour::Text, wrapped_lines(c, FontRole::Body, says, width - 2 * pad));
  }
  ImGui::Unindent(pad);
  ImGui::Dummy({0, 2 * s});
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y;
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(at, {at.x + width, bottom}, c.theme[Colour::PanelRaised], 6 * s);
  list.AddRectFilled(at, {at.x + 3 * s, bottom}, c.theme[Colour::Simulated], 1.5f * s);
  list.ChannelsMerge();
}

void draw_experiment_controls(const Canvas& c) {
  const ActiveExperiment& active = *c.state.experiment.active;
  const std::optional<Side> now = active.side_of(c.state.model.steering()->settings());
  draw_switch(c, active.experiment(), now);
  draw_turned_knob(c, active.experiment());
  draw_this_run(c, active, now);
  draw_published(c, active);
  draw_own_figures(c);
  draw_correction(c, active.experiment().correction[c.state.language()], &c.state.experiment.correction_open);
}

void draw_hidden(const Canvas& c) {
  vertical_space(c, 12);
  const bool by_hand = c.state.hide_answers;
  wrapped_text(c, FontRole::Body, Colour::Muted,
               by_hand ? base::tr("Answers are hidden ({} shows them).", keys_text(info(Action::HideAnswers)))
                       : base::tr("Hidden until the question is answered."));
  note_place(c, "hidden");
}

void draw_experiment(const Canvas& c) {
  ShellState& state = c.state;
  const ActiveExperiment& active = *state.experiment.active;
  const Experiment& e = active.experiment();
  const workload::Settings settings = state.model.steering()->settings();
  const std::optional<Side> now = active.side_of(settings);
  draw_header(c, e);
  const std::string& told = e.device_of(active.side());
  const std::string device = state.model.source().device().id;
  if (told != device) {
    wrapped_text(c, FontRole::Small, Colour::Dim,
                 in_words(c, Word::DescribedOn) + " " + told + " · " + in_words(c, Word::RunningOn) + " " + device);
  }
  vertical_space(c, 12);
  draw_switch(c, e, now);
  draw_turned_knob(c, e);
  draw_watch(c, e);
  if (answers_hidden(state)) {
    draw_hidden(c);
  } else {
    draw_this_run(c, active, now);
    draw_published(c, active);
    draw_own_figures(c);
    draw_correction(c, e.correction[state.language()], &state.experiment.correction_open);
  }
  heading(c, in_words(c, Word::OtherKnobs).c_str());
  for (const workload::SettingSpec& spec : settings.specs()) {
    if (spec.key != e.turned_knob) draw_knob(c, settings, spec);
  }
  draw_tried(c);
  heading(c, in_words(c, Word::FreePlay).c_str());
  draw_workload_choice(c);
  vertical_space(c, 14);
}

}  // namespace lanescope::ui
