#include "window/panels/run/run_panels.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
using base::tr;
using Lane = io::FirstPicture::Lane;

constexpr float kPitch = 24, kStrip = 18, kNames = 250, kNote = 24;
constexpr float kPictureShare = 0.6f;  // of the window's height, at most

bool has_strip(const Lane& lane) {
  return lane.info.kind != trace::LaneKind::Counter && lane.info.kind != trace::LaneKind::Markers;
}

Colour colour_of(trace::LaneKind kind) {
  switch (kind) {
    case trace::LaneKind::Iterations:
      return Colour::Range;
    case trace::LaneKind::Calls:
      return Colour::Call;
    case trace::LaneKind::Kernels:
      return Colour::Kernel;
    case trace::LaneKind::CopyH2D:
      return Colour::CopyH2D;
    case trace::LaneKind::CopyD2H:
      return Colour::CopyD2H;
    case trace::LaneKind::CopyOther:
      return Colour::CopyOther;
    default:
      return Colour::Phase;
  }
}

std::string picture_name_of(const trace::LaneInfo& info) {
  const std::string what = tr(info.name);
  if (trace::is_cpu_lane(info.kind)) return tr("{} · thread {}", what, info.tid);
  return tr("GPU {} · {}, stream {}", info.device, what, info.stream);
}

/// In the trace's order; of too many, those with the most events.
std::vector<const Lane*> chosen(const io::FirstPicture::Snapshot& look, std::size_t most) {
  std::vector<const Lane*> lanes;
  for (const Lane& lane : look.lanes) {
    if (has_strip(lane)) lanes.push_back(&lane);
  }
  if (lanes.size() > most) {
    std::ranges::stable_sort(lanes, [](const Lane* a, const Lane* b) { return a->events > b->events; });
    lanes.resize(most);
  }
  std::ranges::stable_sort(lanes, [](const Lane* a, const Lane* b) {
    const auto place = [](const trace::LaneInfo& i) {  // as TraceAssembly orders them
      return std::tuple(!trace::is_cpu_lane(i.kind), i.pid, i.tid, i.device, i.stream, i.kind);
    };
    return place(a->info) < place(b->info);
  });
  return lanes;
}

std::size_t most_lanes(const Canvas& c) {
  return static_cast<std::size_t>(std::max(1.0f, ImGui::GetIO().DisplaySize.y * kPictureShare / (kPitch * c.scale)));
}

std::size_t strips(const io::FirstPicture::Snapshot& look) {
  return static_cast<std::size_t>(std::ranges::count_if(look.lanes, has_strip));
}

/// How long a stretch is drawn. It grows in steps, so that the picture stands still between them.
double drawn_span(const io::FirstPicture::Snapshot& look, bool all_read) {
  const auto span = static_cast<double>(std::max<Nanoseconds>(1, look.to_ns - look.from_ns));
  const double power = std::exp2(std::floor(std::log2(span)));
  return all_read ? span : power * std::ceil(span / power * 8) / 8;
}

}  // namespace

float first_picture_height(const Canvas& c, const io::FirstPicture::Snapshot& look) {
  const std::size_t all = strips(look), shown = std::min(all, most_lanes(c));
  if (shown == 0) return 0;
  return (static_cast<float>(shown) * kPitch + kNote) * c.scale;
}

void draw_first_picture(const Canvas& c, ImDrawList& list, const Rect& at, const io::FirstPicture::Snapshot& look,
                        bool all_read) {
  const float s = c.scale;
  const std::vector<const Lane*> lanes = chosen(look, most_lanes(c));
  const float names = std::min(kNames * s, at.width / 3);
  const float left = at.x + names + 10 * s, width = at.width - names - 10 * s;
  const double span = drawn_span(look, all_read);
  const int pixels = std::max(1, static_cast<int>(width));
  std::vector<Label> labels;
  float y = at.y;
  for (const Lane* lane : lanes) {
    labels.push_back({at.x, y, names, c.theme[Colour::Muted], FontRole::Small, picture_name_of(lane->info), kStrip * s,
                      LabelAlign::Right});
    list.AddRectFilled({left, y}, {left + width, y + kStrip * s}, c.theme[Colour::Row]);
    const ImU32 colour = c.theme[colour_of(lane->info.kind)];
    // A pixel shows the busiest of its bins, as high as it is busy.
    for (int px = 0; px < pixels; ++px) {
      const auto bin_at = [&](int x) {
        const double t = static_cast<double>(look.from_ns - lane->from_ns) + span * x / pixels;
        return t / static_cast<double>(lane->bin_ns);
      };
      const auto size = static_cast<double>(lane->busy.size());
      const auto first = static_cast<std::size_t>(std::clamp(bin_at(px), 0.0, size - 1));
      const auto last = static_cast<std::size_t>(std::clamp(bin_at(px + 1), 0.0, size - 1));
      if (bin_at(px) >= size) break;
      float busy = 0;
      for (std::size_t i = first; i <= last; ++i) busy = std::max(busy, lane->busy[i]);
      if (busy <= 0) continue;
      const float high = std::max(1.0f, busy * kStrip * s), x = left + static_cast<float>(px);
      list.AddRectFilled({x, y + kStrip * s - high}, {x + 1, y + kStrip * s}, colour);
    }
    y += kPitch * s;
  }
  if (const std::size_t all = strips(look); all > lanes.size()) {
    labels.push_back({at.x, y, names, c.theme[Colour::Dim], FontRole::Small,
                      tr("and {} more lanes", all - lanes.size()), kNote * s, LabelAlign::Right});
  }
  const std::string length = base::format_duration(look.to_ns - look.from_ns);
  labels.push_back(
      {left, y, width, c.theme[Colour::Dim], FontRole::Small, all_read ? length : tr("{} so far", length), kNote * s});
  draw_labels(list, c.fonts, labels);
}

}  // namespace lanescope::ui
