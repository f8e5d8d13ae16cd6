#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/figures.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;

constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kMostBytes = 1'600'000'000;  // 20,000 x 20,000 numbers

struct Options {
  explicit Options(const Settings& settings)
      : to_host(settings.choice("direction") == "d2h"),
        elements(static_cast<std::size_t>(settings.integer("bytes")) / sizeof(float)),
        pin_first(settings.boolean(key::kPinFirst)),
        pinned(settings.boolean(key::kPinned) && !pin_first),
        non_blocking(settings.boolean(key::kNonBlocking)),
        sync(settings.boolean(key::kSync)),
        fresh(settings.boolean("fresh")),
        gpu_first(settings.boolean("gpu_first")),
        dispatch_us(settings.real(key::kDispatchUs)) {}

  bool to_host;
  std::size_t elements;
  bool pin_first;  // the tensor is pageable, and a pinned copy of it is made for the transfer
  bool pinned, non_blocking, sync, fresh, gpu_first;
  double dispatch_us;

  bool operator==(const Options&) const = default;
};

class Bandwidth final : public EagerWorkload {
 public:
  explicit Bandwidth(device::Device& device)
      : EagerWorkload(device, bandwidth_info()),
        stopwatch_(device),
        stopwatch_ms_(figures().add("stopwatch_ms", N_("the program's stopwatch"), "ms")),
        gb_per_s_(figures().add("stopwatch_gb_per_s", N_("rate by the stopwatch"), "GB/s")),
        first_ms_(figures().add("first_ms", N_("the stopwatch, the first time"), "ms")),
        later_ms_(figures().add("later_ms", N_("the stopwatch, every time after that"), "ms")) {}

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  void adapt(const Options& o);
  bool host_fits(const Options& o) const { return host_.elements == o.elements && host_.pinned == o.pinned; }
  void make_host_tensor(const Options& o, bool fill);
  void drop_host_tensor();
  void make_device_tensor(const Options& o);
  void fill_device_tensor(const Options& o);
  HostTensor pin_memory(const Options& o);
  void measure(const Options& o);

  Stopwatch stopwatch_;
  const std::size_t stopwatch_ms_, gb_per_s_, first_ms_, later_ms_;
  std::optional<Options> measured_;  // the options used for the newest copy
  HostTensor host_;
  Tensor device_tensor_;
};

void Bandwidth::set_up(const Settings& settings) {
  const Options o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  const Phase phase(eager_, "set up");
  adapt(o);
  eager_.synchronize();
}

// torch.empty(...), with values if `fill`.
void Bandwidth::make_host_tensor(const Options& o, bool fill) {
  drop_host_tensor();
  host_ = eager_.host_tensor(o.elements, o.pinned);
  if (fill) eager_.host_fill(host_);
}

void Bandwidth::drop_host_tensor() {
  if (host_.buffer == device::Buffer::None) return;
  eager_.drop(host_);
  host_ = {};
}

// Rounds up to a power of two, so that dragging the size slider causes only a few allocations. Frees the old tensor
// first, because two of the largest may exceed a GPU's memory.
void Bandwidth::make_device_tensor(const Options& o) {
  if (o.elements <= device_tensor_.elements) return;
  if (device_tensor_.buffer != device::Buffer::None) eager_.device().release(device_tensor_.buffer);
  device_tensor_ = {};
  device_tensor_ = eager_.tensor(std::min(std::bit_ceil(o.elements), kMostBytes / sizeof(float)));
  fill_device_tensor(o);
}

void Bandwidth::fill_device_tensor(const Options& o) {
  eager_.launch(Op{OpKind::Fill, static_cast<std::int32_t>(o.elements), 1, 1, 0.5f}, {device_tensor_});
}

void Bandwidth::adapt(const Options& o) {
  make_device_tensor(o);
  if (!o.fresh && !host_fits(o)) make_host_tensor(o, true);
}

// host.pin_memory(): the framework allocates page-locked memory, and this thread copies into it.
HostTensor Bandwidth::pin_memory(const Options& o) {
  const Phase phase(eager_, "pin_memory()", trace::RangeKind::Pin);
  const HostTensor pinned = eager_.host_tensor(o.elements, true);
  if (eager_.holds_values()) std::ranges::copy(eager_.values(host_), eager_.values(pinned).begin());
  eager_.host_wrote(pinned);
  return pinned;
}

void Bandwidth::measure(const Options& o) {
  stopwatch_.start();
  const bool pin = o.pin_first && !o.to_host;
  const HostTensor source = pin ? pin_memory(o) : host_;
  {
    const Phase phase(eager_, "copy");
    if (o.to_host) {
      eager_.copy_to_host(host_, device_tensor_, o.elements, o.non_blocking);
    } else {
      eager_.copy_to_device(device_tensor_, source, o.elements, o.non_blocking);
    }
    if (pin) eager_.drop(source);
  }
  if (o.sync) {
    const Phase phase(eager_, "synchronize()", trace::RangeKind::Sync);
    eager_.synchronize();
  }
  const base::Nanoseconds took = stopwatch_.stop();
  figures().sample(stopwatch_ms_, static_cast<double>(took) / 1e6);
  // Memory for a pinned copy is page-locked the first time; the framework keeps it afterwards.
  figures().sample(measured_ == o ? later_ms_ : first_ms_, static_cast<double>(took) / 1e6);
  measured_ = o;
  // A byte per nanosecond is a gigabyte per second.
  if (took > 0) {
    figures().sample(gb_per_s_, static_cast<double>(o.elements * sizeof(float)) / static_cast<double>(took));
  }
}

void Bandwidth::iterate(std::uint64_t /*number*/, const Settings& settings) {
  const Options o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  if (o.elements > device_tensor_.elements || (!o.fresh && !host_fits(o))) {
    const Phase phase(eager_, "set up");
    adapt(o);
    eager_.synchronize();
  }
  if (o.fresh) {
    const Phase phase(eager_, "make tensor");
    make_host_tensor(o, !o.to_host);  // the destination of a read stays untouched
  }
  if (o.gpu_first) {
    const Phase phase(eager_, "fill on the GPU");
    fill_device_tensor(o);
  }
  measure(o);
  if (!o.sync) {
    const Phase phase(eager_, "wait, not timed");
    eager_.synchronize();
  }
}

}  // namespace

WorkloadInfo bandwidth_info() {
  return {
      .name = "bandwidth",
      .title = N_("Timing one copy"),
      .summary = N_("One tensor is copied between CPU and GPU while the program's own stopwatch runs. Pinned memory "
                    "makes the copy faster. A non-blocking copy only seems faster if the stopwatch stops without a "
                    "synchronisation: it then shows how long it took to enqueue the copy, which is still running."),
      .experiments = N_("P16 to P20"),
      .published = {{N_("1.6 GB to the GPU, pageable"), "0.384 s"},
                    {N_("pinned, not synchronised"), N_("0.0004 s (not the copy)")},
                    {N_("1.6 GB to the CPU, pageable; pinned"), "0.731 s; 0.061 s"}},
      .code = shown_code(write_bandwidth, bandwidth_settings({})),
      .computes_values = false,
  };
}

Settings bandwidth_settings(const device::DeviceInfo& device) {
  const auto yes_or_no = [](const char* key, std::string label, std::string help, bool standard) {
    return SettingSpec{.key = key,
                       .label = std::move(label),
                       .help = std::move(help),
                       .type = SettingType::Bool,
                       .standard = standard};
  };
  const SettingSpec direction{.key = "direction",
                              .label = N_("Direction"),
                              .help = N_("h2d: from the CPU to the GPU; d2h: back."),
                              .type = SettingType::Choice,
                              .standard = std::string("h2d"),
                              .choices = {"h2d", "d2h"}};
  const SettingSpec bytes{.key = "bytes",
                          .label = N_("Size"),
                          .help = N_("Bytes to copy, rounded down to a multiple of four."),
                          .type = SettingType::Integer,
                          .standard = std::int64_t{16} << 20,
                          .minimum = kLeastBytes,
                          .maximum = kMostBytes,
                          .unit = "B",
                          .logarithmic = true,
                          .stops = {4096, 16'384, 65'536, 262'144, 1'048'576, 4'194'304, 16'777'216, 67'108'864,
                                    268'435'456, 1'073'741'824, 1'600'000'000},
                          .is_size = true,
                          .sweep_priority = 3};
  SettingSpec seed = seed_setting();
  seed.help = N_("Seed of the random numbers; the time of a copy does not depend on them.");
  return Settings(
      {direction, bytes, pinned_setting(), non_blocking_setting(),
       yes_or_no(key::kSync, N_("Synchronise before stopping"),
                 N_("The program synchronises before its stopwatch stops; otherwise a non-blocking copy is not timed."),
                 true),
       yes_or_no("fresh", N_("Fresh host tensor"),
                 N_("The host tensor is new in every iteration; the framework still reuses pinned memory."), false),
       yes_or_no(
           key::kPinFirst, N_("Pin it for this copy"),
           N_("To the GPU: x.pin_memory().to('cuda'): the CPU copies the pageable tensor into pinned memory first, "
              "inside the stopwatch."),
           false),
       yes_or_no("gpu_first", N_("GPU works first"),
                 N_("A kernel makes the tensor on the GPU just before the copy, which has to wait for it."), false),
       dispatch_setting(device), seed});
}

std::unique_ptr<Workload> make_bandwidth(device::Device& device) { return std::make_unique<Bandwidth>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

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
