// Where the GPU idles, place by place: the answer to "which line, how much".
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "analysis/figure.h"
#include "base/time.h"
#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/idle_gaps.h"
#include "shell/selecting.h"
#include "window/panels/advice/advice_cards.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::CauseGroup;
using analysis::IdleLedger;
using analysis::IdleRow;
using base::tr;

constexpr float kIdleRow = 42, kIdleChip = 9, kIdleCurve = 42, kIdleTime = 46, kIdleShare = 50, kIdleBar = 18;

// What waits is hatched.
struct Look {
  SpanStyle style;
  Colour ground, ink;
};
Look look_of(CauseGroup group) {
  switch (group) {
    case CauseGroup::AfterSync:
      return {SpanStyle::Hatched, Colour::WaitGround, Colour::Wait};
    case CauseGroup::Loader:
      return {SpanStyle::Hatched, Colour::LoaderWaitGround, Colour::LoaderWait};
    case CauseGroup::Launch:
      return {SpanStyle::Solid, Colour::Launch, Colour::Launch};
    case CauseGroup::Copy:
      return {SpanStyle::Solid, Colour::CopyH2D, Colour::CopyH2D};
    case CauseGroup::Graph:
      return {SpanStyle::Solid, Colour::Bubble, Colour::Bubble};
    case CauseGroup::StartOrEnd:
      break;
  }
  return {SpanStyle::Solid, Colour::Dim, Colour::Dim};
}

// Per iteration, or in all: in one unit for all rows, without it.
struct Unit {
  double ns = 1;
  const char* name = "ns";
};
Unit unit_of(double most_ns) {
  if (most_ns >= 1e9) return {1e9, "s"};
  return most_ns >= 1e6 ? Unit{1e6, "ms"} : Unit{1e3, "µs"};
}
std::string number_in(double ns, const Unit& unit) {
  const double value = ns / unit.ns;
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// Busy time, and idle time by row.
void draw_idle_bar(const Canvas& c, const IdleLedger& ledger) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = kIdleBar * c.scale;
  ImGui::Dummy({width, height});
  note_place(c, "idle.bar");
  static SpanBatch batch;
  batch.clear();
  float x = at.x;
  const auto part = [&](Nanoseconds ns, const Look& look) {
    const float w = static_cast<float>(ledger.share(ns)) * width;
    if (w >= 1) batch.styled(look.style, x, at.y, x + w - 1, at.y + height, c.theme[look.ground], c.theme[look.ink], 2);
    x += w;
  };
  part(ledger.span_ns - ledger.idle_ns, {SpanStyle::Solid, Colour::Kernel, Colour::Kernel});
  for (const IdleRow& row : ledger.rows) part(row.idle_ns, look_of(analysis::group_of(row.cause)));
  part(ledger.other.idle_ns, look_of(CauseGroup::StartOrEnd));
  add_to_draw_list(*ImGui::GetWindowDrawList(), c.spans, batch);
}

// As bars of at least this width.
void add_curve(SpanBatch& batch, const std::vector<double>& values, const Rect& box, std::uint32_t colour, float bar) {
  const std::size_t n = std::min(values.size(), static_cast<std::size_t>(box.width / bar));
  std::vector<double> bars(n);
  for (std::size_t i = 0; n > 0 && i < values.size(); ++i) {
    double& value = bars[i * n / values.size()];
    value = std::max(value, values[i]);
  }
  const double most = n == 0 ? 0 : *std::ranges::max_element(bars);
  if (most <= 0) return;
  const float each = box.width / static_cast<float>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float height = static_cast<float>(bars[i] / most) * box.height;
    if (height < 0.5f) continue;
    const float x = box.x + each * static_cast<float>(i);
    batch.solid(x, box.y + box.height - height, x + each * 0.75f, box.y + box.height, colour);
  }
}

// The line's own text where the file is on this machine; else the operator or call in it; else what happens there.
std::string says_of(const Canvas& c, const IdleRow& row) {
  const std::string line = row.line > 0 ? c.state.code.files.line(row.file, row.line) : std::string();
  return !line.empty() ? line : !row.detail.empty() && row.line > 0 ? row.detail : idle_text(row);
}

struct RowText {
  std::string place, says;
};

bool draw_idle_row(const Canvas& c, const IdleRow& row, const RowText& text, const Unit& unit, std::size_t number) {
  const float s = c.scale;
  const IdleLedger& ledger = c.state.idle.ledger();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = kIdleRow * s;
  const bool clicked = press_area(c, fmt::format("##idle.{}", number).c_str(), {width, height});
  note_control(c, fmt::format("idle.{}", number));
  const bool hovered = ImGui::IsItemHovered(), chosen = c.state.idle.chosen() == number && at_idle_gap(c.state);
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const std::string path = row.line > 0 ? fmt::format("{}:{}", row.file, row.line) : text.place;
    ImGui::SetTooltip(
        "%s\n%s\n%s", path.c_str(), idle_text(row).c_str(),
        tr("{} gaps, the longest {}", base::format_count(row.gaps()), base::format_duration(row.longest_ns)).c_str());
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float reach = 10 * s;  // the row's ground reaches beyond its texts
  const ImVec2 from{at.x - reach, at.y}, to{at.x + width + reach, at.y + height};
  if (chosen || hovered) list.AddRectFilled(from, to, c.theme[Colour::PanelHovered], 5 * s);
  if (chosen) list.AddRect(from, to, c.theme[Colour::Accent], 5 * s, 0, 1.5f * s);

  static SpanBatch batch;
  batch.clear();
  const Look look =
      number < ledger.rows.size() ? look_of(analysis::group_of(row.cause)) : look_of(CauseGroup::StartOrEnd);
  batch.styled(look.style, at.x, at.y + 10 * s, at.x + kIdleChip * s, to.y - 10 * s, c.theme[look.ground],
               c.theme[look.ink], 2 * s);
  const float shares = at.x + width - kIdleShare * s, times = shares - kIdleTime * s;
  const float left = at.x + (kIdleChip + 7) * s, room = times - left - 4 * s;
  const float curve = times - kIdleCurve * s, beside_curve = curve - left - 8 * s;
  // An operator's namespace says the least of its name.
  std::string place = text.place;
  const std::size_t scope = place.rfind("::");
  if (scope != std::string::npos && text_width(c.fonts, FontRole::MonoSmall, place) > room) place.erase(0, scope + 2);
  const double share = ledger.share(row.idle_ns);
  const std::string share_says = share < 0.0005 ? "0.0 %" : analysis::share_text(share);
  add_curve(batch, row.over_time, {curve, at.y + 22 * s, kIdleCurve * s, 13 * s}, c.theme[look.ink], 2 * s);
  add_to_draw_list(list, c.spans, batch);
  const Label labels[] = {{left, at.y + 4 * s, room + 2, c.theme[Colour::Text], FontRole::MonoSmall,
                           fit_text(c.fonts, FontRole::MonoSmall, place, room), 18 * s},
                          {left, at.y + 21 * s, beside_curve + 2, c.theme[Colour::Muted], FontRole::Small,
                           fit_text(c.fonts, FontRole::Small, text.says, beside_curve), 16 * s},
                          {times, at.y, kIdleTime * s, c.theme[Colour::Text], FontRole::Mono,
                           number_in(ledger.each(row.idle_ns), unit), height, LabelAlign::Right},
                          {shares, at.y, kIdleShare * s, c.theme[Colour::Muted], FontRole::MonoSmall, share_says,
                           height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  return clicked;
}

void draw_idle_sum(const Canvas& c, const Unit& unit) {
  const float s = c.scale;
  const IdleLedger& ledger = c.state.idle.ledger();
  vertical_space(c, 4);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = 26 * s;
  ImGui::Dummy({width, height});
  note_place(c, "idle.sum");
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + width, at.y}, c.theme[Colour::Line]);
  const float shares = at.x + width - kIdleShare * s, times = shares - kIdleTime * s;
  const float left = at.x + (kIdleChip + 7) * s;
  draw_label(c, {left, at.y, times - left, height}, c.theme[Colour::Muted], FontRole::Small, tr("sum = all idle time"));
  draw_label(c, {times, at.y, kIdleTime * s, height}, c.theme[Colour::Text], FontRole::Mono,
             number_in(ledger.each(ledger.idle_ns), unit), LabelAlign::Right);
  draw_label(c, {shares, at.y, kIdleShare * s, height}, c.theme[Colour::Muted], FontRole::MonoSmall,
             analysis::share_text(ledger.share(ledger.idle_ns)), LabelAlign::Right);
}

// What the rows above leave out. A click shows the longest.
void draw_rare_rows(const Canvas& c) {
  if (!c.state.model.once() || c.state.model.once()->rows.empty()) return;
  const std::vector<analysis::RareRow>& rows = c.state.model.once()->rows;
  const float s = c.scale;
  vertical_space(c, 8);
  text(c, FontRole::Body, Colour::Muted, tr("Now and then, left out of the figures"));
  note_place(c, "rare.title");
  for (std::size_t i = 0; i < std::min(rows.size(), analysis::kIdleRows); ++i) {
    const analysis::RareRow& row = rows[i];
    const std::string control = fmt::format("rare.{}", i);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = kIdleRow * s;
    const bool clicked = press_area(c, ("##" + control).c_str(), {width, height});
    note_control(c, control);
    const bool hovered = ImGui::IsItemHovered();
    const Selection& selection = c.state.selection;
    const bool chosen = selection.range && *selection.range == std::pair(row.longest.from, row.longest.to);
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      const std::string path = row.line > 0 ? fmt::format("{}:{}", row.file, row.line) : rare_text(row);
      ImGui::SetTooltip("%s\n%s", path.c_str(),
                        tr("in all {}, the longest {}", base::format_duration(row.total_ns),
                           base::format_duration(row.longest.length()))
                            .c_str());
    }
    const float reach = 10 * s;
    const ImVec2 from{at.x - reach, at.y}, to{at.x + width + reach, at.y + height};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (chosen || hovered) list.AddRectFilled(from, to, c.theme[Colour::PanelHovered], 5 * s);
    if (chosen) list.AddRect(from, to, c.theme[Colour::Accent], 5 * s, 0, 1.5f * s);
    const float left = at.x + (kIdleChip + 7) * s, room = at.x + width - left;
    const Label labels[] = {{left, at.y + 4 * s, room + 2, c.theme[Colour::Text], FontRole::MonoSmall,
                             fit_text(c.fonts, FontRole::MonoSmall, rare_text(row), room), 18 * s},
                            {left, at.y + 21 * s, room + 2, c.theme[Colour::Muted], FontRole::Small,
                             fit_text(c.fonts, FontRole::Small, how_often(row), room), 16 * s}};
    draw_labels(list, c.fonts, labels);
    if (!clicked) continue;
    select_range(c.state, row.longest.from, row.longest.to);
    c.state.view.show(row.longest.from, row.longest.to);
  }
}

}  // namespace

void draw_idle_ledger(const Canvas& c) {
  const IdleLedger& ledger = c.state.idle.ledger();
  if (ledger.empty() || !shows_idle_places(c.state)) return;
  const float s = c.scale;
  vertical_space(c, 12);
  text(c, FontRole::Title, Colour::Text,
       ledger.gpu_name.empty() ? std::string(tr("Where the GPU idles")) : tr("Where {} idles", ledger.gpu_name));
  note_place(c, "idle.title");
  const Unit unit = unit_of(ledger.each(ledger.idle_ns));
  const std::string all = fmt::format("{} {}", number_in(ledger.each(ledger.idle_ns), unit), unit.name);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({width, 22 * s});
  draw_label(c, {at.x, at.y, width, 22 * s}, c.theme[Colour::Muted], FontRole::Body,
             ledger.iterations > 0
                 ? tr("{} of every iteration", all)
                 : tr("{} of {}", base::format_duration(ledger.idle_ns), base::format_duration(ledger.span_ns)));
  draw_label(c, {at.x, at.y, width, 22 * s}, c.theme.as_text(Colour::Bubble), FontRole::Mono,
             analysis::share_text(ledger.share(ledger.idle_ns)), LabelAlign::Right);
  vertical_space(c, 4);
  draw_idle_bar(c, ledger);
  vertical_space(c, 8);
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < ledger.rows.size(); ++i) {
    const IdleRow& row = ledger.rows[i];
    if (draw_idle_row(c, row, {place_text(row), says_of(c, row)}, unit, i)) clicked = i;
  }
  if (ledger.other_places > 0) {
    const std::string most = fmt::format("{} {}", number_in(ledger.each(ledger.largest_other_ns), unit), unit.name);
    const std::string places = ledger.other_places == 1
                                   ? std::string(tr("1 other place"))
                                   : tr("{} other places", base::format_count(ledger.other_places));
    if (draw_idle_row(c, ledger.other, {places, tr("none above {}", most)}, unit, ledger.rows.size()))
      clicked = ledger.rows.size();
  }
  draw_idle_sum(c, unit);
  draw_rare_rows(c);
  vertical_space(c, 4);
  if (clicked) choose_idle_row(c.state, *clicked);
}

}  // namespace lanescope::ui
