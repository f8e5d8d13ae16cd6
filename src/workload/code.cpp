#include "workload/code.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace lanescope::workload {

std::string python_text(const Value& value) {
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "True" : "False";
  return to_text(value);
}

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string for_cpu(std::string_view text) {
  return replaced(replaced(std::string(text), ".cuda()", ""), "'cuda'", "'cpu'");
}

}  // namespace

CodeWriter& CodeWriter::line(int indent, std::string_view text, std::vector<std::string> ranges) {
  Statement statement;
  statement.indent = indent;
  statement.script_indent = nested_;
  statement.ranges = std::move(ranges);
  std::string on_cpu;
  if (on_cpu_) text = on_cpu = for_cpu(text);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      statement.text += text[i++];
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    const std::string key(text.substr(i + 1, end - i - 1));
    const std::string value = python_text(settings_.value(key));
    statement.knobs.push_back({statement.text.size(), value.size(), key});
    statement.text += value;
    i = end;
  }
  code_.push_back(std::move(statement));
  return *this;
}

CodeWriter& CodeWriter::script(int indent, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view text = lines.substr(0, end);
    int deeper = 0;
    for (; text.starts_with("    "); text.remove_prefix(4)) ++deeper;
    line(text.empty() ? 0 : indent + deeper, text);
    code_.back().in_view = false;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return *this;
}

CodeWriter& CodeWriter::synchronize(int indent, std::string_view comment, std::vector<std::string> ranges) {
  if (on_cpu_) return *this;
  return line(indent, "torch.cuda.synchronize()" + std::string(comment), std::move(ranges));
}

CodeWriter& CodeWriter::transfers(int indent, std::string_view text, std::vector<std::string> ranges) {
  line(indent, text, std::move(ranges));
  code_.back().transfers = true;
  return *this;
}

CodeWriter& CodeWriter::more(int indent, std::string_view text) {
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (!code_[i].ranges.empty() && !code_[i].transfers) before = i;
  }
  line(indent, text);
  code_.back().part_of = before;
  return *this;
}

std::vector<std::string> plain_text(std::span<const Statement> code) {
  std::vector<std::string> lines;
  lines.reserve(code.size());
  for (const Statement& s : code) lines.push_back(std::string(4 * static_cast<std::size_t>(s.indent), ' ') + s.text);
  return lines;
}

Code shown(Code program) {
  std::vector<std::size_t> places(program.size());
  Code view;
  for (std::size_t i = 0; i < program.size(); ++i) {
    places[i] = view.size();
    Statement& statement = program[i];
    if (!statement.in_view) continue;
    if (statement.part_of) statement.part_of = places[*statement.part_of];
    view.push_back(std::move(statement));
  }
  return view;
}

std::optional<std::size_t> statement_of(std::span<const Statement> code, std::string_view range, std::size_t nth,
                                        bool transfer) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Statement& s = code[i];
    if (std::find(s.ranges.begin(), s.ranges.end(), range) == s.ranges.end()) continue;
    if (s.transfers) {
      if (transfer) return i;
      continue;
    }
    if (!found || nth > 0) {
      if (found) --nth;
      found = i;
    }
  }
  return found;
}

}  // namespace lanescope::workload
