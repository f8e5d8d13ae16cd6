#include "workload/code/programs.h"

#include <fmt/format.h>

#include "workload/graphed_step.h"

namespace lanescope::workload {

std::vector<std::string> shown_code(void (*write)(CodeWriter&), const Settings& settings) {
  CodeWriter code(settings, false);
  write(code);
  return plain_text(shown(code.take().code));
}

void begin_script(CodeWriter& code, std::string_view standard, std::string_view of_torch) {
  code.script(0, "import argparse\nimport json\nimport time");
  code.script(0, standard);
  code.script(0, "\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F");
  code.script(0, of_torch);
  code.script(0, R"(
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--iterations', type=int, default=ITERATIONS, help='that are timed (default: %(default)s)')
parser.add_argument('--warm-up', type=int, default=WARM_UP, help='before them (default: %(default)s)')
parser.add_argument('--stretch', type=int, help='also stop the clock after every so many')
arguments = parser.parse_args()
warm_up = arguments.warm_up
iterations = warm_up + arguments.iterations
stretch = arguments.stretch or arguments.iterations
figures, laps = {}, []


def note(name, value):
    figures.setdefault(name, []).append(value)


def lap(i):  # iteration i is next: after the warm-up the clock starts
    if i == warm_up:
        figures.clear()
    if i == iterations or i >= warm_up and (i - warm_up) % stretch == 0:)");
  if (!code.on_cpu()) code.script(2, "torch.cuda.synchronize()");
  code.script(2, "laps.append((i, time.perf_counter()))");
  code.script(0, "");
  code.script(0, "torch.manual_seed($seed)");
}

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
  code.script(0, R"(lap(iterations)
seconds = laps[-1][1] - laps[0][1]
print(json.dumps({
    **ABOUT,)");
  code.script(1, code.on_cpu() ? "'device': 'cpu'," : "'device': torch.cuda.get_device_name(),");
  code.script(0, R"(    'torch': torch.__version__,
    'iterations': iterations - warm_up,
    'iterations_per_s': (iterations - warm_up) / seconds,
    'ms_per_iteration': 1e3 * seconds / (iterations - warm_up),
    'stretches_ms': [1e3 * (t - since) / (i - first) for (first, since), (i, t) in zip(laps, laps[1:])],
    'figures': {name: sum(values) / len(values) for name, values in figures.items()},
})))");
}

}  // namespace lanescope::workload
