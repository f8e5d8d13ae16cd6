#include "ui/code/code_layout.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr float kLeft = 8, kNumberDigits = 2, kMark = 18, kGap = 14, kRight = 12;
constexpr float kMostColumn = 132, kLeastBar = 26, kOneBar = 56;
constexpr float kMayBeCut = 0.8f;
constexpr float kRow = 22, kSmallRow = 20;

}  // namespace

std::size_t longest_line(const workload::Code& code) {
  std::size_t longest = 0;
  for (const Statement& s : code) {
    if (!s.ranges.empty()) longest = std::max(longest, 2 * static_cast<std::size_t>(s.indent) + s.text.size());
  }
  return longest;
}

CodeLayout code_layout(float x, float width, float height, float scale, std::size_t longest, std::size_t rows,
                       const CodeMeasures& measures, CodeDetail most) {
  const float s = scale;
  const auto letter_of = [&](FontRole role) { return measures.letter[static_cast<std::size_t>(role)]; };
  const float small = letter_of(FontRole::MonoSmall);
  CodeLayout layout;
  layout.number_right = x + kLeft * s + kNumberDigits * small;
  layout.code_x = layout.number_right + kMark * s;
  layout.right = x + width - kRight * s;
  const float room = layout.right - layout.code_x;
  const auto text = [&](FontRole role) { return (static_cast<float>(longest) + 1) * letter_of(role); };
  const auto columns = [&](CodeDetail detail) {
    switch (detail) {
      case CodeDetail::Figures:
        return kCodeFigures * (measures.figure + kGap * s);
      case CodeDetail::Bars:
        return kCodeFigures * (kLeastBar + kGap / 2) * s;
      case CodeDetail::Bar:
        return (kOneBar + kGap / 2) * s;
      case CodeDetail::Text:
        break;
    }
    return 0.0f;
  };
  // The smaller letters go before the figures do.
  bool found = false;
  for (CodeDetail detail = most; !found; detail = static_cast<CodeDetail>(static_cast<int>(detail) + 1)) {
    for (const FontRole role : {FontRole::Mono, FontRole::MonoSmall}) {
      const float row = (role == FontRole::Mono ? kRow : kSmallRow) * s;
      if (role == FontRole::Mono && static_cast<float>(rows) * row > height) continue;
      const bool last = detail == CodeDetail::Text && role == FontRole::MonoSmall;
      // For a look at where the time goes, the end of the longest line may be cut.
      const float wanted = text(role) * (detail == CodeDetail::Bar && role == FontRole::MonoSmall ? kMayBeCut : 1);
      if (!last && wanted + columns(detail) > room) continue;
      layout.detail = detail;
      layout.font = role;
      layout.row_height = row;
      found = true;
      break;
    }
  }
  layout.letter = letter_of(layout.font);
  const float gap = (layout.detail == CodeDetail::Figures ? kGap : kGap / 2) * s;
  if (layout.detail == CodeDetail::Text) {
    layout.code_width = room;
    return layout;
  }
  const bool one = layout.detail == CodeDetail::Bar;
  const float n = one ? 1 : kCodeFigures;
  const float least = columns(layout.detail) / n - gap;
  layout.column_width = std::clamp((room - text(layout.font)) / n - gap, least, (one ? 2 * kOneBar : kMostColumn) * s);
  for (std::size_t i = 0; i < kCodeFigures; ++i) {
    const float from_right = one ? 1 : static_cast<float>(kCodeFigures - i);
    layout.column_x[i] = layout.right - from_right * layout.column_width - (from_right - 1) * gap;
  }
  layout.code_width = layout.column_x[0] - gap - layout.code_x;
  return layout;
}

}  // namespace lanescope::ui
