#include "render/draw_pictures.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "device/device.h"
#include "experiment/named_figure.h"
#include "io/atomic_file.h"
#include "picture/svg.h"
#include "picture/sweep_chart.h"
#include "picture/words.h"
#include "render/imgui_image.h"
#include "render/labels.h"
#include "render/offscreen.h"
#include "render/span_renderer.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

io::Image rasterise(int width, int height, float scale, ThemeName theme, const ChineseTexts& letters,
                    const std::function<PictureSheet(const Fonts&)>& compose) {
  std::optional<OffscreenContext> own_context;
  if (!gl_context_is_current()) own_context.emplace();
  const auto renderer = std::make_unique<SpanRenderer>();
  PictureSheet sheet;
  const auto draw = [&](const Fonts& fonts) {
    if (sheet.layers.empty()) sheet = compose(fonts);
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    for (const PictureLayer& layer : sheet.layers) {
      const Rect& clip = layer.clip;
      list.PushClipRect({clip.x, clip.y}, {clip.x + clip.width, clip.y + clip.height});
      add_to_draw_list(list, *renderer, layer.batch);
      draw_labels(list, fonts, layer.batch.labels);
      draw_ribbons(list, layer.ribbons, 1);
      list.PopClipRect();
    }
  };
  return render_imgui_offscreen(width, height, scale, theme, draw, letters);
}

}  // namespace

io::Image draw_picture(const PictureRequest& request) {
  PictureLayout layout(request);
  check_picture_size(layout.size(), request.scale);
  return rasterise(request.width, layout.height(), request.scale, request.theme, picture_letters(request),
                   [&](const Fonts& fonts) { return layout.sheet(fonts); });
}

std::string draw_picture_svg(const PictureRequest& request) {
  PictureLayout layout(request);
  std::string document;
  // Measure text at the precision of a large picture.
  with_picture_fonts(2, picture_letters(request), [&](const Fonts& fonts) {
    document =
        svg_document(layout.sheet(fonts), fonts, request.scale, picture_headline(request), picture_text(request));
  });
  return document;
}

void write_picture(const std::filesystem::path& path, const PictureRequest& request) {
  if (picture_format(path) == PictureFormat::Svg) return io::write_text_file(path, draw_picture_svg(request));
  io::write_png(path, draw_picture(request), picture_text(request));
}

ThemedSvg draw_themed_svg(const PictureRequest& request, std::string_view prefix, std::string_view alt) {
  ThemedSvg drawn;
  with_picture_fonts(2, {}, [&](const Fonts& fonts) { drawn = themed_svg(request, fonts, prefix, alt); });
  return drawn;
}

PictureSize compare_picture_size(const ComparePicture& picture) {
  PictureSize size;
  with_picture_fonts(1, compare_letters(picture),
                     [&](const Fonts& fonts) { size = CompareLayout(picture, fonts).size(); });
  return size;
}

io::Image draw_compare_picture(const ComparePicture& picture) {
  int height = 0;
  with_picture_fonts(1, compare_letters(picture), [&](const Fonts& fonts) {
    const CompareLayout layout(picture, fonts);
    check_picture_size(layout.size(), picture.scale);
    height = layout.height();
  });
  return rasterise(picture.width, height, picture.scale, picture.theme, compare_letters(picture),
                   [&](const Fonts& fonts) { return CompareLayout(picture, fonts).sheet(); });
}

std::string draw_compare_svg(const ComparePicture& picture) {
  std::string document;
  with_picture_fonts(2, compare_letters(picture), [&](const Fonts& fonts) {
    document = svg_document(CompareLayout(picture, fonts).sheet(), fonts, picture.scale, compare_headline(picture),
                            compare_picture_text(picture));
  });
  return document;
}

void write_compare_picture(const std::filesystem::path& path, const ComparePicture& picture) {
  if (picture_format(path) == PictureFormat::Svg) return io::write_text_file(path, draw_compare_svg(picture));
  io::write_png(path, draw_compare_picture(picture), compare_picture_text(picture));
}

// --- sweep picture ---------------------------------------------------------------------------------------------------

namespace {

using base::tr;
using experiment::SweepPoint;

// The common parameters of drawing a chart.
struct Pen {
  ImDrawList& list;
  const Fonts& fonts;
  const Theme& theme;
  float s;
  const SweepChart& chart;

  void label(const Rect& r, Colour colour, FontRole role, const std::string& text,
             LabelAlign align = LabelAlign::Left) const {
    write(r, theme.as_text(colour), role, text, align);
  }
  void write(const Rect& r, std::uint32_t colour, FontRole role, const std::string& text, LabelAlign align) const {
    const Label label{r.x, r.y, r.width, colour, role, text, r.height, align};
    draw_labels(list, fonts, {&label, 1});
  }
};

std::string tick_text(double tick, std::string_view unit) {
  const std::string number = std::abs(tick) >= 1000 ? base::format_count(static_cast<std::int64_t>(std::llround(tick)))
                                                    : fmt::format("{:g}", tick);
  return unit.empty() ? number : fmt::format("{} {}", number, experiment::unit_in_words(unit));
}

// --- one axis --------------------------------------------------------------------------------------------------------

struct LineFrame {
  Rect plot;
  ValueScale scale;
  float x_of(std::size_t point, std::size_t count) const {
    return plot.x + plot.width * (static_cast<float>(point) + 0.5f) / static_cast<float>(count);
  }
  float y_of(double value) const { return plot.y + plot.height * (1 - scale.place(value)); }
};

void draw_grid(const Pen& pen, const LineFrame& frame) {
  const float s = pen.s;
  const Rect& plot = frame.plot;
  pen.list.AddRectFilled({plot.x, plot.y}, {plot.x + plot.width, plot.y + plot.height}, pen.theme[Colour::Row], 4 * s);
  for (const double tick : frame.scale.ticks()) {
    const float y = frame.y_of(tick);
    pen.list.AddLine({plot.x, y}, {plot.x + plot.width, y}, pen.theme[Colour::Line], 1);
    pen.label({plot.x - 96 * s, y - 9 * s, 88 * s, 18 * s}, Colour::Dim, FontRole::MonoSmall,
              tick_text(tick, pen.chart.texts.unit), LabelAlign::Right);
  }
  if (!pen.chart.texts.is_ratio) return;
  const float y = frame.y_of(1);
  for (float x = plot.x; x < plot.x + plot.width; x += 12 * s) {
    pen.list.AddLine({x, y}, {std::min(x + 6 * s, plot.x + plot.width), y}, pen.theme[Colour::Simulated], 2 * s);
  }
  pen.label({plot.x, y + 4 * s, plot.width - 8 * s, 18 * s}, Colour::Simulated, FontRole::SmallBold, tr("equally fast"),
            LabelAlign::Right);
}

// The first line has the accent, the others colours of names, none of which says what the lanes' colours say.
constexpr std::size_t kMostLines = 4;
std::uint32_t line_colour(const Theme& theme, std::size_t line) {
  constexpr std::array<std::size_t, kMostLines> kPlaces{0, 0, 8, 4};
  return line == 0 ? theme[Colour::Accent] : theme.categories[kPlaces[line]];
}

/// True for two axes of which the first selects a line.
bool is_several_lines(const experiment::SweepSpec& spec) {
  return spec.axes.size() == 2 && spec.axes[0].values.size() <= kMostLines &&
         std::ranges::none_of(spec.axes[0].values,
                              [](const std::string& value) { return axis_number(value).has_value(); });
}

void draw_one_line(const Pen& pen, const LineFrame& frame, std::span<const SweepPoint> points, std::size_t first,
                   std::uint32_t colour, float each) {
  const float s = pen.s;
  std::vector<ImVec2> dots;
  const auto flush_line = [&] {
    if (dots.size() > 1) {
      pen.list.AddPolyline(dots.data(), static_cast<int>(dots.size()), colour, 0, 2.5f * s);
    }
    dots.clear();
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].value) {
      dots.push_back({frame.x_of(i, points.size()), frame.y_of(*points[i].value)});
    } else {
      flush_line();  // a missing point interrupts the line
    }
  }
  flush_line();
  const Rect& plot = frame.plot;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float x = frame.x_of(i, points.size());
    const bool marked = pen.chart.marked == first + i;
    if (!points[i].value) {
      const bool failed = points[i].done;
      pen.label({x - each / 2, plot.y + plot.height - 26 * s, each, 18 * s}, failed ? Colour::Wait : Colour::Faint,
                FontRole::Small, failed ? tr("failed") : "·", LabelAlign::Centre);
      continue;
    }
    const float y = frame.y_of(*points[i].value);
    pen.list.AddCircleFilled({x, y}, (marked ? 7 : 5) * s, colour, 24);
    pen.list.AddCircle({x, y}, (marked ? 7 : 5) * s, pen.theme[Colour::Ground], 24, 1.5f * s);
  }
}

// Draws the values beside their dots, for all lines: above, otherwise below, and not at all if both places are taken.
// The marked point's value comes first.
void draw_values(const Pen& pen, const LineFrame& frame, std::size_t count, float each) {
  const float s = pen.s;
  const auto& points = pen.chart.points;
  std::vector<Rect> taken;
  const auto is_free = [&](const Rect& r) {
    return std::ranges::none_of(taken, [&](const Rect& t) {
      return r.x < t.x + t.width && t.x < r.x + r.width && r.y < t.y + t.height && t.y < r.y + r.height;
    });
  };
  const auto draw_value = [&](std::size_t point, bool marked) {
    if (!points[point].value) return;
    const std::string text = sweep_value_text(*points[point].value, pen.chart.texts.unit);
    const float width = text_width(pen.fonts, FontRole::MonoSmall, text) + 8 * s;
    if (width > each && !marked) return;
    const float x = frame.x_of(point % count, count);
    const float y = frame.y_of(*points[point].value);
    Rect place{x - width / 2, y - 28 * s, width, 18 * s};
    if (y - frame.plot.y <= 30 * s || !is_free(place)) place.y = y + 10 * s;
    if (!is_free(place)) return;
    taken.push_back(place);
    pen.list.AddRectFilled({place.x, place.y}, {place.x + place.width, place.y + place.height},
                           with_alpha(pen.theme[Colour::Row], 0.85f), 3 * s);
    pen.label(place, Colour::Text, FontRole::MonoSmall, text, LabelAlign::Centre);
  };
  const std::size_t all = points.size() - points.size() % count;
  const std::size_t first = pen.chart.marked.value_or(all);
  if (first < all) draw_value(first, true);
  // The largest value of a column gets the place above its dot.
  std::vector<std::size_t> order(all);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return points[i].value.value_or(0); });
  for (const std::size_t i : order) {
    if (i != first) draw_value(i, false);
  }
}

/// Right-aligned at `right`, beside the chart's title.
void draw_legend(const Pen& pen, const Rect& area, float right) {
  const float s = pen.s;
  const experiment::Axis& axis = pen.chart.spec.axes[0];
  float x = right;
  for (std::size_t i = axis.values.size(); i-- > 0;) {
    const std::string text = pen.chart.texts.axes[0] + ": " + pen.chart.texts.values[0][i];
    const float width = text_width(pen.fonts, FontRole::Body, text);
    x -= width;
    pen.label({x, area.y, width + 2 * s, 22 * s}, Colour::Text, FontRole::Body, text);
    pen.list.AddRectFilled({x - 26 * s, area.y + 9 * s}, {x - 8 * s, area.y + 13 * s}, line_colour(pen.theme, i),
                           2 * s);
    x -= 46 * s;
  }
}

std::optional<std::size_t> draw_lines(const Pen& pen, const Rect& area, float mouse_x, float mouse_y) {
  const float s = pen.s;
  const auto& points = pen.chart.points;
  const experiment::Axis& axis = pen.chart.spec.axes.back();
  const std::size_t count = axis.values.size();
  const LineFrame frame{{area.x + 104 * s, area.y + 40 * s, area.width - 116 * s, area.height - 100 * s},
                        value_scale(points, pen.chart.texts.is_ratio)};
  const Rect& plot = frame.plot;
  pen.label({area.x, area.y, area.width, 22 * s}, Colour::Text, FontRole::BodyBold, pen.chart.texts.value);
  float right = area.x + area.width - 12 * s;
  if (frame.scale.logarithmic) {
    const std::string text = tr("logarithmic scale");
    pen.label({area.x, area.y, right - area.x, 22 * s}, Colour::Dim, FontRole::Small, text, LabelAlign::Right);
    right -= text_width(pen.fonts, FontRole::Small, text) + 24 * s;
  }
  if (is_several_lines(pen.chart.spec)) draw_legend(pen, area, right);
  draw_grid(pen, frame);

  const float each = plot.width / static_cast<float>(std::max<std::size_t>(1, count));
  std::optional<std::size_t> hit;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = frame.x_of(i, count);
    const bool marked = pen.chart.marked && *pen.chart.marked % count == i;
    if (marked) {
      pen.list.AddRectFilled({x - each / 2, plot.y}, {x + each / 2, plot.y + plot.height},
                             with_alpha(pen.theme[Colour::Accent], 0.10f));
    }
    pen.label({x - each / 2, plot.y + plot.height + 6 * s, each, 18 * s}, marked ? Colour::Text : Colour::Muted,
              FontRole::Mono, pen.chart.texts.values.back()[i], LabelAlign::Centre);
    const bool under_mouse =
        std::abs(mouse_x - x) <= each / 2 && mouse_y >= plot.y && mouse_y <= plot.y + plot.height + 30 * s;
    if (!under_mouse) continue;
    // Of several lines, the nearest.
    float nearest = 0;
    for (std::size_t point = i; point < points.size(); point += count) {
      const float away = points[point].value ? std::abs(frame.y_of(*points[point].value) - mouse_y) : plot.height;
      if (!hit || away < nearest) {
        hit = point;
        nearest = away;
      }
    }
  }
  for (std::size_t first = 0; first + count <= points.size(); first += count) {
    draw_one_line(pen, frame, points.subspan(first, count), first, line_colour(pen.theme, first / count), each);
  }
  if (count > 0) draw_values(pen, frame, count, each);
  pen.label({plot.x, plot.y + plot.height + 30 * s, plot.width, 20 * s}, Colour::Muted, FontRole::Body,
            pen.chart.texts.axes.back(), LabelAlign::Centre);
  return hit;
}

// --- two axes

// The position of a value among all: 0 for the minimum, 1 for the maximum. Ratios logarithmically, with 1 in the
// middle.
struct Shade {
  double low = 0, high = 0;
  bool is_ratio = false;

  std::uint32_t colour(const Theme& theme, double value) const {
    if (is_ratio) {
      const double reach = std::max({std::abs(std::log(low)), std::abs(std::log(high)), 1e-9});
      const auto amount = static_cast<float>(std::clamp(std::abs(std::log(value)) / reach, 0.0, 1.0));
      return mix(theme[Colour::PanelRaised], theme[value >= 1 ? Colour::Kernel : Colour::Wait], 0.15f + 0.7f * amount);
    }
    const double span = std::log(high / low);
    const double at = low > 0 && span > 0 ? std::log(value / low) / span : 0.5;
    return mix(theme[Colour::PanelRaised], theme[Colour::Accent],
               0.1f + 0.75f * static_cast<float>(std::clamp(at, 0.0, 1.0)));
  }
};

Shade shade_of(std::span<const SweepPoint> points, bool is_ratio) {
  Shade shade{0, 0, is_ratio};
  for (const SweepPoint& point : points) {
    if (!point.value || *point.value <= 0) continue;
    shade.low = shade.low == 0 ? *point.value : std::min(shade.low, *point.value);
    shade.high = std::max(shade.high, *point.value);
  }
  if (shade.low == 0) shade.low = shade.high = 1;
  return shade;
}

std::optional<std::size_t> draw_heat_map(const Pen& pen, const Rect& area, float mouse_x, float mouse_y) {
  const float s = pen.s;
  const auto& points = pen.chart.points;
  const auto &rows = pen.chart.texts.values[0], &columns = pen.chart.texts.values[1];
  float row_names = 60 * s;
  for (const std::string& row : rows) row_names = std::max(row_names, text_width(pen.fonts, FontRole::Mono, row));
  row_names += 16 * s;
  pen.label({area.x, area.y, area.width, 22 * s}, Colour::Text, FontRole::BodyBold, pen.chart.texts.value);
  // The axes' names are beside their values: over the columns, and over the rows' values.
  const Rect grid{area.x + row_names, area.y + 74 * s, area.width - row_names - 12 * s, area.height - 110 * s};
  pen.label({grid.x, area.y + 30 * s, grid.width, 20 * s}, Colour::Muted, FontRole::Body,
            pen.chart.texts.axes[1] + "  →", LabelAlign::Centre);
  pen.label({area.x, area.y + 52 * s, row_names + 60 * s, 20 * s}, Colour::Muted, FontRole::Body,
            pen.chart.texts.axes[0] + "  ↓");
  const float width = grid.width / static_cast<float>(columns.size());
  const float height = std::min(grid.height / static_cast<float>(rows.size()), 120 * s);
  const Shade shade = shade_of(points, pen.chart.texts.is_ratio);
  std::optional<std::size_t> hit;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    pen.label({grid.x + width * static_cast<float>(c) + 60 * s * static_cast<float>(c == 0), area.y + 52 * s,
               width - 60 * s * static_cast<float>(c == 0), 20 * s},
              Colour::Text, FontRole::Mono, columns[c], LabelAlign::Centre);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<std::size_t> place = pen.chart.spec.place(i);
    const float gap = 2 * s;
    const Rect cell{grid.x + width * static_cast<float>(place[1]), grid.y + height * static_cast<float>(place[0]),
                    width - gap, height - gap};
    if (place[1] == 0) {
      pen.label({area.x, cell.y, row_names - 10 * s, cell.height}, Colour::Text, FontRole::Mono, rows[place[0]],
                LabelAlign::Right);
    }
    const std::optional<double>& value = points[i].value;
    const std::uint32_t fill = value ? shade.colour(pen.theme, *value) : pen.theme[Colour::Row];
    pen.list.AddRectFilled({cell.x, cell.y}, {cell.x + cell.width, cell.y + cell.height}, fill, 4 * s);
    const bool under_mouse =
        mouse_x >= cell.x && mouse_x < cell.x + cell.width && mouse_y >= cell.y && mouse_y < cell.y + cell.height;
    if (under_mouse) hit = i;
    if (pen.chart.marked == i) {
      pen.list.AddRect({cell.x, cell.y}, {cell.x + cell.width, cell.y + cell.height}, pen.theme[Colour::Selection],
                       4 * s, 0, 2 * s);
    }
    const std::string text = value            ? sweep_value_text(*value, pen.chart.texts.unit)
                             : points[i].done ? std::string(tr("failed"))
                                              : std::string("·");
    const std::uint32_t dark = 0xff10140fu, light = 0xffffffffu;
    const std::uint32_t ink = contrast(fill, dark) > contrast(fill, light) ? dark : light;
    const bool wide = text_width(pen.fonts, FontRole::Title, text) < cell.width - 12 * s && cell.height > 34 * s;
    pen.write(cell, value ? ink : pen.theme[Colour::Dim], wide ? FontRole::Title : FontRole::MonoSmall, text,
              LabelAlign::Centre);
  }
  const float below = grid.y + height * static_cast<float>(rows.size()) + 8 * s;
  if (pen.chart.texts.is_ratio) {
    pen.label({grid.x, below, grid.width, 20 * s}, Colour::Muted, FontRole::Small,
              tr("green: faster here; red: slower here; the paler, the closer to equal"), LabelAlign::Centre);
  }
  return hit;
}

}  // namespace

std::optional<std::size_t> draw_sweep_chart(ImDrawList& list, const Fonts& fonts, const Theme& theme, float scale,
                                            const SweepChart& chart, const Rect& area, float mouse_x, float mouse_y) {
  if (chart.spec.axes.empty() || chart.points.empty()) return std::nullopt;
  const Pen pen{list, fonts, theme, scale, chart};
  const bool lines = chart.spec.axes.size() == 1 || is_several_lines(chart.spec);
  return lines ? draw_lines(pen, area, mouse_x, mouse_y) : draw_heat_map(pen, area, mouse_x, mouse_y);
}

// --- sweep picture ---------------------------------------------------------------------------------------------------

namespace {

constexpr int kWidth = 1200, kHeight = 720;
constexpr float kMargin = 24, kHead = 70, kFoot = 34;

bool simulated(const SweepPicture& picture) {
  return std::any_of(picture.points.begin(), picture.points.end(), [](const auto& p) { return p.simulated; });
}

std::string settings_text(const SweepPicture& picture) {
  std::string text =
      picture.spec.workload + "   ·   " + device::name_in_words(device::describe_device(picture.spec.device).name);
  for (const std::string& assignment : picture.spec.assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    const bool varied = std::ranges::any_of(picture.spec.axes, [&](const auto& axis) { return axis.key == key; });
    if (!varied) text += "   " + assignment;
  }
  if (!picture.spec.against.empty()) {
    text += "   ·   " + tr("compared with {}", picture.spec.against);
  }
  return text;
}

}  // namespace

io::Image draw_sweep_picture(const SweepPicture& picture) {
  std::optional<OffscreenContext> own_context;
  if (!gl_context_is_current()) own_context.emplace();
  const Theme& colours = theme(picture.theme);
  const SweepTexts texts = sweep_texts(picture.spec, picture.unit, picture.points);
  ChineseTexts letters = catalogue_letters(base::language());
  letters.title += picture.headline;
  const auto draw = [&](const Fonts& fonts) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    std::vector<Label> labels;
    const std::string headline =
        picture.headline.empty() ? base::tr(workload::workload_info(picture.spec.workload).title) : picture.headline;
    labels.push_back({kMargin, 14, kWidth - 260, colours[Colour::Text], FontRole::Title, headline, 26});
    labels.push_back(
        {kMargin, 40, kWidth - 2 * kMargin, colours[Colour::Muted], FontRole::Small, settings_text(picture), 18});
    if (simulated(picture)) {
      const std::string badge = tr("SIMULATED");
      const float width = text_width(fonts, FontRole::BodyBold, badge) + 36;
      const ImVec2 at{kWidth - kMargin - width, 14};
      list.AddRectFilled(at, {at.x + width, at.y + 26}, colours[Colour::Simulated], 5);
      labels.push_back(
          {at.x, at.y, width, colours[Colour::SimulatedInk], FontRole::BodyBold, badge, 26, LabelAlign::Centre});
    }
    list.AddRectFilled({0, kHead - 4}, {kWidth, kHead - 3}, colours[Colour::Line]);
    const Rect area{kMargin, kHead + 10, kWidth - 2 * kMargin, kHeight - kHead - kFoot - 14};
    draw_sweep_chart(list, fonts, colours, 1, {picture.spec, picture.points, texts, std::nullopt}, area, -1, -1);
    std::string foot = "Lanescope";
    if (simulated(picture)) foot += std::string("  ·  ") + tr("simulated, not measured on a GPU");
    list.AddRectFilled({0, kHeight - kFoot}, {kWidth, kHeight - kFoot + 1}, colours[Colour::Line]);
    labels.push_back(
        {kMargin, kHeight - kFoot, kWidth - 2 * kMargin, colours[Colour::Dim], FontRole::Small, foot, kFoot});
    draw_labels(list, fonts, labels);
  };
  return render_imgui_offscreen(kWidth, kHeight, picture.scale, picture.theme, draw, letters);
}

std::map<std::string, std::string> sweep_picture_text(const SweepPicture& picture) {
  std::map<std::string, std::string> text;
  text["Software"] = "Lanescope";
  text["workload"] = picture.spec.workload;
  text["device"] = picture.spec.device;
  text["simulated"] = simulated(picture) ? "true" : "false";
  text["figure"] = picture.spec.figure;
  if (!picture.spec.against.empty()) text["against"] = picture.spec.against;
  std::string values;
  for (const experiment::SweepPoint& point : picture.points) {
    values += values.empty() ? "" : "; ";
    for (std::size_t axis = 0; axis < point.at.size(); ++axis) {
      values += picture.spec.axes[axis].key + "=" + point.at[axis] + " ";
    }
    values += point.value ? sweep_value_text(*point.value, picture.unit) : "-";
  }
  text["Description"] = values;
  return text;
}

}  // namespace lanescope::ui
