// The legend: what the colours of the timeline say now, and the choice of what they say.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "timeline/lane_row.h"
#include "trace/names.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kLegendWidth = 390, kLegendLine = 20, kSwatch = 22;
constexpr std::size_t kFewest = 5, kMost = 10;

// Fewer in a low window, so that the lanes stay in sight.
std::size_t most_lines(const Canvas& c) {
  const float room = ImGui::GetIO().DisplaySize.y / c.scale - 600;
  return std::clamp(static_cast<std::size_t>(std::max(0.0f, room) / 28), kFewest, kMost);
}

class Lines {
 public:
  explicit Lines(const Canvas& c) : c_(c), width_(ImGui::GetContentRegionAvail().x) {}

  void add(Span span, const std::string& says, bool mono = false) {
    const float s = c_.scale;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width_, kLegendLine * s});
    span.x0 = at.x;
    span.y0 = at.y + 4 * s;
    span.x1 = at.x + kSwatch * s;
    span.y1 = at.y + (kLegendLine - 4) * s;
    SpanBatch batch;
    batch.add(span);
    add_to_draw_list(*ImGui::GetWindowDrawList(), c_.spans, batch);
    const Label label{at.x + (kSwatch + 10) * s,
                      at.y,
                      width_ - (kSwatch + 10) * s,
                      c_.theme[Colour::Text],
                      mono ? FontRole::MonoSmall : FontRole::Small,
                      says,
                      kLegendLine * s};
    draw_labels(*ImGui::GetWindowDrawList(), c_.fonts, {&label, 1});
  }
  void solid(std::uint32_t fill, const std::string& says) {
    Span span;
    span.colour = fill;
    add(span, says);
  }
  void solid(Colour colour, const std::string& says) { solid(c_.theme[colour], says); }
  void styled(SpanStyle style, Colour ground, Colour ink, const std::string& says) {
    Span span;
    span.style = style;
    span.colour = c_.theme[ground];
    span.ink = c_.theme[ink];
    add(span, says);
  }
  void wait(bool harmful, const std::string& says) {
    const Hatching look = wait_hatching(c_.theme, harmful);
    Span span;
    span.style = SpanStyle::Hatched;
    span.colour = look.ground;
    span.ink = look.ink;
    add(span, says);
  }
  // The steps side by side, with the durations at the ends.
  void ramp(const DurationScale& scale, const std::string& says) {
    const float s = c_.scale;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width_, (kLegendLine + 4) * s});
    const float name = width_ * 0.36f;
    const float end = text_width(c_.fonts, FontRole::MonoSmall, "100.0 µs") + 6 * s;
    const float x0 = at.x + name + end;
    const float x1 = at.x + width_ - end;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < kRampSteps; ++i) {
      const float step = (x1 - x0) / static_cast<float>(kRampSteps);
      const float x = x0 + step * static_cast<float>(i);
      list.AddRectFilled({x, at.y + 5 * s}, {x + step - 1, at.y + 17 * s}, c_.theme.ramp[i]);
    }
    const float height = 22 * s;
    const Label labels[] = {{at.x, at.y, name, c_.theme[Colour::Text], FontRole::Small, says, height},
                            {at.x + name, at.y, end - 6 * s, c_.theme.as_text(Colour::Muted), FontRole::MonoSmall,
                             base::format_duration(scale.from), height, LabelAlign::Right},
                            {x1 + 6 * s, at.y, end, c_.theme.as_text(Colour::Muted), FontRole::MonoSmall,
                             base::format_duration(scale.to), height}};
    draw_labels(list, c_.fonts, labels);
  }

 private:
  const Canvas& c_;
  float width_;
};

void draw_kinds(Lines& lines) {
  lines.solid(Colour::Range, tr("iteration (two shades, in turn)"));
  lines.solid(Colour::Phase, tr("range, phase, operator"));
  lines.solid(Colour::Launch, tr("call that puts work on a stream"));
  lines.solid(Colour::Call, tr("another call, or a call's own cost"));
  lines.solid(Colour::Kernel, tr("kernel; op on a CPU device"));
  lines.solid(Colour::CopyH2D, tr("copy to the GPU"));
  lines.solid(Colour::CopyD2H, tr("copy from the GPU"));
  lines.solid(Colour::CopyOther, tr("memset, other copy"));
}

void draw_legend_names(const Canvas& c, Lines& lines) {
  const trace::Trace& trace = c.state.model.trace();
  wrapped_text(
      c, FontRole::Small, Colour::Muted,
      tr("Each kernel's name has its colour, the same in every run and picture. There are {}, so two can share "
         "one. Bars of more than {} kernels have the colour of their kind.",
         kCategories, EventColours::kMostRead));
  vertical_space(c, 4);
  for (const trace::NameId name : c.state.timeline.colours().names_drawn(most_lines(c))) {
    const std::string_view text = trace.names().text(name);
    lines.solid(c.theme.categories[category_of_name(text)], trace::short_kernel_name(text));
  }
}

void draw_legend_durations(const Canvas& c, Lines& lines) {
  wrapped_text(c, FontRole::Small, Colour::Muted,
               tr("From short to long, each kind on its own scale. A bar of many events shows their mean."));
  vertical_space(c, 4);
  for (std::size_t g = 0; g < kDurationGroups; ++g) {
    const DurationScale& scale = c.state.colours.colouring.scales[g];
    if (scale.known()) lines.ramp(scale, duration_group_title(static_cast<DurationGroup>(g)));
  }
}

void draw_owners(const Canvas& c, Lines& lines, bool streams) {
  wrapped_text(c, FontRole::Small, Colour::Muted,
               streams ? tr("The lanes of the CPU keep the colours of their kinds.")
                       : tr("The lanes of the GPU keep the colours of their kinds."));
  vertical_space(c, 4);
  const trace::Trace& trace = c.state.model.trace();
  const auto& owners = c.state.timeline.colours().owners();
  const std::size_t most = most_lines(c);
  for (std::size_t i = 0; i < std::min(most, owners.size()); ++i) {
    const trace::LaneInfo& info = trace.lane(owners[i].lane).info();
    const std::string says = streams ? tr("GPU {}, stream {}", info.device, info.stream)
                                     : tr("{}, thread {}", info.process.empty() ? "CPU" : info.process, info.tid);
    lines.solid(c.theme.categories[owners[i].category], says);
  }
  if (owners.size() > most) {
    text(c, FontRole::Small, Colour::Muted, tr("and {} more", owners.size() - most));
  }
}

}  // namespace

void draw_colour_legend(const Canvas& c) {
  ShellState& state = c.state;
  if (!state.colours.legend_open || state.comparison.state.open) return;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto timeline = state.places.find("timeline");
  if (timeline == state.places.end()) return;
  // In the lower right corner of the middle column, over the plots rather than the lanes.
  const float right = timeline->second.x + timeline->second.width - 14 * s;
  const float bottom = display.y - (state.presentation.on ? 60 : 34) * s;
  const float width = std::min(kLegendWidth * s, timeline->second.width - 28 * s);
  ImGui::SetNextWindowPos({right, bottom}, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, bottom - 52 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {14 * s, 10 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 10 * s);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, c.theme.outline));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {6 * s, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.theme[Colour::Panel]);
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Line]);
  ImGui::Begin("##legend", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  state.places["legend"] = {low.x, low.y, size.x, size.y};
  const float inner = ImGui::GetContentRegionAvail().x;
  const float end = ImGui::GetCursorPosX() + inner;
  ImGui::AlignTextToFramePadding();
  text(c, FontRole::BodyBold, Colour::Text, tr("Colours"));
  ImGui::SameLine();
  text(c, FontRole::Small, Colour::Dim, keys_text(info(Action::NextColouring)));
  ImGui::SameLine(end - 62 * s);
  if (button(c, "legend.close", tr("Close"), false, 62 * s, "Esc")) state.colours.legend_open = false;
  vertical_space(c, 6);
  const std::vector<std::string> modes{tr("kind"), tr("name"), tr("duration"), tr("stream"), tr("thread")};
  const int chosen = segmented(c, "legend.by", modes, static_cast<int>(colouring_of(state)), inner);
  if (chosen >= 0) set_colouring(state, static_cast<ColourBy>(chosen));
  vertical_space(c, 6);
  Lines lines(c);
  switch (state.colours.colouring.by) {
    case ColourBy::Name:
      draw_legend_names(c, lines);
      break;
    case ColourBy::Duration:
      draw_legend_durations(c, lines);
      break;
    case ColourBy::Stream:
    case ColourBy::Thread:
      draw_owners(c, lines, state.colours.colouring.by == ColourBy::Stream);
      break;
    default:
      draw_kinds(lines);
  }
  vertical_space(c, 8);
  text(c, FontRole::SmallBold, Colour::Dim, tr("THE SAME IN EVERY COLOURING"));
  vertical_space(c, 2);
  lines.wait(true, tr("the CPU waits, and the GPU idles because of it"));
  lines.wait(false, tr("the CPU waits, and nothing is lost"));
  lines.styled(SpanStyle::Hatched, Colour::LoaderWaitGround, Colour::LoaderWait, tr("the program waits for data"));
  lines.styled(SpanStyle::Dashed, Colour::BubbleGround, Colour::Bubble, tr("bubble: no work on the GPU"));
  lines.styled(SpanStyle::Unknown, Colour::Row, Colour::Unknown, tr("not yet known"));
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(4);
}

}  // namespace lanescope::ui
