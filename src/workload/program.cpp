#include "workload/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

#include "base/json_text.h"
#include "base/plain_text.h"
#include "workload/graphed_step.h"

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

// --- programs --------------------------------------------------------------------------------------------------------

std::vector<std::string> shown_code(void (*write)(CodeWriter&), const Settings& settings) {
  CodeWriter code(settings, false);
  write(code);
  return plain_text(shown(code.take().code));
}

void begin_script(CodeWriter& code, std::string_view standard, std::string_view of_torch) {
  code.script(0, code.on_cpu() ? "import time" : "import sys\nimport time");
  code.script(0, standard);
  code.script(0, "\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F");
  code.script(0, of_torch);
  if (!code.on_cpu())
    code.script(0, "\nif not torch.cuda.is_available():\n    sys.exit('PyTorch finds no GPU with CUDA here')");
  code.script(0, "\ntorch.manual_seed($seed)");
}

namespace {

constexpr const char* kHarness = "# ----- the loop is above; what follows times it -----";

void write_harness(CodeWriter& code) {
  code.script(0, kHarness);
  code.script(0, R"(
import argparse
import json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--iterations', type=int, default=ITERATIONS, help='that are timed (default: %(default)s)')
parser.add_argument('--warm-up', type=int, default=WARM_UP, help='before them (default: %(default)s)')
arguments = parser.parse_args()
warm_up = arguments.warm_up
iterations = warm_up + arguments.iterations
figures, began = {}, 0

def note(name, value):
    figures.setdefault(name, []).append(value)

def lap(i):  # iteration i is next: after the warm-up the clock starts
    global began
    if i == warm_up:
        figures.clear())");
  if (!code.on_cpu()) code.script(2, "torch.cuda.synchronize()");
  code.script(2, "began = time.perf_counter()");
  code.script(0, "");
  code.script(0, "loop(iterations)");
}

}  // namespace

void write_busy(CodeWriter& code) {
  if (code.on_cpu()) {
    code.script(0, R"(

def busy(us):  # as a model would be
    until = time.perf_counter() + us / 1e6
    while time.perf_counter() < until:
        pass

)");
    return;
  }
  code.script(0, R"(

def cycles_in(ms):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    cycles = 1_000_000
    while True:  # until it takes long enough to be timed, at the clock rate of a busy GPU
        start.record()
        torch.cuda._sleep(cycles)
        end.record()
        torch.cuda.synchronize()
        if start.elapsed_time(end) > 50:
            return cycles * ms / start.elapsed_time(end)
        cycles *= 2

cycles_per_us = cycles_in(1) / 1000

def busy(us):  # keeps the GPU busy, as a model would
    if us > 0:
        torch.cuda._sleep(int(us * cycles_per_us))

)");
}

bool graphed(const CodeWriter& code) { return uses_graph(code.settings()) && !code.on_cpu(); }

void begin_graph(CodeWriter& code, std::string_view variants) {
  code.script(0, "main, other = torch.cuda.current_stream(), torch.cuda.Stream()");
  if (variants.empty()) {
    code.line(0, "g = torch.cuda.CUDAGraph()");
  } else {
    code.line(0, fmt::format("g = {{v: torch.cuda.CUDAGraph() for v in {}}}", variants));
    code.script(0, "losses = {}");
  }
  code.script(0, "");
}

void write_graph(CodeWriter& code, std::string_view number, std::string_view variant) {
  const bool several = !variant.empty();
  const int capture = several ? 4 : 3;
  code.line(1, fmt::format("if {} < {}:  # warm-up, on another stream", number, GraphedStep::kWarmUp));
  code.line(2, "other.wait_stream(main)");
  code.line(2, "with torch.cuda.stream(other):");
  code.line(3, fmt::format("loss = step({})", variant));
  code.line(2, "main.wait_stream(other)");
  code.line(1, "else:");
  code.line(2, fmt::format("if {} == {}:", number, GraphedStep::kWarmUp));
  if (several) code.line(3, "for v in g:");
  code.line(capture, several ? "with torch.cuda.graph(g[v], stream=other):" : "with torch.cuda.graph(g, stream=other):",
            {kCaptureRange});
  code.line(capture + 1, several ? "losses[v] = step(v)" : "loss = step()");
  code.line(2, several ? fmt::format("g[{}].replay()", variant) : "g.replay()", {kReplayRange});
  if (several) code.script(2, fmt::format("loss = losses[{}]", variant));
}

std::string copy_of_batch(const CodeWriter& code, std::string_view to, std::string_view from, std::string_view device) {
  return graphed(code) ? fmt::format("{}.copy_({}, non_blocking=$non_blocking)", to, from)
                       : fmt::format("{} = {}.to({}, non_blocking=$non_blocking)", to, from, device);
}

void begin_iteration(CodeWriter& code, int indent, std::string_view number) {
  code.script(indent, fmt::format("lap({})", number));
}

void end_script(CodeWriter& code) {
  write_harness(code);
  code.script(0, R"(seconds = time.perf_counter() - began
print(f'{1e6 * seconds / (iterations - warm_up):.1f} us per iteration, {iterations - warm_up} iterations')
print(json.dumps({
    **ABOUT,)");
  code.script(1, code.on_cpu() ? "'device': 'cpu'," : "'device': torch.cuda.get_device_name(),");
  code.script(0, R"(    'torch': torch.__version__,
    'iterations': iterations - warm_up,
    'iterations_per_s': (iterations - warm_up) / seconds,
    'ms_per_iteration': 1e3 * seconds / (iterations - warm_up),
    'figures': {name: sum(values) / len(values) for name, values in figures.items()},
})))");
}

// --- script ----------------------------------------------------------------------------------------------------------

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
    text += fmt::format("//\n// nvcc -O2 -o loop loop.cu && ./loop [ITERATIONS [WARM_UP]]\n#define ABOUT {}\n",
                        in_quotes(about));
    return text + fmt::format("#define ITERATIONS {}\n#define WARM_UP {}\n\n", facts.iterations, warm_up);
  }
  text = "\"\"\"";
  for (std::size_t i = 0; i < facts.title.size(); ++i) text += (i == 0 ? "" : "\n") + in_comment(facts.title[i], false);
  return text + "\"\"\"\n";
}

std::vector<std::string> constants(const ScriptFacts& facts, std::int64_t warm_up) {
  std::vector<std::string> lines{"ABOUT = {"};
  for (const auto& [name, value] : facts.about)
    lines.push_back(fmt::format("    {}: {},", in_quotes(name), in_quotes(value)));
  lines.insert(lines.end(), {"}", fmt::format("ITERATIONS, WARM_UP = {}, {}", facts.iterations, warm_up), ""});
  return lines;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Without "if i % 1 == 0:", which is always true, and without a condition inside one that is the same.
std::vector<std::string> without_idle_conditions(const std::vector<std::string>& lines) {
  struct Block {
    std::size_t indent;
    std::string condition;
    bool dropped;
  };
  std::vector<Block> open;
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    const std::size_t indent = indent_of(line);
    while (!line.empty() && !open.empty() && indent <= open.back().indent) open.pop_back();
    std::string text = line.substr(indent);
    const bool condition = text.starts_with("if ") && text.ends_with(":");
    const bool idle = condition && (text.ends_with(" % 1 == 0:") ||
                                    std::ranges::any_of(open, [&](const Block& b) { return b.condition == text; }));
    const auto dropped = static_cast<std::size_t>(std::ranges::count_if(open, &Block::dropped));
    if (!idle) kept.push_back(std::string(indent - std::min(indent, 4 * dropped), ' ') + text);
    if (condition) open.push_back({indent, text, idle});
  }
  return kept;
}

// The names that a line assigns to: "a, b = c = 1" has a, b and c.
std::vector<std::string> assigned(std::string_view line) {
  static const std::regex kTarget(R"(^\s*(\w+(?:, \w+)*) [+*/-]?= (.*)$)"), kName(R"(\w+)");
  std::vector<std::string> names;
  std::string rest(line);
  for (std::smatch match; std::regex_match(rest, match, kTarget); rest = std::string(match[2])) {
    const std::string targets = match[1];
    for (std::sregex_iterator it(targets.begin(), targets.end(), kName), end; it != end; ++it)
      names.push_back(it->str());
  }
  return names;
}

bool defines(std::string_view line) { return line.starts_with("def ") || line.starts_with("class "); }

// What stands behind the last function becomes one, loop(), which the harness calls: so the loop is read first.
void make_loop(std::vector<std::string>& lines) {
  const auto harness = std::ranges::find(lines, kHarness);
  auto first =
      std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("torch.manual_seed"); }) + 1;
  for (auto it = first; it < harness; ++it) {
    if (!defines(*it)) continue;
    do ++it;
    while (it < harness && (it->empty() || it->front() == ' ' || it->front() == ')'));
    first = it--;
  }
  // The names that a function shares with the loop, or that have a value before it.
  std::vector<std::string> outer, shared;
  for (auto it = lines.begin(); it < first; ++it) {
    const std::size_t declared = it->find("global ");
    const std::string line = declared == std::string::npos ? *it : it->substr(declared + 7) + " = 0";
    if (declared == std::string::npos && indent_of(line) > 0) continue;
    for (const std::string& name : assigned(line)) outer.push_back(name);
  }
  for (auto it = first; it < harness; ++it) {
    for (const std::string& name : assigned(*it)) {
      if (std::ranges::find(outer, name) != outer.end() && std::ranges::find(shared, name) == shared.end())
        shared.push_back(name);
    }
    if (!it->empty()) it->insert(0, 4, ' ');
  }
  std::vector<std::string> head{"def loop(iterations):"};
  if (!shared.empty()) head.push_back(fmt::format("    global {}", fmt::join(shared, ", ")));
  lines.insert(first, head.begin(), head.end());
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
    lines = without_idle_conditions(lines);
    make_loop(lines);
    const std::vector<std::string> facts_of = constants(facts, warm_up);
    lines.insert(std::ranges::find(lines, "import json") + 2, facts_of.begin(), facts_of.end());
    script.text += laid_out(lines);
  } else {
    for (const std::string& line : lines) script.text += line + '\n';
  }
  return script;
}

}  // namespace lanescope::workload
