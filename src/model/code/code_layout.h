// The layout of the code panel: where the parts of a line go in the available space; and its statements over the lanes.
#pragma once

#include <array>
#include <cstddef>

#include "model/code/code_state.h"
#include "timeline/mark_shapes.h"
#include "timeline/text.h"

namespace lanescope::ui {

/// What is shown right of the code.
enum class CodeDetail : std::uint8_t {
  Figures,  ///< three columns, each a figure over its bar
  Bars,     ///< three columns of bars
  Bar,      ///< one column: the three bars below each other
  Text,     ///< nothing
};

/// Text widths, in physical pixels.
struct CodeMeasures {
  std::array<float, kFontRoleCount> letter{};  ///< of one letter, in the two monospaced fonts
  float figure = 0;                            ///< the widest figure, in MonoSmall
};

struct CodeLayout {
  CodeDetail detail = CodeDetail::Text;
  FontRole font = FontRole::MonoSmall;
  float row_height = 0;
  float letter = 0;
  float left = 0;          ///< of a row
  float number_right = 0;  ///< the right edge of the lines' numbers
  float code_x = 0, code_width = 0;
  std::array<float, kCodeFigures> column_x{};  ///< with Bar, all equal
  float column_width = 0;
  float right = 0;

  /// Where a line's text begins.
  float text_x(int indent) const { return code_x + 2 * letter * static_cast<float>(indent); }
};

/// Lays the code out in [x, x + width), for lines of at most `longest` letters (counting two per indent level). The
/// larger font is used only if `rows` lines fit into `height`. `most`: the highest level of detail.
CodeLayout code_layout(float x, float width, float height, float scale, std::size_t longest, std::size_t rows,
                       const CodeMeasures& measures, CodeDetail most = CodeDetail::Figures);

/// The length, in letters, of the longest line that has costs.
std::size_t longest_line(const workload::Code& code);

/// Outlines, over the lanes, where the chosen or hovered statement has run: those of its ranges that are drawn one by
/// one (or its calls, if the statement is only the transfers in its ranges).
/// In a program of the user's: the calls that the line makes, and the work that they launch.
void add_code_marks(const MarkSurface& surface, const CodeState& code, const trace::Links& links);

}  // namespace lanescope::ui
