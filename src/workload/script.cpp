#include "workload/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/plain_text.h"
#include "workload/code.h"

namespace lanescope::workload {
namespace {

constexpr std::int64_t kFewestToWarmUp = 5, kMostToWarmUp = 100;

std::string in_quotes(std::string_view text) {
  std::string quoted;
  base::append_json_string(quoted, text);
  return quoted;
}

// A line of a comment, or of the text at a Python script's beginning, which it cannot end: titles may come from a file.
std::string in_comment(std::string_view text, bool cuda_cpp) {
  std::string line = base::without_controls(text);
  if (cuda_cpp) return line.ends_with('\\') ? line + '.' : line;  // the next line would belong to it
  std::string quoted;
  for (const char c : line) {
    if (c == '\\' || (c == '"' && quoted.ends_with('"'))) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string first_lines(const ScriptFacts& facts, std::int64_t warm_up, bool cuda_cpp) {
  std::string text;
  if (cuda_cpp) {
    std::string about;
    for (const std::string& line : facts.title) text += "// " + in_comment(line, true) + '\n';
    for (const auto& [name, value] : facts.about) {
      about += (about.empty() ? "" : ", ") + in_quotes(name) + ": " + in_quotes(value);
    }
    text +=
        fmt::format("//\n// nvcc -O2 -o loop loop.cu && ./loop [ITERATIONS [WARM_UP [STRETCH]]]\n#define ABOUT {}\n",
                    in_quotes(about));
    return text + fmt::format("#define ITERATIONS {}\n#define WARM_UP {}\n\n", facts.iterations, warm_up);
  }
  text = "\"\"\"";
  for (std::size_t i = 0; i < facts.title.size(); ++i) text += (i == 0 ? "" : "\n") + in_comment(facts.title[i], false);
  text += "\"\"\"\nABOUT = {\n";
  for (const auto& [name, value] : facts.about) text += fmt::format("    {}: {},\n", in_quotes(name), in_quotes(value));
  return text + fmt::format("}}\nITERATIONS, WARM_UP = {}, {}\n\n", facts.iterations, warm_up);
}

// The imports that every script begins with are left out where nothing uses them.
void leave_out_unused(std::vector<std::string>& lines) {
  for (const auto& [import, use] :
       {std::pair("from torch import nn", "nn."), std::pair("from torch.nn import functional as F", "F.")}) {
    const auto uses = [use = use](const std::string& line) {
      return !line.starts_with("from ") && line.find(use) != std::string::npos;
    };
    if (std::ranges::none_of(lines, uses)) std::erase(lines, import);
  }
}

bool defines(std::string_view line) { return line.starts_with("def ") || line.starts_with("class "); }

// Two empty lines around the functions and classes, never more than one elsewhere at the outermost level.
std::string laid_out(const std::vector<std::string>& lines) {
  std::string text;
  int empty = 0;
  bool in_definition = false, anything = false;
  for (const std::string& line : lines) {
    if (line.empty()) {
      ++empty;
      continue;
    }
    if (line.front() == ' ' || line.front() == ')') {
      text.append(static_cast<std::size_t>(std::min(empty, in_definition ? 1 : 2)), '\n');
    } else if (anything && (in_definition || defines(line))) {
      text += "\n\n";
    } else {
      text.append(static_cast<std::size_t>(std::min(empty, 1)), '\n');
    }
    if (line.front() != ' ' && line.front() != ')') in_definition = defines(line);
    anything = true;
    empty = 0;
    text += line + '\n';
  }
  return text;
}

}  // namespace

Script workload_script(std::string_view workload, const Settings& settings, bool on_cpu, const ScriptFacts& facts) {
  Program program = workload_program(workload, settings, on_cpu);
  for (Statement& statement : program.code) {
    if (!statement.text.empty()) statement.indent += statement.script_indent;
  }
  const std::int64_t warm_up = std::clamp(facts.iterations / 10, kFewestToWarmUp, kMostToWarmUp);
  Script script{first_lines(facts, warm_up, program.cuda_cpp), program.cuda_cpp ? ".cu" : ".py"};
  std::vector<std::string> lines = plain_text(program.code);
  if (!program.cuda_cpp) {
    leave_out_unused(lines);
    script.text += laid_out(lines);
  } else {
    for (const std::string& line : lines) script.text += line + '\n';
  }
  return script;
}

}  // namespace lanescope::workload
