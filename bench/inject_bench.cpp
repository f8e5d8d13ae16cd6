// Promise: watching a call costs the program little. The library's own part of a blocking call, both callbacks
// together, with the Python line that made it: in a real interpreter, ten functions deep, on a CUPTI that only calls
// back.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "inject/target.h"
#include "promise.h"

namespace lanescope::bench {
namespace {

constexpr const char* kScript = R"(
import fake_gpu as gpu
gpu.init()
def down(depth):
    if depth > 1:
        return down(depth - 1)
    return gpu.callback_ns(9, 20_000)
print('ns', down(9), flush=True)   # with the module's, ten frames
)";

double callback_ns(wire::Level level) {
  inject_tests::Viewer viewer;
  viewer.first_level = level;
  viewer.start(kScript);
  // Nobody reads meanwhile: the ring has room for all of them.
  inject_tests::Process* process = viewer.process();
  if (!process || viewer.wait() != 0) throw std::runtime_error("the program failed: " + viewer.output());
  double ns = 0;
  if (std::sscanf(viewer.output().c_str(), "ns %lf", &ns) != 1) throw std::runtime_error(viewer.output());
  if (level == wire::Level::Off) return ns;
  if (process->memory().status.dropped.load() != 0) throw std::runtime_error("calls were dropped");
  const auto& calls = process->messages.calls;
  if (calls.size() < 180'000) throw std::runtime_error("calls are missing");
  const std::string lines = process->messages.lines(calls.back().stack);
  if (lines.substr(0, 7) != "down:7 ") throw std::runtime_error("the wrong line: " + lines);
  return ns;
}

void callbacks(benchmark::State& state) {
  for (auto _ : state) {
    const double nothing = callback_ns(wire::Level::Off), waits = callback_ns(wire::Level::Waits);
    state.counters["not_watched_ns"] = nothing;
    state.counters["watched_ns"] = waits;
    at_most(state, waits - nothing, 300);
  }
}
BENCHMARK(callbacks)
    ->Name("a watched call with its Python line: ns, both callbacks")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
