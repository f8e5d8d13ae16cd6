#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/differences.h"
#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/html_page.h"
#include "app/html_text.h"
#include "app/reports.h"
#include "app/saved_trace.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/escaped_text.h"

namespace lanescope::app {
namespace {

using analysis::CostKind;
using analysis::Difference;
using analysis::Differences;
using base::tr;

constexpr std::size_t kRows = 25, kPageRows = 200;
constexpr std::size_t kDifferencesWidth = 60;  // of a name on a terminal
/// Changes smaller than this are left to the CSV and the JSON.
constexpr double kMatters_ns = 10;

std::string name_of(const Difference& row) {
  if (row.kind != CostKind::Idle) return row.name;
  for (std::size_t c = 0; c < analysis::kBubbleCauses; ++c) {
    const auto cause = static_cast<analysis::BubbleCause>(c);
    if (analysis::cause_key(cause) == row.name) return std::string(analysis::cause_name(cause));
  }
  return row.name;
}

std::string shortened(const std::string& text) {
  std::string line = one_line(text);
  if (display_width(line) <= kDifferencesWidth) return line;
  if (line.size() > 4 * kDifferencesWidth) line.resize(4 * kDifferencesWidth);  // more bytes than so many letters have
  while (display_width(line) >= kDifferencesWidth) {
    do line.pop_back();
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0) == 0x80);
    if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0xC0) line.pop_back();
  }
  return line + "…";
}

std::string time_of(double ns) { return ns == 0 ? "–" : base::duration_text(ns); }
std::string change_of(double ns) {
  return ns > 0 ? "+" + base::duration_text(ns) : ns < 0 ? "−" + base::duration_text(-ns) : "0";
}

std::vector<Difference> shown(const Differences& differences, std::size_t most) {
  std::vector<Difference> rows;
  for (const Difference& row : differences.rows) {
    if (rows.size() < most && std::abs(row.change_ns()) >= kMatters_ns) rows.push_back(row);
  }
  return rows;
}

std::string title_of(const Differences& differences) {
  return differences.per_iteration ? tr("What changed, per iteration") : tr("What changed, in all");
}

std::string left_out(const Differences& differences, std::size_t shown) {
  if (shown == differences.rows.size()) return {};
  const double others =
      std::accumulate(differences.rows.begin() + static_cast<std::ptrdiff_t>(shown), differences.rows.end(), 0.0,
                      [](double sum, const Difference& row) { return sum + row.change_ns(); });
  return tr("{} others: {} in all", differences.rows.size() - shown, change_of(others));
}

}  // namespace

std::string reasons(const Difference& row, bool per_iteration) {
  if (row.kind == CostKind::Idle) return {};
  if (row.second_count == 0) return tr("only in the first");
  if (row.first_count == 0) return tr("only in the second");
  std::string text;
  const auto add = [&](const std::string& reason) { text += (text.empty() ? "" : ", ") + reason; };
  if (row.other_count) {
    add(per_iteration ? tr("{} → {} per iteration", figure_number(row.first_count), figure_number(row.second_count))
                      : tr("{} → {} times", figure_number(row.first_count), figure_number(row.second_count)));
  }
  if (row.other_length) {
    add(tr("{} → {} each", base::duration_text(row.first_ns / row.first_count),
           base::duration_text(row.second_ns / row.second_count)));
  }
  if (row.other_shapes) add(tr("other shapes"));
  return text;
}

std::string differences_table(const Differences& differences, const Style& style) {
  const std::vector<Difference> rows = shown(differences, kRows);
  std::string text = fmt::format("{}{}{}\n", style.bold, title_of(differences), style.off);
  if (rows.empty()) return text + "  " + tr("nothing that matters") + '\n';
  Table table;
  table.titles({tr("first"), tr("second"), tr("change")});
  for (const Difference& row : rows) {
    table.row(fmt::format("  {}  {}", analysis::cost_kind_name(row.kind), shortened(name_of(row))),
              {measured(time_of(row.first_ns)), measured(time_of(row.second_ns)), measured(change_of(row.change_ns()))},
              reasons(row, differences.per_iteration));
  }
  text += table.text(style);
  const std::string others = left_out(differences, rows.size());
  return others.empty() ? text : text + "  " + others + '\n';
}

std::string differences_markdown(const Differences& differences, const std::string& first, const std::string& second) {
  const auto code = [](const std::string& text) {
    std::string line = one_line(text);
    std::ranges::replace(line, '`', '\'');
    std::ranges::replace(line, '|', '/');
    return "`" + line + "`";
  };
  const std::vector<Difference> rows = shown(differences, kRows);
  std::string text = fmt::format("**{}**\n\n| | | {} | {} | {} | |\n|---|---|--:|--:|--:|---|\n", title_of(differences),
                                 code(first), code(second), tr("change"));
  for (const Difference& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", analysis::cost_kind_name(row.kind), code(name_of(row)),
                        time_of(row.first_ns), time_of(row.second_ns), change_of(row.change_ns()),
                        reasons(row, differences.per_iteration));
  }
  const std::string others = left_out(differences, rows.size());
  return others.empty() ? text : text + '\n' + others + '\n';
}

std::string differences_csv(const Differences& differences) {
  std::string csv;
  io::append_csv_line(csv, std::array<std::string, 8>{"kind", "name", "first_count", "second_count", "first_ns",
                                                      "second_ns", "change_ns", "per"});
  for (const Difference& row : differences.rows) {
    io::append_csv_line(
        csv, std::array<std::string, 8>{std::string(analysis::cost_kind_key(row.kind)), io::csv_text(row.name),
                                        fmt::format("{}", row.first_count), fmt::format("{}", row.second_count),
                                        fmt::format("{}", row.first_ns), fmt::format("{}", row.second_ns),
                                        fmt::format("{}", row.change_ns()),
                                        differences.per_iteration ? "iteration" : "trace"});
  }
  return csv;
}

Json differences_json(const Differences& differences) {
  Json json;
  json["per"] = differences.per_iteration ? "iteration" : "trace";
  json["rows"] = Json::array();
  for (const Difference& row : differences.rows) {
    Json one;
    one["kind"] = analysis::cost_kind_key(row.kind);
    one["name"] = row.name;
    one["first"] = {{"count", row.first_count}, {"ns", row.first_ns}};
    one["second"] = {{"count", row.second_count}, {"ns", row.second_ns}};
    one["change_ns"] = row.change_ns();
    one["because"] = Json::array();
    if (row.other_count) one["because"].push_back("count");
    if (row.other_length) one["because"].push_back("length");
    if (row.other_shapes) one["because"].push_back("shapes");
    json["rows"].push_back(std::move(one));
  }
  return json;
}

std::string differences_section(const Differences& differences) {
  const std::vector<Difference> rows = shown(differences, kPageRows);
  if (rows.empty()) return {};
  std::string text;
  for (const Difference& row : rows) {
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td>{}</td></tr>\n",
        html::escaped(analysis::cost_kind_name(row.kind)),
        row.kind == CostKind::Idle ? html::escaped(name_of(row)) : html::code(row.name), time_of(row.first_ns),
        time_of(row.second_ns), change_of(row.change_ns()), html::escaped(reasons(row, differences.per_iteration)));
  }
  return html::section(
      "differences", title_of(differences), html::escaped(left_out(differences, rows.size())),
      html::table({tr("what"), tr("name"), tr(">first"), tr(">second"), tr(">change"), tr("because")}, text));
}

// --- compare files ---------------------------------------------------------------------------------------------------

namespace {

FileFigures read(const std::filesystem::path& path, bool in_detail) {
  FileFigures file = read_figures({path}, in_detail);
  if (file.opened.trace->counts().recorded == 0) {
    throw base::FileError(base::tr("{}: it has no events to compare", path.string()));
  }
  return file;
}

// Their names, or their whole paths where the names are the same.
RunNames names_of(const CompareRequest& request) {
  RunNames names{request.first.filename().string(), request.second.filename().string()};
  if (names.first == names.second) names = {request.first.string(), request.second.string()};
  return {one_line(names.first), one_line(names.second)};
}

std::string json_of(const FileFigures& first, const FileFigures& second, const analysis::Differences& differences) {
  Json json = comparison_json(first.figures, second.figures);
  json["files"] = {first.source.path, second.source.path};
  json["differences"] = differences_json(differences);
  return written(json);
}

}  // namespace

void compare_files(const CompareRequest& request) {
  check_outputs({request.json, request.html, request.csv, request.markdown});
  check_not_input({request.json, request.html, request.csv, request.markdown}, {request.first, request.second});
  const bool in_detail = !request.json.empty() || !request.html.empty();
  const FileFigures first = read(request.first, in_detail), second = read(request.second, in_detail);
  const auto costs = [](const FileFigures& file) {
    return analysis::loop_costs(*file.opened.trace, *file.analysis, file.figures.summary);
  };
  const analysis::Differences differences = analysis::differences(costs(first), costs(second));
  const RunNames names = names_of(request);

  write_json(request.json, request.json.empty() ? std::string() : json_of(first, second, differences));
  write_json(request.csv, request.csv.empty() ? std::string() : differences_csv(differences));
  write_json(request.markdown,
             request.markdown.empty() ? std::string() : differences_markdown(differences, names.first, names.second));
  if (!request.html.empty()) {
    html::Page page{.title = fmt::format("{} → {}", names.first, names.second),
                    .command = request.command,
                    .runs = {},
                    .experiment = nullptr,
                    .ended_early = false,
                    .differences = differences_section(differences)};
    page.runs.push_back(html::page_run(first, names.first));
    page.runs.push_back(html::page_run(second, names.second));
    html::write_page(request.html, page);
  }
  for (const std::string& output : {request.json, request.html, request.csv, request.markdown}) {
    if (output == "-") return;
  }
  const Style style = style_for(stdout);
  write_words(comparison_table(first.figures, second.figures, style, names) + '\n' +
              differences_table(differences, style));
}

}  // namespace lanescope::app
