#include "ui/picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/translate.h"
#include "ui/device_menu.h"
#include "ui/gl/imgui_image.h"
#include "ui/gl/offscreen.h"
#include "ui/gl/span_renderer.h"
#include "ui/labels.h"
#include "ui/timeline.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kMargin = 20;
constexpr float kHeadHeight = 62;
constexpr float kPartHead = 54;
constexpr float kFootHeight = 34;
constexpr std::size_t kAllBubbles = 4'000'000;

std::string percent(Nanoseconds part, Nanoseconds whole) {
  return whole > 0 ? fmt::format("{:.0f} %", static_cast<double>(part) / static_cast<double>(whole) * 100) : "–";
}

std::string figures_text(const analysis::Summary& s) {
  std::string text;
  if (s.iteration.count > 0) {
    text +=
        fmt::format("{} {}   ·   ", base::format_duration(static_cast<Nanoseconds>(std::llround(s.iteration.mean_ns))),
                    tr("per iteration"));
  }
  text += fmt::format("{} {}   ·   {} {}", tr("GPU busy"), percent(s.gpu_busy_ns, s.window_ns()), tr("CPU waiting"),
                      percent(s.host_wait_ns, s.window_ns()));
  if (s.iteration.count > 0) {
    text += fmt::format("   ·   {:.2f} {}", static_cast<double>(s.sync_count) / static_cast<double>(s.iteration.count),
                        tr("syncs per iteration"));
  }
  return text;
}

std::string settings_text(const io::RunFacts& facts) {
  std::string text;
  for (const auto& [key, value] : facts.settings) text += (text.empty() ? "" : "   ") + key + " " + value;
  return text;
}

// The settings that all parts share: what differs stands in the parts' titles.
io::RunFacts shared_facts(const PictureRequest& request) {
  io::RunFacts facts = request.parts.empty() ? io::RunFacts{} : request.parts.front().facts;
  for (const PicturePart& part : request.parts) {
    std::erase_if(facts.settings, [&](const auto& setting) {
      const auto other = part.facts.settings.find(setting.first);
      return other == part.facts.settings.end() || other->second != setting.second;
    });
  }
  return facts;
}

std::string headline_of(const PictureRequest& request, const io::RunFacts& facts) {
  if (!request.headline.empty()) return request.headline;
  const auto names = workload::workload_names();
  const bool known = std::find(names.begin(), names.end(), facts.workload) != names.end();
  return known ? workload::workload_info(facts.workload).title : facts.workload;
}

// What one part needs while it is drawn.
struct PartView {
  const PicturePart* part;
  std::unique_ptr<analysis::LiveAnalysis> analysis;
  Timeline timeline;
  TimeAxis axis;
  float height = 0;

  TimelineFrame frame(const Theme& colours) const {
    return {*part->trace, analysis.get(), colours, part->to_ns, false, part->from_ns, nullptr, 1, 0};
  }
};

}  // namespace

io::Image draw_picture(const PictureRequest& request) {
  std::optional<OffscreenContext> own_context;
  if (!gl_context_is_current()) own_context.emplace();
  const Theme& colours = theme(request.theme);
  const auto width = static_cast<float>(request.width);
  const float left = kMargin / 2 + Timeline::kLabelWidth;
  const float lanes_width = width - left - kMargin;

  // One time scale for all parts: the longest stretch fills the width.
  Nanoseconds longest = 1;
  for (const PicturePart& part : request.parts) longest = std::max(longest, part.to_ns - part.from_ns);
  std::vector<PartView> views;
  float height = kHeadHeight + kFootHeight;
  for (const PicturePart& part : request.parts) {
    PartView& view = views.emplace_back();
    view.part = &part;
    view.analysis = std::make_unique<analysis::LiveAnalysis>(*part.trace, 400'000, kAllBubbles);
    view.analysis->update(part.to_ns + longest);
    view.axis = TimeAxis(part.from_ns, 1, left, lanes_width).fitted(part.from_ns, part.from_ns + longest);
    view.timeline.sync(*part.trace);
    view.height = view.timeline.content_height(view.frame(colours), view.axis);
    height += kPartHead + view.height;
  }

  SpanRenderer* renderer = nullptr;
  std::unique_ptr<SpanRenderer> owned;
  io::Image image = render_imgui_offscreen(
      request.width, static_cast<int>(std::ceil(height)), request.scale, request.theme, [&](const Fonts& fonts) {
        if (!renderer) {
          owned = std::make_unique<SpanRenderer>();
          renderer = owned.get();
        }
        ImDrawList& list = *ImGui::GetBackgroundDrawList();
        std::vector<Label> labels;
        const io::RunFacts facts = shared_facts(request);
        labels.push_back(
            {kMargin, 12, width - 360, colours[Colour::Text], FontRole::Title, headline_of(request, facts), 26});
        labels.push_back({kMargin, 36, width - 2 * kMargin, colours[Colour::Muted], FontRole::Small,
                          facts.workload + "   ·   " + (facts.device_name.empty() ? facts.device : facts.device_name) +
                              "   ·   " + settings_text(facts),
                          18});
        const std::string badge = badge_text(facts, false);
        const float badge_width = text_width(fonts, FontRole::BodyBold, badge) + 36;
        const ImVec2 badge_at{width - kMargin - badge_width, 12};
        list.AddRectFilled(badge_at, {badge_at.x + badge_width, badge_at.y + 26},
                           colours[facts.simulated ? Colour::Simulated : Colour::PanelRaised], 5);
        labels.push_back({badge_at.x, badge_at.y, badge_width,
                          colours[facts.simulated ? Colour::SimulatedInk : Colour::Text], FontRole::BodyBold, badge, 26,
                          LabelAlign::Centre});
        float y = kHeadHeight;
        for (PartView& view : views) {
          const Rect area{kMargin / 2, y + kPartHead, width - kMargin * 1.5f, view.height};
          list.AddRectFilled({0, y}, {width, y + 1}, colours[Colour::Line]);
          labels.push_back(
              {kMargin, y + 10, width * 0.45f, colours[Colour::Text], FontRole::BodyBold, view.part->title, 20});
          const std::string verdict(analysis::verdict_title(view.part->summary.verdict.kind));
          labels.push_back({width * 0.4f, y + 10, width * 0.6f - kMargin, colours[Colour::Text], FontRole::Body,
                            figures_text(view.part->summary), 20, LabelAlign::Right});
          labels.push_back({kMargin, y + 30, width - 2 * kMargin, colours[Colour::Muted], FontRole::Small,
                            verdict + ". " + view.part->summary.verdict.sentence, 18});
          view.timeline.prepare(view.frame(colours), view.axis, area);
          const float rows_top = area.y + Timeline::kRulerHeight;
          list.PushClipRect({left, rows_top}, {left + lanes_width, area.y + area.height});
          add_to_draw_list(list, *renderer, view.timeline.rows());
          draw_labels(list, fonts, view.timeline.rows().labels);
          list.PopClipRect();
          list.PushClipRect({area.x, area.y}, {left + lanes_width, rows_top});
          add_to_draw_list(list, *renderer, view.timeline.top());
          draw_labels(list, fonts, view.timeline.top().labels);
          list.PopClipRect();
          draw_labels(list, fonts, view.timeline.names().labels);
          y += kPartHead + view.height;
        }
        list.AddRectFilled({0, y}, {width, y + 1}, colours[Colour::Line]);
        std::string foot = std::string("Lanescope  ·  ") +
                           tr("hatched: the CPU waits for the GPU  ·  dashed: the GPU has nothing to run");
        if (facts.simulated) foot += std::string("  ·  ") + tr("simulated, not measured on a GPU");
        labels.push_back({kMargin, y, width - 2 * kMargin, colours[Colour::Dim], FontRole::Small, foot, kFootHeight});
        draw_labels(list, fonts, labels);
      });
  return image;
}

std::map<std::string, std::string> picture_text(const PictureRequest& request) {
  std::map<std::string, std::string> text;
  text["Software"] = "Lanescope";
  std::string description;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    const PicturePart& part = request.parts[i];
    const std::string suffix = request.parts.size() > 1 ? " " + std::to_string(i + 1) : "";
    text["workload" + suffix] = part.facts.workload;
    text["device" + suffix] = part.facts.device;
    text["device name" + suffix] = part.facts.device_name;
    text["simulated" + suffix] = part.facts.simulated ? "true" : "false";
    text["settings" + suffix] = settings_text(part.facts);
    text["verdict" + suffix] = std::string(analysis::verdict_key(part.summary.verdict.kind));
    text["figures" + suffix] = figures_text(part.summary);
    text["range ns" + suffix] = fmt::format("{} {}", part.from_ns, part.to_ns);
    description += (description.empty() ? "" : "; ") + (part.title.empty() ? "" : part.title + ": ") +
                   part.summary.verdict.sentence;
  }
  text["Description"] = description;
  return text;
}

std::pair<Nanoseconds, Nanoseconds> typical_range(const trace::Trace& trace, int iterations) {
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != trace::LaneKind::Iterations || lane.row_count() == 0) continue;
    const trace::Row& row = lane.row(0);
    const trace::EventIndex first = row.first();
    const trace::EventIndex last = row.last();
    if (first >= last) continue;
    const auto wanted =
        std::min<trace::EventIndex>(static_cast<trace::EventIndex>(std::max(1, iterations)), last - first);
    const trace::EventIndex from = first + (last - first - wanted) / 2;
    return {row.start(from), row.end(from + wanted - 1)};
  }
  return trace.extent();
}

}  // namespace lanescope::ui
