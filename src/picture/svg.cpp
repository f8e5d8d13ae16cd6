#include "picture/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "io/escaped_text.h"

namespace lanescope::ui {
namespace {

// The lengths in shaders/span.vert, in logical pixels. Those of slanted stripes are along x + y.
constexpr float kHatchPeriod = 9, kHatchHalf = 1.9f;
constexpr float kUnknownPeriod = 12, kUnknownHalf = 0.75f;
constexpr float kDash = 4, kDashPeriod = 7;
constexpr float kFoldedShade = 0.22f;  // as in shaders/span.frag

// At most two decimals, without trailing zeros.
std::string number(float value) {
  std::string text = fmt::format("{:.2f}", std::isfinite(value) ? value : 0.0f);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(std::uint32_t colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour & 255, colour >> 8 & 255, colour >> 16 & 255);
}

float alpha_of(std::uint32_t colour) { return static_cast<float>(colour >> 24) / 255; }

// fill="#rrggbb", with the opacity unless it is 1.
std::string paint(const char* what, std::uint32_t colour, float opacity = 1) {
  const float alpha = alpha_of(colour) * opacity;
  std::string text = fmt::format(" {}=\"{}\"", what, hex(colour));
  if (alpha < 0.999f) text += fmt::format(" {}-opacity=\"{}\"", what, number(alpha));
  return text;
}

std::string rect(float x, float y, float width, float height, float radius, const std::string& attributes) {
  std::string text = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(x), number(y),
                                 number(width), number(height));
  if (radius > 0.05f) text += fmt::format(" rx=\"{}\"", number(radius));
  return text + attributes + "/>\n";
}

// Stripes of one colour; a tile is as wide and high as their period along x + y.
std::string pattern_id(bool unknown, std::uint32_t ink) { return fmt::format("{}{:08x}", unknown ? 'u' : 'h', ink); }

std::string pattern(bool unknown, std::uint32_t ink) {
  const float p = unknown ? kUnknownPeriod : kHatchPeriod;
  const float width = 2 * (unknown ? kUnknownHalf : kHatchHalf) * 0.7071f;
  const float q = p / 4;
  return fmt::format(
      "<pattern id=\"{0}\" width=\"{1}\" height=\"{1}\" patternUnits=\"userSpaceOnUse\">"
      "<path d=\"M-{2},{2} L{2},-{2} M0,{1} L{1},0 M{3},{4} L{4},{3}\"{5} stroke-width=\"{6}\"/></pattern>\n",
      pattern_id(unknown, ink), number(p), number(q), number(p - q), number(p + q), paint("stroke", ink),
      number(width));
}

// The outline of a dashed span: each side has a whole number of dashes with half a dash at each end; round corners are
// drawn.
std::string dashes(const Span& s, float radius) {
  const float inset = s.stroke / 2;
  const float x0 = s.x0 + inset, y0 = s.y0 + inset, x1 = s.x1 - inset, y1 = s.y1 - inset;
  const float r = std::max(0.0f, radius - inset);
  const auto attributes = [&](float side) {
    const float period = side / std::max(1.0f, std::floor(side / kDashPeriod + 0.5f));
    const float dash = std::min(kDash, period);
    return fmt::format(" stroke-width=\"{}\" stroke-dasharray=\"{} {}\" stroke-dashoffset=\"{}\"/>\n", number(s.stroke),
                       number(dash), number(period - dash), number(dash / 2 + radius));
  };
  const std::string line = "<path fill=\"none\"" + paint("stroke", s.ink);
  std::string text =
      line + fmt::format(" d=\"M{0},{2} H{1} M{0},{3} H{1}\"", number(x0 + r), number(x1 - r), number(y0), number(y1)) +
      attributes(s.x1 - s.x0);
  text += line +
          fmt::format(" d=\"M{0},{2} V{3} M{1},{2} V{3}\"", number(x0), number(x1), number(y0 + r), number(y1 - r)) +
          attributes(s.y1 - s.y0);
  if (r < 0.05f) return text;
  return text + line +
         fmt::format(
             " stroke-width=\"{}\" d=\"M{},{} a{r},{r} 0 0 1 {r},-{r} M{},{} a{r},{r} 0 0 1 {r},{r} "
             "M{},{} a{r},{r} 0 0 1 -{r},{r} M{},{} a{r},{r} 0 0 1 -{r},-{r}\"/>\n",
             number(s.stroke), number(x0), number(y0 + r), number(x1 - r), number(y0), number(x1), number(y1 - r),
             number(x0 + r), number(y1), fmt::arg("r", number(r)));
}

std::string span_text(const Span& s) {
  const float width = s.x1 - s.x0, height = s.y1 - s.y0;
  const float radius = std::min(s.rounding, std::min(width, height) / 2);
  const auto filled = [&](std::uint32_t colour) {
    return alpha_of(colour) > 0 ? rect(s.x0, s.y0, width, height, radius, paint("fill", colour)) : std::string();
  };
  switch (s.style) {
    case SpanStyle::Solid:
      return filled(s.colour);
    case SpanStyle::Hatched:  // the stripes start at the span's corner, so the pattern is moved there
      return filled(s.colour) + rect(0, 0, width, height, radius,
                                     fmt::format(" transform=\"translate({},{})\" fill=\"url(#{})\"", number(s.x0),
                                                 number(s.y0), pattern_id(false, s.ink)));
    case SpanStyle::Unknown:
      return filled(s.colour) +
             rect(s.x0, s.y0, width, height, radius, fmt::format(" fill=\"url(#{})\"", pattern_id(true, s.ink)));
    case SpanStyle::Dashed:
      return filled(s.colour) + dashes(s, radius);
    case SpanStyle::Outline: {
      const float inset = s.stroke / 2;
      return filled(s.colour) +
             rect(s.x0 + inset, s.y0 + inset, std::max(0.0f, width - s.stroke), std::max(0.0f, height - s.stroke),
                  std::max(0.0f, radius - inset),
                  " fill=\"none\"" + paint("stroke", s.ink) + fmt::format(" stroke-width=\"{}\"", number(s.stroke)));
    }
    case SpanStyle::Folded: {
      const float shaded = std::clamp(s.busy, 0.0f, 1.0f) * height;
      std::string text;
      if (shaded < height) text = rect(s.x0, s.y0, width, height - shaded, 0, paint("fill", s.colour, kFoldedShade));
      if (shaded > 0) text += rect(s.x0, s.y1 - shaded, width, shaded, 0, paint("fill", s.colour));
      return text;
    }
  }
  return {};
}

struct Face {
  const char* family;
  int weight;
};

Face face_of(FontRole role) {
  constexpr const char* kText = "Inter, Roboto, 'DejaVu Sans', 'WenQuanYi Micro Hei', 'Noto Sans CJK SC', sans-serif";
  constexpr const char* kMono = "'JetBrains Mono', 'DejaVu Sans Mono', monospace";
  switch (role) {
    case FontRole::BodyBold:
    case FontRole::SmallBold:
      return {kText, 600};
    case FontRole::Title:
    case FontRole::Verdict:
      return {kText, 700};
    case FontRole::Mono:
    case FontRole::MonoSmall:
      return {kMono, 400};
    default:
      return {kText, 400};
  }
}

std::string label_text(const TextMeasure& fonts, const Label& label, const Rect& clip) {
  const float line = fonts.size(label.font), height = std::max(label.height, line);
  if (label.y > clip.y + clip.height || label.y + height < clip.y || label.x > clip.x + clip.width ||
      label.x + label.max_width < clip.x) {
    return {};
  }
  const auto placed = place_label(fonts, label);
  if (!placed) return {};
  const float x = placed->x, y = placed->y, length = placed->length;
  // A label anchored at its alignment point keeps its place in viewers that have other fonts and do not stretch text.
  float anchor = x, base = y + fonts.ascent(label.font);
  std::string placing;
  if (placed->upright) {
    anchor = x + fonts.ascent(label.font);
    base = y + length / 2;
    placing = fmt::format(" text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", number(anchor), number(base));
  } else if (label.align == LabelAlign::Centre) {
    anchor = x + length / 2;
    placing = " text-anchor=\"middle\"";
  } else if (label.align == LabelAlign::Right) {
    anchor = x + length;
    placing = " text-anchor=\"end\"";
  }
  std::string text;
  if (alpha_of(label.ground) > 0) {
    const float pad = line * 0.4f;
    text = rect(x - pad, y - 1, length + 2 * pad, line + 2, 4, paint("fill", label.ground));
  }
  std::string shown(placed->shown);
  if (placed->cut) shown += kEllipsis;
  // With textLength, a label takes the same space in viewers without these fonts.
  return text + fmt::format(
                    "<text class=\"f{}\" x=\"{}\" y=\"{}\"{} textLength=\"{}\" "
                    "lengthAdjust=\"spacingAndGlyphs\"{}>{}</text>\n",
                    static_cast<int>(label.font), number(anchor), number(base), placing, number(length),
                    paint("fill", label.colour), io::xml_text(shown));
}

std::string ribbon_text(const JobRibbon& r) {
  return fmt::format("<path d=\"M{},{} H{} L{},{} H{} Z\"{}/>\n", number(r.top_left), number(r.top),
                     number(r.top_right), number(r.bottom_right), number(r.bottom), number(r.bottom_left),
                     paint("fill", r.fill)) +
         fmt::format("<path d=\"M{},{} L{},{}\"{}/>\n", number(r.top_left), number(r.top), number(r.bottom_left),
                     number(r.bottom), paint("stroke", r.edge));
}

bool is_drawn(const Span& s, const Rect& clip) {
  return s.x1 > s.x0 && s.y1 > s.y0 && s.x1 > clip.x && s.x0 < clip.x + clip.width && s.y1 > clip.y &&
         s.y0 < clip.y + clip.height;
}

// The definitions used by the layers: clips, patterns and fonts.
std::string definitions(const PictureSheet& sheet) {
  // Spaces are significant: browsers need that stated here, other viewers in xml:space.
  std::string text = "<defs>\n<style type=\"text/css\">text{white-space:pre}\n";
  std::set<FontRole> roles;
  std::set<std::pair<bool, std::uint32_t>> patterns;
  for (const PictureLayer& layer : sheet.layers) {
    for (const Label& label : layer.batch.labels) roles.insert(label.font);
    for (const Span& span : layer.batch.spans) {
      if (span.style == SpanStyle::Hatched || span.style == SpanStyle::Unknown) {
        if (is_drawn(span, layer.clip)) patterns.insert({span.style == SpanStyle::Unknown, span.ink});
      }
    }
  }
  for (const FontRole role : roles) {
    const Face face = face_of(role);
    text += fmt::format(".f{}{{font-family:{};font-size:{}px;font-weight:{}}}\n", static_cast<int>(role), face.family,
                        number(em_size(role)), face.weight);
  }
  text += "</style>\n";
  for (const auto& [unknown, ink] : patterns) text += pattern(unknown, ink);
  for (std::size_t i = 0; i < sheet.layers.size(); ++i) {
    const Rect& clip = sheet.layers[i].clip;
    text +=
        fmt::format("<clipPath id=\"c{}\">{}</clipPath>\n", i, rect(clip.x, clip.y, clip.width, clip.height, 0, ""));
  }
  return text + "</defs>\n";
}

}  // namespace

std::string svg_document(const PictureSheet& sheet, const TextMeasure& fonts, float scale, std::string_view title,
                         const std::map<std::string, std::string>& text) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "xml:space=\"preserve\">\n",
      number(sheet.width * scale), number(sheet.height * scale), number(sheet.width), number(sheet.height));
  out += fmt::format("<title>{}</title>\n", io::xml_text(title));
  if (const auto found = text.find("Description"); found != text.end() && !found->second.empty()) {
    out += fmt::format("<desc>{}</desc>\n", io::xml_text(found->second));
  }
  out += "<metadata xmlns:lanescope=\"urn:lanescope:picture\">\n";
  for (const auto& [key, value] : text) {
    out += fmt::format("<lanescope:text key=\"{}\">{}</lanescope:text>\n", io::xml_text(key), io::xml_text(value));
  }
  out += "</metadata>\n" + definitions(sheet);
  out += rect(0, 0, sheet.width, sheet.height, 0, paint("fill", sheet.ground));
  for (std::size_t i = 0; i < sheet.layers.size(); ++i) {
    const PictureLayer& layer = sheet.layers[i];
    if (layer.batch.empty() && layer.ribbons.empty()) continue;
    out += fmt::format("<g clip-path=\"url(#c{})\">\n", i);
    for (const Span& span : layer.batch.spans) {
      if (is_drawn(span, layer.clip)) out += span_text(span);
    }
    for (const Label& label : layer.batch.labels) out += label_text(fonts, label, layer.clip);
    for (const JobRibbon& ribbon : layer.ribbons) out += ribbon_text(ribbon);
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

// --- themed svg ------------------------------------------------------------------------------------------------------

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
