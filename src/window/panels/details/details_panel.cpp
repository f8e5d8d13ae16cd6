#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "analysis/figure.h"
#include "base/time.h"
#include "base/translate.h"
#include "inspect/figure_text.h"
#include "model/experiment/active_experiment.h"
#include "picture/words.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/idle_gaps.h"
#include "window/panels/advice/advice_cards.h"
#include "window/panels/code/code_view.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::CauseGroup;
using analysis::Summary;
using analysis::VerdictKind;
using base::tr;

// One line of what the two on the lanes take, before or old first: the shown one bright, and one factor.
void draw_change(const Canvas& c, const Summary& now) {
  const ShellState& state = c.state;
  const SharedSnapshot below = run_below(state.comparison);
  const OtherSide& other = state.comparison.other;
  if (!below || !other.has_two() || !below->summary.pace.known()) return;
  const float s = c.scale;
  const Model& model = state.model;
  const bool settled = model.recent_is_current() && now.pace.known();
  const analysis::Gain gain = analysis::gain_between(below->summary, other.batch_size(), now, model.batch_now());
  // Of the second of the two, and by how much the faster one is faster.
  const bool faster = !gain.known() || (other.shown() == 1) == (gain.factor >= 1);
  const double factor = std::max(gain.factor, 1 / gain.factor);
  const bool sides = other.of_experiment();
  const auto name = [&](std::size_t side) {
    if (!sides) return std::string(side == 0 ? tr("old") : tr("new"));
    return word(side == 0 ? Word::Before : Word::After, state.language());
  };
  struct End {
    std::string name, time;
    bool shown;
  };
  const auto time_of = [&](const analysis::Pace& pace, double batch) {
    return gain.per_sample ? sample_text(pace, batch) : pace_text(pace);
  };
  const End shown{name(other.shown()), settled ? time_of(now.pace, model.batch_now()) : "…", true};
  const End below_end{name(1 - other.shown()), time_of(below->summary.pace, other.batch_size()), false};
  const End& from = other.shown() == 1 ? below_end : shown;
  const End& to = other.shown() == 1 ? shown : below_end;
  vertical_space(c, 8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({width, 46 * s});
  note_place(c, "change");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(at, {at.x + width, at.y}, c.theme[Colour::Line]);
  const float y = at.y + 8 * s, below_y = y + 16 * s;
  const auto ink = [&](const End& end) { return c.theme[end.shown ? Colour::Text : Colour::Muted]; };
  float x = at.x;
  for (const End* end : {&from, &to}) {
    const float end_width =
        std::max(text_width(c.fonts, FontRole::Mono, end->time), text_width(c.fonts, FontRole::Small, end->name)) + 4;
    draw_label(c, {x, y, end_width, 15 * s}, ink(*end), FontRole::Small, end->name);
    draw_label(c, {x, below_y, end_width, 22 * s}, ink(*end), FontRole::Mono, end->time);
    x += end_width + 8 * s;
    if (end == &from) draw_label(c, {x, below_y, 18 * s, 22 * s}, c.theme[Colour::Muted], FontRole::Body, "→");
    x += 24 * s;
  }
  const bool alike = std::abs(factor - 1) < 0.03;
  const std::string says = !gain.comparable ? "–" : !settled || !gain.known() ? "…" : factor_text(factor);
  const char* unit = !gain.comparable  ? tr("different work")
                     : gain.per_sample ? faster ? tr("faster per sample") : tr("slower per sample")
                     : faster ? tr("faster")
                                       : tr("slower");
  draw_label(c, {at.x, y, width, 15 * s}, c.theme[Colour::Muted], FontRole::Small, alike ? tr("the same") : unit,
             LabelAlign::Right);
  draw_label(c, {at.x, below_y - 3 * s, width, 26 * s},
             c.theme.as_text(alike || !gain.comparable ? Colour::Muted
                             : faster                  ? Colour::Good
                                                       : Colour::Text),
             FontRole::Title, says, LabelAlign::Right);
  // What the button promised, beside what came of it.
  const auto& tried = state.try_it.tried();
  if (!tried.empty() && tried.back().foretold()) {
    const double gain_foretold = predicted_gain(*tried.back().prediction);
    const ImVec2 below_line = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, 16 * s});
    note_place(c, "change.predicted");
    draw_label(c, {below_line.x, below_line.y, width, 16 * s}, c.theme[Colour::Muted], FontRole::Small,
               tr("predicted {}", factor_text(std::max(gain_foretold, 1 / gain_foretold))), LabelAlign::Right);
  }
  if (settled && ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + 46 * s})) {
    ImGui::SetTooltip("%s", fmt::format("{}, {}", of_what(gain), factor_basis(below->summary.pace, now.pace)).c_str());
  }
}

}  // namespace

std::string shown_factor(const ShellState& state) {
  const SharedSnapshot below = run_below(state.comparison);
  const Model& model = state.model;
  if (!below || !model.recent_is_current()) return {};
  const analysis::Gain gain =
      analysis::gain_between(below->summary, state.comparison.other.batch_size(), model.recent(), model.batch_now());
  return gain.known() ? factor_text(std::max(gain.factor, 1 / gain.factor)) : std::string();
}

void draw_share_bar(const Canvas& c, const Summary& s, bool one_row) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = 18 * c.scale;
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
    std::string name;
  };
  const auto kernels = static_cast<double>(judged ? s.judged.kernel_ns : s.kernel_ns);
  const auto busy = static_cast<double>(judged ? s.judged.busy_ns : s.gpu_busy_ns);
  const auto own_work = static_cast<double>(judged ? s.judged.own_work_ns : 0);
  // Kernels of collectives that only wait for another GPU.
  const bool waits_for_rank = s.verdict.kind == VerdictKind::RankBound && s.verdict_gpu_name == s.judged.rank_waits;
  const auto waits = static_cast<double>(waits_for_rank ? s.judged.rank_wait_ns : 0);
  // The place that the verdict names has its own part, as there.
  const double after_sync = part(CauseGroup::AfterSync);
  const bool placed = 2 * static_cast<double>(s.judged.sync_place_ns) >= after_sync && !s.judged.sync_place.empty();
  const double at_place = placed ? std::min(after_sync, static_cast<double>(s.judged.sync_place_ns)) : 0;
  const bool reads = 2 * static_cast<double>(s.judged.after_read_ns) >= after_sync;
  const Share shares[] = {
      {kernels - waits, SpanStyle::Solid, Colour::Kernel, Colour::Kernel, tr("kernels")},
      {waits, SpanStyle::Hatched, Colour::WaitGround, Colour::Wait,
       s.judged.rank_late.empty() ? std::string(tr("waiting")) : s.judged.rank_late},
      {busy - kernels, SpanStyle::Solid, Colour::CopyH2D, Colour::CopyH2D, tr("copying")},
      {at_place, SpanStyle::Hatched, Colour::WaitGround, Colour::Wait,
       std::string(analysis::range_text(s.judged.sync_place))},
      {after_sync - at_place, SpanStyle::Hatched, Colour::WaitGround, Colour::Wait,
       reads && !placed ? std::string(tr("reading")) : std::string(tr("waiting"))},
      {own_work, SpanStyle::Solid, Colour::Launch, Colour::Launch, tr("other CPU work")},
      {part(CauseGroup::Launch) - own_work, SpanStyle::Dashed, Colour::PanelRaised, Colour::Launch,
       called(analysis::BubbleCause::Allocation, tr("allocating"), tr("launching"))},
      {part(CauseGroup::Copy), SpanStyle::Dashed, Colour::PanelRaised, Colour::CopyH2D,
       called(analysis::BubbleCause::Pinning, tr("pinning"), tr("staging"))},
      {part(CauseGroup::Loader), SpanStyle::Dashed, Colour::PanelRaised, Colour::LoaderWait, tr("no data")},
      {part(CauseGroup::Graph), SpanStyle::Dashed, Colour::PanelRaised, Colour::Kernel,
       called(analysis::BubbleCause::GraphGap, tr("in a graph"), tr("on the GPU"))},
      {part(CauseGroup::StartOrEnd), SpanStyle::Solid, Colour::PanelRaised, Colour::Muted,
       called(analysis::BubbleCause::StartOrEnd, tr("start or end"), tr("unknown"))}};
  double total = 0;
  for (const Share& share : shares) total += share.ns;
  if (total <= 0) return;
  static SpanBatch batch;
  batch.clear();
  std::vector<const Share*> shown;
  float x = at.x;
  for (const Share& share : shares) {
    const float w = static_cast<float>(share.ns / total) * width;
    if (w < 1) continue;
    batch.styled(share.style, x, at.y, x + w - 1, at.y + height, c.theme[share.colour], c.theme[share.ink],
                 3 * c.scale);
    x += w;
    if (share.ns / total >= 0.005) shown.push_back(&share);
  }
  // The share and, below it, whose it is: at most four in a row, no name cut.
  const float box = 8 * c.scale;
  const auto columns_now = [&] {
    float widest = 1;
    for (const Share* share : shown) widest = std::max(widest, text_width(c.fonts, FontRole::Small, share->name));
    const float fit = (width + 4 * c.scale) / (widest + box + 10 * c.scale);
    return static_cast<std::size_t>(std::clamp(fit, 1.0f, 4.0f));
  };
  std::size_t columns = columns_now();
  for (; one_row && shown.size() > columns; columns = columns_now())
    shown.erase(std::ranges::min_element(shown, {}, &Share::ns));
  columns = std::min(columns, std::max<std::size_t>(1, shown.size()));
  const float column = width / static_cast<float>(columns);
  std::vector<Label> labels;
  float y = at.y + height + 6 * c.scale;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0 && i % columns == 0) y += 36 * c.scale;
    const float left = at.x + column * static_cast<float>(i % columns);
    batch.solid(left, y + 4 * c.scale, left + box, y + 4 * c.scale + box, c.theme[shown[i]->ink], 2 * c.scale);
    const float text_x = left + box + 6 * c.scale;
    const float room = column - box - 6 * c.scale;
    labels.push_back({text_x, y, room, c.theme[Colour::Text], FontRole::MonoSmall,
                      analysis::share_text(shown[i]->ns / total), 16 * c.scale});
    labels.push_back(
        {text_x, y + 15 * c.scale, room, c.theme[Colour::Muted], FontRole::Small, shown[i]->name, 16 * c.scale});
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_labels(list, c.fonts, labels);
  ImGui::Dummy({width, y + 34 * c.scale - at.y - height});
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

constexpr std::chrono::milliseconds kSettling{500}, kSettled{2000};
constexpr std::chrono::seconds kSettles{3};

// What is shown must be readable: it is renewed twice a second while it settles, and then every two seconds; at once
// if it is of something else.
const Summary& calm_figures(ShellState& state) {
  CalmFigures& calm = state.calm;
  const Model& model = state.model;
  const auto now = base::now();
  const bool other = calm.generation != model.generation() || calm.version != model.last_turn_version() ||
                     calm.language != state.language();
  const auto least = now - calm.since < kSettles ? kSettling : kSettled;
  const bool kind = calm.shown.verdict.kind == analysis::VerdictKind::Unknown;
  if (other) calm.since = now;
  if (other || (calm.number != model.recent_number() && (now - calm.renewed >= least || kind))) {
    calm.shown = model.recent();
    calm.number = model.recent_number();
    calm.generation = model.generation();
    calm.version = model.last_turn_version();
    calm.language = state.language();
    calm.renewed = now;
  }
  return calm.shown;
}

namespace {

void draw_verdict(const Canvas& c, const Summary& recent) {
  ShellState& state = c.state;
  const bool so_far = state.model.live() && recent.iteration.count > 0 && !recent.pace.known();
  const bool starting = state.model.live() && recent.verdict.kind == VerdictKind::Unknown;
  vertical_space(c, 12);
  text(c, FontRole::Verdict, colour_of(recent.verdict.kind),
       starting ? tr("Measuring …") : analysis::verdict_title(recent.verdict));
  note_place(c, "verdict");
  if (so_far) note_place(c, "verdict.so_far");
  if (so_far && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", why_unknown(recent.pace).c_str());
  wrapped_text(c, FontRole::Body, Colour::Text, recent.verdict.sentence);
  if (recent.in_parts && !recent.verdict.note.empty()) {
    wrapped_text(c, FontRole::Small, Colour::Dim, recent.verdict.note);
  }
  vertical_space(c, 8);
  draw_share_bar(c, recent);
}

void draw_about_line(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const std::string says = state.model.steering()            ? tr("About this experiment")
                           : state.model.source().watching() ? tr("About this program")
                                                             : tr("About this trace");
  vertical_space(c, 12);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = text_width(c.fonts, FontRole::Body, says);
  if (press_area(c, "##about", {width + 40 * s, 24 * s})) state.requests.actions.push_back(Action::About);
  note_control(c, "about");
  const bool hovered = ImGui::IsItemHovered();
  draw_label(c, {at.x, at.y, width + 2, 24 * s}, c.theme.as_text(hovered ? Colour::Accent : Colour::Muted),
             FontRole::Body, says);
  key_chip(c, at.x + width + 10 * s, at.y + 12 * s, key_text(info(Action::About).keys.front()));
}

}  // namespace

void draw_details(const Canvas& c) {
  ShellState& state = c.state;
  const Summary& recent = calm_figures(state);
  const bool selected = !state.selection.empty();
  // What was selected by hand comes first. What a card or a line of code has selected comes after them: they must not
  // move under the hand that clicked.
  const std::optional<EventRef>& event = state.selection.event;
  const bool by_card = at_idle_gap(state) || (event && (event == state.advice.went_to || event == state.code.went_to));
  const bool first = selected && !by_card;
  draw_idle_ledger(c);
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
  draw_verdict(c, recent);
  vertical_space(c, 4);
  // A person at a task is to find the remedy.
  const bool at_task = on_stage(state) && state.lesson.phase() == LessonPhase::Working;
  if ((!selected || by_card) && !at_task) draw_advice_cards(c);
  if (!selected) draw_change(c, recent);
  if (by_card) draw_selected(c);
  draw_code_section(c);
  draw_about_line(c);
  vertical_space(c, 10);
}

// Below 1200 pixels of width: the same in a band.
void draw_verdict_band(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const Summary& recent = calm_figures(state);
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  if (answers_hidden(state)) {
    ImGui::SetCursorScreenPos({at.x + 16 * s, at.y});
    return draw_hidden(c);
  }
  const bool starting = state.model.live() && recent.verdict.kind == VerdictKind::Unknown;
  const std::string title = starting ? std::string(tr("Measuring …")) : analysis::verdict_title(recent.verdict);
  const float title_width = text_width(c.fonts, FontRole::Title, title) + 4;
  const float left = at.x + 16 * s;
  draw_label(c, {left, at.y + 6 * s, title_width, 24 * s}, c.theme.as_text(colour_of(recent.verdict.kind)),
             FontRole::Title, title);
  c.state.places["verdict"] = {left, at.y + 6 * s, title_width, 24 * s};
  const std::string lines = wrapped_lines(c, FontRole::Small, recent.verdict.sentence, size.x * 0.4f - 16 * s);
  ImGui::SetCursorScreenPos({left, at.y + 30 * s});
  text(c, FontRole::Small, Colour::Text, lines.substr(0, lines.find('\n', lines.find('\n') + 1)));
  const float x = left + size.x * 0.42f;
  ImGui::SetCursorScreenPos({x, at.y + 5 * s});
  ImGui::BeginChild("##band_bar", {size.x * 0.27f, size.y - 5 * s}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
  draw_share_bar(c, recent, true);
  ImGui::EndChild();
  const float change_x = left + size.x * 0.71f;
  const float change_width = at.x + size.x - 16 * s - change_x;
  if (change_width < 190 * s) return;
  ImGui::SetCursorScreenPos({change_x, at.y});
  ImGui::BeginChild("##band_change", {change_width, size.y}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
  draw_change(c, recent);
  ImGui::EndChild();
}

// The figures of the run in columns, in the drawer.
void draw_figures(const Canvas& c) {
  const Summary& recent = calm_figures(c.state);
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - 32 * s;
  const float height = ImGui::GetContentRegionAvail().y;
  constexpr float kRow = 20, kColumn = 270;
  const auto columns = static_cast<std::size_t>(std::max(1.0f, std::floor(width / (kColumn * s))));
  const auto lines = figure_lines(std::array{&recent});
  const std::size_t rows = (lines.size() + columns - 1) / columns;
  ImGui::SetCursorScreenPos({at.x + 16 * s, at.y + 30 * s});
  ImGui::BeginChild("##figures", {width, std::max(1.0f, height - 34 * s)}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float column = width / static_cast<float>(columns);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const float x = low.x + column * static_cast<float>(i / std::max<std::size_t>(1, rows));
    const float y = low.y + kRow * s * static_cast<float>(i % std::max<std::size_t>(1, rows));
    draw_label(c, {x, y, column - 24 * s, kRow * s}, c.theme[Colour::Muted], FontRole::Small, lines[i].name);
    draw_label(c, {x, y, column - 24 * s, kRow * s}, c.theme[Colour::Text], FontRole::MonoSmall, lines[i].values[0],
               LabelAlign::Right);
  }
  ImGui::Dummy({width, kRow * s * static_cast<float>(rows)});
  note_place(c, "figures");
  ImGui::EndChild();
}

}  // namespace lanescope::ui
