#include "picture/themed_svg.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "io/escaped_text.h"
#include "picture/svg.h"

namespace lanescope::ui {
namespace {

constexpr std::uint32_t kOpaque = 0xff000000u;
constexpr std::size_t kHexDigits = 6;

// Assigns a number to every pair of colours, which is then written in place of the colour.
class Numbering {
 public:
  explicit Numbering(std::vector<ThemedSvg::Paint>& paints) : paints_(paints) {}

  void apply(std::uint32_t& dark, std::uint32_t light) {
    if ((dark | light) >> 24 == 0) return;  // invisible in both themes
    const auto [known, is_new] = numbers_.try_emplace({dark, light}, static_cast<std::uint32_t>(paints_.size()));
    if (is_new) paints_.push_back({dark, light});
    dark = kOpaque | known->second;
  }

 private:
  std::vector<ThemedSvg::Paint>& paints_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
};

// The themes must differ in colours only.
bool same_shape(const PictureSheet& a, const PictureSheet& b) {
  if (a.layers.size() != b.layers.size()) return false;
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    const SpanBatch &x = a.layers[i].batch, &y = b.layers[i].batch;
    if (x.spans.size() != y.spans.size() || x.labels.size() != y.labels.size()) return false;
    if (a.layers[i].ribbons.size() != b.layers[i].ribbons.size()) return false;
  }
  return true;
}

void number_colours(PictureSheet& dark, const PictureSheet& light, std::vector<ThemedSvg::Paint>& paints) {
  Numbering numbering(paints);
  numbering.apply(dark.ground, light.ground);
  for (std::size_t i = 0; i < dark.layers.size(); ++i) {
    SpanBatch& batch = dark.layers[i].batch;
    const SpanBatch& other = light.layers[i].batch;
    for (std::size_t s = 0; s < batch.spans.size(); ++s) {
      numbering.apply(batch.spans[s].colour, other.spans[s].colour);
      numbering.apply(batch.spans[s].ink, other.spans[s].ink);
    }
    for (std::size_t l = 0; l < batch.labels.size(); ++l) {
      numbering.apply(batch.labels[l].colour, other.labels[l].colour);
      numbering.apply(batch.labels[l].ground, other.labels[l].ground);
    }
    for (std::size_t r = 0; r < dark.layers[i].ribbons.size(); ++r) {
      numbering.apply(dark.layers[i].ribbons[r].fill, light.layers[i].ribbons[r].fill);
      numbering.apply(dark.layers[i].ribbons[r].edge, light.layers[i].ribbons[r].edge);
    }
  }
}

std::uint32_t number_in(std::string_view digits) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(std::stoul(std::string(digits.substr(at, 2)), nullptr, 16));
  };
  return byte(0) | byte(2) << 8 | byte(4) << 16;
}

// Matches attributes only: in text, the quotation mark in front would be escaped.
void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string with_variables(std::string_view svg, std::string_view prefix) {
  std::string out;
  for (;;) {
    const std::size_t at = svg.find("=\"#");
    if (at == std::string_view::npos) return out += svg;
    const std::size_t digits = at + 3;
    out += svg.substr(0, at);
    out += fmt::format("=\"var(--{}{})", prefix, number_in(svg.substr(digits, kHexDigits)));
    svg.remove_prefix(digits + kHexDigits);
  }
}

// Only the <svg> element, without ids that would be duplicates in a page.
std::string element(std::string svg, const PictureSheet& sheet, std::string_view prefix, std::string_view alt) {
  const std::size_t end_of_head = svg.find("<defs>");
  const std::size_t body = end_of_head == std::string::npos ? 0 : end_of_head;
  std::string out = fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">\n",
      io::xml_text(alt), sheet.width, sheet.height, sheet.width, sheet.height);
  out += with_variables(std::string_view(svg).substr(body), prefix);
  replace_all(out, "\"url(#", fmt::format("\"url(#{}", prefix));
  replace_all(out, " id=\"", fmt::format(" id=\"{}", prefix));
  return out;
}

}  // namespace

ThemedSvg themed_svg(const PictureRequest& request, const TextMeasure& fonts, std::string_view prefix,
                     std::string_view alt) {
  ThemedSvg drawn;
  PictureRequest dark = request, light = request;
  dark.theme = ThemeName::Dark;
  light.theme = ThemeName::Light;
  PictureSheet sheet = PictureLayout(light).sheet(fonts);
  if (PictureSheet other = PictureLayout(dark).sheet(fonts); same_shape(other, sheet)) {
    number_colours(other, sheet, drawn.paints);
    sheet = std::move(other);
  } else {
    const PictureSheet same = sheet;
    number_colours(sheet, same, drawn.paints);
  }
  drawn.svg = element(svg_document(sheet, fonts, 1, {}, {}), sheet, prefix, alt);
  return drawn;
}

}  // namespace lanescope::ui
