#include "io/escaped_text.h"

#include <gtest/gtest.h>

namespace lanescope::io {
namespace {

TEST(Xml, OnlyWhatItAllows) {
  EXPECT_EQ(xml_text("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(xml_text(std::string("\0\x1b\xff", 3)), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\xef\xbf\xbd") << "U+FFFE";
  EXPECT_EQ(xml_text("\xf0\x9f\x99\x82'"), "\xf0\x9f\x99\x82&#39;");
  EXPECT_EQ(xml_text("a<b>&\"\x7f\u0085"), "a&lt;b&gt;&amp;&quot;\uFFFD\uFFFD");
}

// With it a name could show the figure beside it backwards.
TEST(Xml, NothingTurnsTheDirection) {
  EXPECT_EQ(xml_text("a\u202e\u2067b\u2028"), "a\uFFFD\uFFFDb\uFFFD");
  EXPECT_EQ(xml_text("שלום"), "שלום");
}

}  // namespace
}  // namespace lanescope::io
