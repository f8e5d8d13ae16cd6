#include "render/draw_pictures.h"

#include <imgui.h>

#include <functional>
#include <memory>
#include <optional>

#include "io/atomic_file.h"
#include "picture/svg.h"
#include "render/imgui_image.h"
#include "render/labels.h"
#include "render/offscreen.h"
#include "render/span_renderer.h"

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

}  // namespace lanescope::ui
