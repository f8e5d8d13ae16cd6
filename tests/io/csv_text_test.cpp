#include "io/escaped_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace lanescope::io {
namespace {

TEST(CsvText, QuotesWhatWouldEndAFieldOrALine) {
  std::string csv;
  append_csv_line(csv, std::vector<std::string>{"a", "", "b c", "d,e", "say \"f\"", "g\nh", "'i"});
  append_csv_line(csv, {});
  EXPECT_EQ(csv, "a,,b c,\"d,e\",\"say \"\"f\"\"\",\"g\nh\",'i\r\n\r\n");
}

TEST(CsvText, IsNeverAFormula) {
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠A"}) {
    EXPECT_EQ(csv_text(formula), std::string("'") + formula);
  }
  for (const char* text : {"", "a=1", "1-1", "–", "王芳", " x"}) EXPECT_EQ(csv_text(text), text);
}

TEST(CsvText, SteersNoTerminal) {
  EXPECT_EQ(csv_text("a\x1b]0;x\x07\u009b1m\u202e"), "a\uFFFD]0;x\uFFFD\uFFFD1m\uFFFD");
  EXPECT_EQ(csv_text("a\tb\nc\r"), "a\tb\nc\r") << "a field may hold these";
  EXPECT_EQ(csv_text("\xff"), "\xff") << "bytes that are no text stay";
}

}  // namespace
}  // namespace lanescope::io
