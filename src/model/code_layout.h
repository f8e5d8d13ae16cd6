// How code looks: where the parts of its lines stand, by the room there is, and its statements over the lanes.
#pragma once

#include <array>
#include <cstddef>

#include "model/code_state.h"
#include "timeline/mark_surface.h"
#include "timeline/text.h"

namespace lanescope::ui {

/// What stands right of the code.
enum class CodeDetail : std::uint8_t {
  Figures,  ///< three columns, each a figure over its bar
  Bars,     ///< three columns of bars
  Bar,      ///< one column: the three bars below each other
  Text,     ///< nothing
};

/// Widths of texts, in pixels as they are.
struct CodeMeasures {
  std::array<float, kFontRoleCount> letter{};  ///< of one letter, in the two fonts with letters of one width
  float figure = 0;                            ///< the widest figure, in MonoSmall
};

struct CodeLayout {
  CodeDetail detail = CodeDetail::Text;
  FontRole font = FontRole::MonoSmall;
  float row_height = 0;
  float letter = 0;
  float number_right = 0;  ///< the right edge of the lines' numbers
  float code_x = 0, code_width = 0;
  std::array<float, kCodeFigures> column_x{};  ///< with Bar all the same
  float column_width = 0;
  float right = 0;

  /// Where a line's text begins, and how much of it there is room for.
  float text_x(int indent) const { return code_x + 2 * letter * static_cast<float>(indent); }
};

/// In [x, x + width), for lines of at most `longest` letters (with two for each level of indent); `rows` lines in
/// `height`, where the larger font is taken only if they all fit. `least`: no more than this detail.
CodeLayout code_layout(float x, float width, float height, float scale, std::size_t longest, std::size_t rows,
                       const CodeMeasures& measures, CodeDetail most = CodeDetail::Figures);

/// The letters of the longest line that has costs beside it.
std::size_t longest_line(const workload::Code& code);

/// Over the lanes, where the statement that is chosen, or pointed at, has run: outlines those of its ranges (or, where
/// it has only the transfers in them, its calls) that are drawn one by one.
void add_code_marks(const MarkSurface& surface, const CodeState& code);

}  // namespace lanescope::ui
