#include "workload/code/programs.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {

void write_bandwidth(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool to_host = s.choice("direction") == "d2h";
  const bool pin_first = s.boolean(key::kPinFirst), pin = pin_first && !to_host;
  const bool sync = s.boolean(key::kSync), fresh = s.boolean("fresh");

  begin_script(code);
  code.line(0, "gpu = torch.empty($bytes // 4, device='cuda')", {"set up"});
  code.script(0, "gpu.fill_(0.5)");
  const auto make_host = [&](int indent, std::vector<std::string> ranges) {
    const char* text = pin_first || code.on_cpu() ? "host = torch.empty($bytes // 4)"
                                                  : "host = torch.empty($bytes // 4, pin_memory=$pinned)";
    ranges.empty() ? code.more(indent, text) : code.line(indent, text, std::move(ranges));
    if (!fresh || !to_host) code.script(indent, "host.uniform_()");
  };
  if (!fresh) make_host(0, {});
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  if (fresh) make_host(1, {"make tensor"});
  if (s.boolean("gpu_first")) code.line(1, "gpu.fill_(0.5)", {"fill on the GPU"});
  code.line(1, "start = time.time()");
  if (pin) code.line(1, code.on_cpu() ? "source = host" : "source = host.pin_memory()", {"pin_memory()"});
  code.line(1,
            to_host ? "host.copy_(gpu, non_blocking=$non_blocking)"
            : pin   ? "gpu.copy_(source, non_blocking=$non_blocking)"
                    : "gpu.copy_(host, non_blocking=$non_blocking)",
            {"copy"});
  if (sync) code.synchronize(1, {}, {"synchronize()"});
  code.line(1, "took = time.time() - start", {"stopwatch"});
  code.script(1, R"(note('stopwatch_ms', 1e3 * took)
note('stopwatch_gb_per_s', ($bytes // 4 * 4) / took / 1e9)
if i == 0:
    first_ms = 1e3 * took
else:
    note('later_ms', 1e3 * took))");
  if (!sync) code.synchronize(1, "  # not timed", {"wait, not timed"});
  if (sync) code.script(0, code.on_cpu() ? "" : "torch.cuda.synchronize()");
  code.script(0, "note('first_ms', first_ms)");
  end_script(code);
}

}  // namespace lanescope::workload
