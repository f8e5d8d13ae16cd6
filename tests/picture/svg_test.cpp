#include "picture/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture/xml.h"
#include "render/imgui_image.h"
#include "render/labels.h"

namespace lanescope::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kRed = 0xff0000ff, kHalfBlue = 0x80ff0000;

std::string document(const PictureSheet& sheet, float scale = 1, const std::map<std::string, std::string>& text = {}) {
  std::string svg;
  with_picture_fonts(2, {}, [&](const Fonts& fonts) { svg = svg_document(sheet, fonts, scale, "A title", text); });
  EXPECT_EQ(xml_fault(svg), "");
  return svg;
}

PictureSheet sheet_of(SpanBatch batch) { return {200, 100, 0xff101010, {{{10, 10, 150, 80}, std::move(batch)}}}; }

// The second span lies outside its layer's clip.
TEST(Svg, ATinySheetIsThisDocument) {
  SpanBatch batch;
  batch.solid(20, 20, 60.25f, 40, kRed, 3);
  batch.solid(165, 20, 180, 40, kRed);
  batch.solid(20, 50, 60, 60, kHalfBlue);
  EXPECT_EQ(document(sheet_of(batch), 2, {{"Description", "a < b"}, {"device", "sim"}}),
            R"svg(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 200 100" xml:space="preserve">
<title>A title</title>
<desc>a &lt; b</desc>
<metadata xmlns:lanescope="urn:lanescope:picture">
<lanescope:text key="Description">a &lt; b</lanescope:text>
<lanescope:text key="device">sim</lanescope:text>
</metadata>
<defs>
<style type="text/css">text{white-space:pre}
</style>
<clipPath id="c0"><rect x="10" y="10" width="150" height="80"/>
</clipPath>
</defs>
<rect x="0" y="0" width="200" height="100" fill="#101010"/>
<g clip-path="url(#c0)">
<rect x="20" y="20" width="40.25" height="20" rx="3" fill="#ff0000"/>
<rect x="20" y="50" width="40" height="10" fill="#0000ff" fill-opacity="0.5"/>
</g>
</svg>
)svg");
}

// Stripes of x + y, 9 apart: 3.8 of them inked, which across is 3.8 / sqrt(2) = 2.69. A hatched span is moved to where
// its stripes begin; those of the unknown, 12 apart, stay where they are on the sheet.
TEST(Svg, HatchingIsAPattern) {
  SpanBatch batch;
  batch.styled(SpanStyle::Hatched, 20, 30, 60, 50, kRed, kHalfBlue, 30);
  batch.styled(SpanStyle::Unknown, 70, 30, 90, 50, kRed & 0xffffff, kRed);
  const std::string svg = document(sheet_of(batch));
  EXPECT_THAT(svg, HasSubstr("<pattern id=\"h80ff0000\" width=\"9\" height=\"9\" patternUnits=\"userSpaceOnUse\">"
                             "<path d=\"M-2.25,2.25 L2.25,-2.25 M0,9 L9,0 M6.75,11.25 L11.25,6.75\""
                             " stroke=\"#0000ff\" stroke-opacity=\"0.5\" stroke-width=\"2.69\"/></pattern>"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"20\" y=\"30\" width=\"40\" height=\"20\" rx=\"10\" fill=\"#ff0000\"/>\n"
                             "<rect x=\"0\" y=\"0\" width=\"40\" height=\"20\" rx=\"10\""
                             " transform=\"translate(20,30)\" fill=\"url(#h80ff0000)\"/>"));
  EXPECT_THAT(svg, HasSubstr("<pattern id=\"uff0000ff\" width=\"12\" height=\"12\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"70\" y=\"30\" width=\"20\" height=\"20\" fill=\"url(#uff0000ff)\"/>"));
  EXPECT_THAT(svg, Not(HasSubstr("fill-opacity=\"0\""))) << "a ground that cannot be seen is not drawn";
}

// 42 wide is 6 dashes, one every 7; 20 high is 3, one every 6.67. The line runs 0.75 inside the edge and begins behind
// the corner's radius of 3: 2 (half a dash) and 3 into the pattern. A folded span of a quarter: 15 of 20 are a shade.
TEST(Svg, DashesOutlinesAndFolds) {
  SpanBatch batch;
  batch.styled(SpanStyle::Dashed, 20, 30, 62, 50, 0, kRed, 3);
  batch.styled(SpanStyle::Outline, 70, 30, 90, 50, 0, kRed, 4);
  batch.folded(100, 30, 104, 50, kRed, 0.25f);
  const std::string svg = document(sheet_of(batch));
  EXPECT_THAT(svg, HasSubstr("d=\"M23,30.75 H59 M23,49.25 H59\" stroke-width=\"1.5\" stroke-dasharray=\"4 3\""
                             " stroke-dashoffset=\"5\"/>"));
  EXPECT_THAT(svg, HasSubstr("d=\"M20.75,33 V47 M61.25,33 V47\" stroke-width=\"1.5\" stroke-dasharray=\"4 2.67\""));
  EXPECT_THAT(svg, HasSubstr("M20.75,33 a2.25,2.25 0 0 1 2.25,-2.25 M59,30.75 a2.25,2.25 0 0 1 2.25,2.25"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"70.75\" y=\"30.75\" width=\"18.5\" height=\"18.5\" rx=\"3.25\" fill=\"none\""
                             " stroke=\"#ff0000\" stroke-width=\"1.5\"/>"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"100\" y=\"30\" width=\"4\" height=\"15\" fill=\"#ff0000\""
                             " fill-opacity=\"0.22\"/>\n"
                             "<rect x=\"100\" y=\"45\" width=\"4\" height=\"5\" fill=\"#ff0000\"/>"));
}

TEST(Svg, TextsAreCutEscapedAndOfTheWindowsFonts) {
  SpanBatch batch;
  batch.add({20, 20, 120, kRed, FontRole::BodyBold, "a<b> & \"c\"\x01", 20});
  batch.add({20, 40, 60, kRed, FontRole::MonoSmall, "cudaLaunchKernel of a long name", 20});
  batch.add({20, 60, 9, kRed, FontRole::Small, "too narrow", 20});
  batch.add({20, 400, 90, kRed, FontRole::Small, "outside", 20});
  const std::string svg = document(sheet_of(batch));
  EXPECT_THAT(svg, HasSubstr(">a&lt;b&gt; &amp; &quot;c&quot;\xef\xbf\xbd</text>"));
  EXPECT_THAT(svg, HasSubstr("\xe2\x80\xa6</text>")) << "what is too long ends in an ellipsis";
  EXPECT_THAT(svg, Not(HasSubstr("too narrow")));
  EXPECT_THAT(svg, Not(HasSubstr("outside")));
  EXPECT_THAT(svg, HasSubstr(".f1{font-family:Inter, Roboto, 'DejaVu Sans'"));
  EXPECT_THAT(svg, HasSubstr("sans-serif;font-size:14px;font-weight:600}"));
  EXPECT_THAT(svg, HasSubstr("'JetBrains Mono', 'DejaVu Sans Mono', monospace;font-size:12px"));
}

// A text's length is stored with it, so that another font takes the same space; right-aligned text ends at the edge.
TEST(Svg, TextsTakeTheRoomThatTheyHaveInTheWindow) {
  SpanBatch batch;
  batch.add({20, 20, 120, kRed, FontRole::Body, "kernels", 20, LabelAlign::Right});
  const std::string svg = document(sheet_of(batch));
  float width = 0;
  with_picture_fonts(2, {}, [&](const Fonts& fonts) { width = text_width(fonts, FontRole::Body, "kernels"); });
  const auto value = [&](const std::string& name) {
    const std::size_t at = svg.find("<text");
    return std::stof(svg.substr(svg.find(' ' + name + "=\"", at) + name.size() + 3));
  };
  EXPECT_NEAR(value("textLength"), width, 0.01);
  EXPECT_EQ(value("x"), 140);
  EXPECT_THAT(svg, HasSubstr(" text-anchor=\"end\""));
  EXPECT_GT(value("y"), 27);
  EXPECT_LT(value("y"), 38);
}

}  // namespace
}  // namespace lanescope::ui
