#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/figure.h"
#include "base/translate.h"
#include "inspect/figure_text.h"
#include "model/experiment/active_experiment.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "window/panels/advice/advice_cards.h"
#include "window/panels/code/code_view.h"
#include "window/panels/compare/compare_panel.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::CauseGroup;
using analysis::Summary;
using analysis::VerdictKind;
using base::tr;

// Three columns: the name, the value before the knob was turned, the value now.
void draw_figures(const Canvas& c, const Summary& now, const Summary& before) {
  if (before.iteration.count == 0) {
    for (const auto& [name, values] : figure_lines(std::array{&now})) figure_line(c, name, values[0]);
    return;
  }
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  const auto right_aligned = [&](const std::string& t, float right, FontRole role, Colour colour) {
    ImGui::SameLine(start + right - text_width(c.fonts, role, t));
    text(c, role, colour, t);
  };
  text(c, FontRole::Small, Colour::Dim, " ");
  right_aligned(tr("before"), width * 0.68f, FontRole::Small, Colour::Dim);
  right_aligned(tr("now"), width, FontRole::Small, Colour::Dim);
  for (const auto& [name, values] : figure_lines(std::array{&now, &before})) {
    const float name_width = width * 0.68f - text_width(c.fonts, FontRole::MonoSmall, values[1]) - 6 * c.scale;
    text(c, FontRole::Small, Colour::Muted, fit_text(c.fonts, FontRole::Small, name, name_width));
    right_aligned(values[1], width * 0.68f, FontRole::MonoSmall, Colour::Muted);
    right_aligned(values[0], width, FontRole::MonoSmall, Colour::Text);
  }
}

/// True if the table of trials already shows this turn.
bool is_trial(const ShellState& state) {
  const auto& tried = state.try_it.tried();
  return !tried.empty() && tried.back().state != Tried::State::Overtaken &&
         tried.back().generation == state.model.generation() && tried.back().version == state.model.last_turn_version();
}

// What the latest turn of a knob changed, in three figures: from, to, and the factor.
void draw_last_turn(const Canvas& c, const Summary& now, const Summary& before) {
  heading(c, tr("LAST CHANGE"));
  wrapped_text(c, FontRole::Body, Colour::Text, c.state.model.last_turn());
  note_place(c, "last_turn");
  vertical_space(c, 4);
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = 8 * c.scale;
  const auto line = [&](const char* name, const std::string& from, const std::string& to, const std::string& factor,
                        Colour colour) {
    const float factor_width = 46 * c.scale;
    const std::string both = from + " → " + to;
    const float both_x = std::max(0.0f, width - factor_width - text_width(c.fonts, FontRole::MonoSmall, both));
    text(c, FontRole::Small, Colour::Muted, name);
    if (text_width(c.fonts, FontRole::Small, name) + gap <= both_x) {
      ImGui::SameLine(start + both_x);
    } else {
      ImGui::SetCursorPosX(start + both_x);
    }
    text(c, FontRole::MonoSmall, Colour::Text, both);
    if (factor.empty()) return;
    ImGui::SameLine(start + width - text_width(c.fonts, FontRole::SmallBold, factor));
    text(c, FontRole::SmallBold, colour, factor);
  };
  const Model& model = c.state.model;
  const analysis::Gain gain = analysis::gain_between(before.pace, model.batch_before(), now.pace, model.batch_now());
  const double factor = gain.factor;
  const bool settled = model.recent_is_current() && gain.known();
  const Colour good = !settled         ? Colour::Muted
                      : factor >= 1.03 ? Colour::Good
                      : factor < 0.97  ? Colour::Wait
                                       : Colour::Muted;
  const bool unknown_before = !before.pace.known();
  const std::string says = settled ? factor_text(factor) : unknown_before ? "–" : "…";
  line(tr("iteration"), pace_text(before.pace), pace_text(now.pace), gain.per_sample ? "" : says, good);
  if (gain.per_sample) {
    line(tr("sample"), sample_text(before.pace, model.batch_before()), sample_text(now.pace, model.batch_now()), says,
         good);
  }
  for (const char* key : {"gpu_busy_ns", "sync_count"}) {
    const analysis::Figure& figure = analysis::figure(key);
    line(label_of(figure, figure.usual).c_str(), text_of(figure, before, figure.usual),
         text_of(figure, now, figure.usual), "", Colour::Text);
  }
  std::string basis = gain.known()     ? fmt::format("{}, {}", of_what(gain), factor_basis(before.pace, now.pace))
                      : unknown_before ? tr("before: {}", why_unknown(before.pace))
                                       : why_unknown(now.pace);
  if (good == Colour::Good) basis = tr("{} faster", factor_text(factor)) + " " + basis;
  if (good == Colour::Wait) basis = tr("{} slower", factor_text(1 / factor)) + " " + basis;
  wrapped_text(c, FontRole::Small, Colour::Dim, basis);
}

// A value read before its copy had ended is wrong: nothing else on this panel is as important.
void draw_stale_reads(const Canvas& c) {
  const std::int64_t count = c.state.model.recent_stale_reads();
  if (count == 0) return;
  vertical_space(c, 6);
  wrapped_text(c, FontRole::BodyBold, Colour::NotArrived,
               tr("{} reads before the copy had finished", base::format_count(count)));
  note_place(c, "stale_reads");
  vertical_space(c, 4);
}

}  // namespace

Colour verdict_colour(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::SyncBound:
    case VerdictKind::RankBound:
      return Colour::Wait;
    case VerdictKind::Race:
      return Colour::NotArrived;
    case VerdictKind::LaunchBound:
    case VerdictKind::CpuBound:
      return Colour::Launch;
    case VerdictKind::CopyBound:
      return Colour::CopyH2D;
    case VerdictKind::LoaderBound:
      return Colour::CopyD2H;
    case VerdictKind::GpuBound:
      return Colour::Good;
    default:
      return Colour::Muted;
  }
}

void draw_share_bar(const Canvas& c, const Summary& s) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = 16 * c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, height + 2 * c.scale});
  note_place(c, "verdict.bar");
  // Of the stretch that the verdict is of, so that its shares stand here, too.
  const bool judged = s.judged.to_ns > s.judged.from_ns;
  const analysis::CauseTimes& idle = judged ? s.judged.bubble_by_cause_ns : s.bubble_by_cause_ns;
  const auto part = [&](CauseGroup group) { return static_cast<double>(idle_of(idle, group)); };
  // A group that is mostly one cause is called by its name.
  const auto called = [&](analysis::BubbleCause cause, const char* name, const char* group_name) {
    return 2 * idle_of(idle, cause) >= idle_of(idle, group_of(cause)) ? name : group_name;
  };
  struct Share {
    double ns;
    SpanStyle style;
    Colour colour, ink;
    const char* name;
  };
  const Share shares[] = {
      {static_cast<double>(judged ? s.judged.busy_ns : s.gpu_busy_ns), SpanStyle::Solid, Colour::Kernel, Colour::Kernel,
       tr("busy")},
      {part(CauseGroup::AfterSync), SpanStyle::Hatched, Colour::WaitGround, Colour::Wait,
       2 * s.judged.after_read_ns >= idle_of(idle, CauseGroup::AfterSync) ? tr("after a read") : tr("after a wait")},
      {part(CauseGroup::Launch), SpanStyle::Dashed, Colour::PanelRaised, Colour::Launch,
       called(analysis::BubbleCause::Allocation, tr("allocating"), tr("launch"))},
      {part(CauseGroup::Copy), SpanStyle::Dashed, Colour::PanelRaised, Colour::CopyH2D,
       called(analysis::BubbleCause::Pinning, tr("pinning"), tr("copy"))},
      {part(CauseGroup::Loader), SpanStyle::Dashed, Colour::PanelRaised, Colour::CopyD2H, tr("no data")},
      {part(CauseGroup::Graph), SpanStyle::Dashed, Colour::PanelRaised, Colour::Kernel,
       called(analysis::BubbleCause::GraphGap, tr("in a graph"), tr("on the GPU"))},
      {part(CauseGroup::StartOrEnd), SpanStyle::Solid, Colour::PanelRaised, Colour::Muted,
       called(analysis::BubbleCause::StartOrEnd, tr("start or end"), tr("not known"))}};
  double total = 0;
  for (const Share& share : shares) total += share.ns;
  if (total <= 0) return;
  static SpanBatch batch;
  batch.clear();
  float x = at.x;
  std::vector<Label> names;
  float label_x = at.x;
  float label_y = at.y + height + 3 * c.scale;
  for (const Share& share : shares) {
    const float w = static_cast<float>(share.ns / total) * width;
    if (w < 1) continue;
    batch.styled(share.style, x, at.y, x + w - 1, at.y + height, c.theme[share.colour], c.theme[share.ink],
                 3 * c.scale);
    const std::string name = std::string(share.name) + " " + analysis::share_text(share.ns / total);
    const float name_width = text_width(c.fonts, FontRole::Small, name);
    if (label_x > at.x && label_x + name_width > at.x + width + 1) {
      label_x = at.x;
      label_y += 17 * c.scale;
    }
    names.push_back(
        {label_x, label_y, name_width + 2, c.theme.as_text(share.ink), FontRole::Small, name, 16 * c.scale});
    label_x += name_width + 10 * c.scale;
    x += w;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_labels(list, c.fonts, names);
  ImGui::Dummy({width, label_y - at.y - height + 13 * c.scale});
}

std::vector<FigureLine> figure_lines(std::span<const Summary* const> summaries) {
  std::vector<FigureLine> lines;
  const auto add = [&](const std::string& name, const auto& value) {
    lines.push_back({name, {}});
    for (const Summary* s : summaries) lines.back().values.push_back(value(*s));
  };
  const bool loops = summaries.front()->iteration.count > 0;
  if (loops) {
    const auto cpu = [](Nanoseconds analysis::DurationStats::*member) {
      return [member](const Summary& s) {
        return s.pace.queue_is_steady() ? base::format_duration(s.iteration.*member) : std::string("–");
      };
    };
    add(tr("per iteration"), [](const Summary& s) { return pace_text(s.pace); });
    add(tr("CPU iter., p50"), cpu(&analysis::DurationStats::p50_ns));
    add(tr("CPU iter., p99"), cpu(&analysis::DurationStats::p99_ns));
  }
  if (std::ranges::any_of(summaries, &Summary::in_parts)) {
    add(tr("GPU recorded"), [](const Summary& s) { return tr("{} % of the time", recorded_percent(s)); });
  }
  for (const analysis::Figure& figure : analysis::figures()) {
    if (figure.depth > 1 || !is_shown(figure, summaries)) continue;
    const bool of_loop = figure.usual == analysis::FigureForm::PerIteration;
    const analysis::FigureForm form = of_loop && !loops ? analysis::FigureForm::Total : figure.usual;
    add(label_of(figure, form), [&](const Summary& s) { return text_of(figure, s, form); });
  }
  return lines;
}

namespace {

void draw_selected(const Canvas& c) {
  const Selection& selection = c.state.selection;
  if (selection.event) draw_event_details(c, *selection.event);
  if (selection.bubble) draw_bubble_details(c, *selection.bubble);
  if (selection.range) draw_range_details(c);
}

}  // namespace

void draw_details(const Canvas& c) {
  ShellState& state = c.state;
  const Summary& recent = state.model.recent();
  const bool selected = !state.selection.empty();
  // What was selected by hand comes first. What a card or a line of code has selected comes after them: they must not
  // move under the hand that clicked.
  const std::optional<EventRef>& event = state.selection.event;
  const bool by_card = event && (event == state.advice.went_to || event == state.code.went_to);
  const bool first = selected && !by_card;
  if (first && !state.selection_first) ImGui::SetScrollY(0);
  state.selection_first = first;
  if (first) {
    draw_selected(c);
    note_place(c, "selected");
    vertical_space(c, 8);
  }
  if (answers_hidden(state)) {
    heading(c, tr("VERDICT"));
    draw_hidden(c);
    if (by_card) draw_selected(c);
    return;
  }
  // The same line, so that nothing below it moves.
  const bool so_far = state.model.live() && recent.iteration.count > 0 && !recent.pace.known();
  const ImVec2 top = ImGui::GetCursorScreenPos();
  heading(c, so_far ? tr("VERDICT SO FAR") : tr("VERDICT"));
  const ImVec2 below{top.x + text_width(c.fonts, FontRole::SmallBold, tr("VERDICT SO FAR")),
                     ImGui::GetCursorScreenPos().y};
  if (so_far) note_place(c, "verdict.so_far");
  if (so_far && ImGui::IsMouseHoveringRect(top, below)) ImGui::SetTooltip("%s", why_unknown(recent.pace).c_str());
  draw_pin_button(c);
  const Colour colour = verdict_colour(recent.verdict.kind);
  const bool starting = state.model.live() && recent.verdict.kind == VerdictKind::Unknown;
  text(c, FontRole::Verdict, colour, starting ? tr("Measuring …") : analysis::verdict_title(recent.verdict));
  note_place(c, "verdict");
  vertical_space(c, 2);
  draw_verdict_figures(c, recent.verdict, starting);
  vertical_space(c, 6);
  wrapped_text(c, FontRole::Body, Colour::Text, recent.verdict.sentence);
  if (recent.in_parts && !recent.verdict.note.empty()) {
    wrapped_text(c, FontRole::Small, Colour::Dim, recent.verdict.note);
  }
  draw_stale_reads(c);
  vertical_space(c, 8);
  draw_share_bar(c, recent);
  vertical_space(c, 4);
  // A person at a task is to find the remedy.
  const bool at_task = on_stage(state) && state.lesson.phase() == LessonPhase::Working;
  if ((!selected || by_card) && !at_task) draw_advice_cards(c);
  const Summary& before = state.model.before_change();
  if (!selected && before.iteration.count > 0 && recent.iteration.count > 0) {
    if (!is_trial(state)) draw_last_turn(c, recent, before);
    heading(c, tr("FIGURES"));
  }
  if (!selected) {
    draw_figures(c, recent, before);
    const analysis::Judged& judged = recent.judged;
    if (judged.iterations == 0 && judged.to_ns > judged.from_ns && judged.to_ns - judged.from_ns < recent.window_ns() &&
        !recent.in_parts) {
      wrapped_text(
          c, FontRole::Small, Colour::Dim,
          tr("These figures are of all {}; the verdict is of {}, from the first to the last operation of the GPU.",
             base::format_duration(recent.window_ns()), base::format_duration(judged.to_ns - judged.from_ns)));
    }
  }
  if (by_card) draw_selected(c);
  draw_code_section(c);
  vertical_space(c, 10);
}

}  // namespace lanescope::ui
