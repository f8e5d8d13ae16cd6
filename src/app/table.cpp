#include "app/table.h"

#include <algorithm>
#include <utility>

namespace lanescope::app {
namespace {

constexpr std::size_t kColumnGap = 3;

std::string left(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, display_width(text)), ' ');
}
std::string right_aligned(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + std::string(text);
}

struct Split {
  std::string whole, fraction;  // the fraction includes its decimal point
};
Split at_point(const std::string& number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  return {number.substr(0, point), number.substr(point)};
}

// The widths of one column of figures.
struct Widths {
  std::size_t whole = 0, fraction = 0, unit = 0, note = 0;

  void fit(const Cell& cell) {
    const Split split = at_point(cell.number);
    whole = std::max(whole, display_width(split.whole));
    fraction = std::max(fraction, display_width(split.fraction));
    unit = std::max(unit, display_width(cell.unit));
    note = std::max(note, display_width(cell.note));
  }
  std::size_t total() const { return whole + fraction + (unit == 0 ? 0 : unit + 1) + (note == 0 ? 0 : note + 2); }
};

void end_line(std::string& text, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  text += line + '\n';
}

}  // namespace

Cell measured(const std::string& number_and_unit, std::string note) {
  const std::size_t space = number_and_unit.find(' ');
  if (space == std::string::npos) return {number_and_unit, {}, std::move(note)};
  return {number_and_unit.substr(0, space), number_and_unit.substr(space + 1), std::move(note)};
}

void Table::row(std::string label, std::vector<Cell> cells, std::string remark) {
  rows_.push_back({std::move(label), std::move(cells), std::move(remark)});
}

void Table::gap() { rows_.push_back({}); }

std::string Table::text(const Style& style) const {
  std::size_t labels = 0;
  std::vector<Widths> widths;
  for (const Row& row : rows_) {
    labels = std::max(labels, display_width(row.label));
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t c = 0; c < row.cells.size(); ++c) widths[c].fit(row.cells[c]);
  }
  // A title wider than its column pushes the units to the right.
  std::vector<std::size_t> totals;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    totals.push_back(std::max(widths[c].total(), c < titles_.size() ? display_width(titles_[c]) : 0));
  }

  std::string text;
  const std::string gap(kColumnGap, ' ');
  if (!titles_.empty()) {
    std::string line = "  " + left("", labels);
    for (std::size_t c = 0; c < titles_.size(); ++c) {
      line += gap + (c < totals.size() ? left(titles_[c], totals[c]) : titles_[c]);
    }
    while (line.back() == ' ') line.pop_back();
    text += std::string(style.bold) + line + std::string(style.off) + '\n';
  }
  for (const Row& row : rows_) {
    std::string line = "  " + std::string(style.dim) + left(row.label, labels) + std::string(style.off);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Cell& cell = row.cells[c];
      const Widths& w = widths[c];
      const Split split = at_point(cell.number);
      std::string figure = right_aligned(split.whole, w.whole) + left(split.fraction, w.fraction);
      if (w.unit != 0) figure += ' ' + left(cell.unit, w.unit);
      if (w.note != 0) figure += "  " + right_aligned(cell.note, w.note);
      line += gap + left(figure, totals[c]);
    }
    if (!row.remark.empty()) line += gap + row.remark;
    end_line(text, row.label.empty() && row.cells.empty() ? std::string() : line);
  }
  return text;
}

std::string definition_list(const std::vector<Definition>& definitions, std::size_t width, const Style& style) {
  std::size_t terms = 0;
  for (const Definition& definition : definitions) terms = std::max(terms, display_width(definition.term));
  const std::size_t indent = terms + 4;
  std::string text;
  for (const Definition& definition : definitions) {
    std::string begin = "  " + std::string(style.bold) + left(definition.term, terms) + std::string(style.off) + "  ";
    for (const std::string& paragraph : definition.paragraphs) {
      for (const std::string& line : wrapped(paragraph, width > indent ? width - indent : 1)) {
        end_line(text, std::exchange(begin, std::string(indent, ' ')) + line);
      }
    }
  }
  return text;
}

}  // namespace lanescope::app
