#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;

// Larger arrays hold no values: writing real ones would take longer than the simulated GPU.
constexpr std::size_t kMostComputed = 4'000'000;
// The number of elements averaged to check an array: all hold the same value.
constexpr std::size_t kLookedAt = 1000;
// Values repeat after this many iterations. A float represents each exactly, and none equals that of unwritten memory.
constexpr std::uint64_t kValuePeriod = 1u << 23;

enum class PlotTransferMethod : std::uint8_t { CpuNumpy, OneStepLate, Unsafe };
// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kMethods{choice::kCpuNumpy, choice::kOneStepLate, "unsafe"};

struct PlotSettings {
  explicit PlotSettings(const Settings& settings)
      : method(static_cast<PlotTransferMethod>(
            std::find(kMethods.begin(), kMethods.end(), settings.choice(key::kMethod)) - kMethods.begin())),
        elements(static_cast<std::size_t>(settings.integer("elements"))),
        columns(static_cast<std::size_t>(settings.integer("columns"))),
        column_only(settings.choice("part") == "column"),
        interval(static_cast<std::uint64_t>(settings.integer(key::kPlotInterval))),
        plot_ns(base::from_us(1e3 * settings.real("plot_ms"))),
        model_us(settings.real("model_us")),
        dispatch_us(settings.real(key::kDispatchUs)) {}

  PlotTransferMethod method;
  /// The number of elements the program draws, out of `elements` in rows of `columns`.
  std::size_t drawn() const { return column_only ? elements / columns : elements; }

  std::size_t elements, columns;
  bool column_only;
  std::uint64_t interval;
  base::Nanoseconds plot_ns;
  double model_us;
  double dispatch_us;
};

class PlotTransfer final : public EagerWorkload {
 public:
  explicit PlotTransfer(device::Device& device);

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  // A pinned copy of the array, in flight.
  struct Late : LateCopy {
    float value = 0;
  };

  bool prepared(const PlotSettings& s) const;
  void prepare(const PlotSettings& s);
  const Tensor& points(const PlotSettings& s) const { return s.elements > kMostComputed ? large_ : small_; }
  const Tensor& column(const PlotSettings& s) const {
    return s.elements > kMostComputed ? large_column_ : small_column_;
  }
  /// What is copied.
  const Tensor& drawn(const PlotSettings& s) const { return s.column_only ? column(s) : points(s); }
  void run(const Op& op, std::initializer_list<Tensor> args, const PlotSettings& s);
  void take_column(const PlotSettings& s);
  void make_points(float value, const PlotSettings& s);
  void plot(float value, const PlotSettings& s);
  void copy_to_pinned(Late& late, float value, const PlotSettings& s);
  bool look(const HostTensor& host, float value, const PlotSettings& s);
  void got(bool right, base::Nanoseconds transfer_ns, const PlotSettings& s);

  Tensor small_, large_;  // in the simulation the large one never holds values
  Tensor small_column_, large_column_;
  std::array<Late, 2> late_;
  std::size_t turn_ = 0;  // the buffer for the next copy
  PlotTransferMethod method_ = PlotTransferMethod::CpuNumpy;
  std::size_t wrong_figure_ = 0, transfer_figure_ = 0;
};

PlotTransfer::PlotTransfer(device::Device& device) : EagerWorkload(device, plot_transfer_info(), true) {
  wrong_figure_ = figures().add("wrong_arrays", N_("wrong arrays"), "");
  transfer_figure_ = figures().add("transfer_ms", N_("the transfer's statements"), "ms");
}

void PlotTransfer::set_up(const Settings& settings) {
  const PlotSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  const Phase phase(eager_, "set up");
  for (Late& late : late_) late.event = eager_.device().create_event();
  method_ = s.method;
  prepare(s);
  eager_.synchronize();
}

bool PlotTransfer::prepared(const PlotSettings& s) const {
  if (points(s).elements < s.elements || drawn(s).elements < s.drawn()) return false;
  if (s.method == PlotTransferMethod::CpuNumpy) return late_[0].host.elements == 0;
  return late_[0].host.elements == s.drawn();
}

// The capacity on the device is a power of two, so that dragging the size slider causes only a few allocations. Tensors
// that become too small stay allocated, as in PyTorch's caching allocator. Pinned arrays go back to their allocator.
void PlotTransfer::prepare(const PlotSettings& s) {
  if (Tensor& t = s.elements > kMostComputed ? large_ : small_; t.elements < s.elements) {
    t = eager_.tensor(std::bit_ceil(s.elements));
  }
  if (Tensor& t = s.elements > kMostComputed ? large_column_ : small_column_; s.column_only && t.elements < s.drawn()) {
    t = eager_.tensor(std::bit_ceil(s.drawn()));
  }
  for (Late& late : late_) {
    late.pending = false;
    if (late.host.elements != 0) eager_.drop(late.host);
    late.host = s.method == PlotTransferMethod::CpuNumpy ? HostTensor{} : eager_.host_tensor(s.drawn(), true);
  }
}

// Stands in for the program's real plot data: torch.full((elements,), value), so that every element is known.
void PlotTransfer::make_points(float value, const PlotSettings& s) {
  const Phase phase(eager_, "points");
  run(Op{OpKind::Fill, static_cast<std::int32_t>(s.elements), 1, 1, value}, {points(s)}, s);
}

void PlotTransfer::run(const Op& op, std::initializer_list<Tensor> args, const PlotSettings& s) {
  if (s.elements <= kMostComputed) return eager_.launch(op, args);
  std::vector<device::Buffer> buffers;
  for (const Tensor& tensor : args) buffers.push_back(tensor.buffer);
  eager_.device().host_work(base::from_us(s.dispatch_us));
  eager_.device().launch(op, buffers, Eager::kStream, false);
}

// points[:,0] is a view of every columns-th number. PyTorch makes it contiguous on the GPU before copying it to the
// host.
void PlotTransfer::take_column(const PlotSettings& s) {
  run(Op{OpKind::Column, static_cast<std::int32_t>(s.drawn()), 1, static_cast<std::int32_t>(s.columns)},
      {points(s), column(s)}, s);
}

// Checks that the array holds what the GPU wrote for it: if every element is that value, so is the mean.
bool PlotTransfer::look(const HostTensor& host, float value, const PlotSettings& s) {
  bool arrived = true;
  const std::span<const float> found = eager_.read(host, host.elements, &arrived);
  if (s.elements > kMostComputed) return arrived;
  const std::size_t step = (found.size() + kLookedAt - 1) / kLookedAt;
  bool right = found.back() == value;
  for (std::size_t i = 0; i < found.size(); i += step) right = right && found[i] == value;
  if (!right && arrived) eager_.mark_stale_read();
  return right && arrived;
}

void PlotTransfer::got(bool right, base::Nanoseconds transfer_ns, const PlotSettings& s) {
  figures().sample(transfer_figure_, base::to_us(transfer_ns) / 1e3);
  figures().sample(wrong_figure_, right ? 0 : 1);
  const Phase phase(eager_, "draw");
  eager_.device().host_work(s.plot_ns);
}

void PlotTransfer::copy_to_pinned(Late& late, float value, const PlotSettings& s) {
  const Phase phase(eager_, "copy to pinned");
  if (s.column_only) take_column(s);
  if (s.method == PlotTransferMethod::Unsafe) return eager_.copy_to_host(late.host, drawn(s), s.drawn(), true);
  copy_late(late, drawn(s), s.drawn());
  late.value = value;
}

void PlotTransfer::plot(float value, const PlotSettings& s) {
  device::Device& device = eager_.device();
  const base::Nanoseconds before = device.now_ns();
  bool right = true;
  if (s.method == PlotTransferMethod::CpuNumpy) {
    const HostTensor host = eager_.host_tensor(s.drawn(), false);
    {
      const Phase phase(eager_, ".cpu().numpy()", trace::RangeKind::Read);
      if (s.column_only) take_column(s);
      eager_.copy_to_host(host, drawn(s), s.drawn(), false);
      right = look(host, value, s);
    }
    got(right, device.now_ns() - before, s);
    eager_.drop(host);
    return;
  }
  Late &now = late_[turn_], &earlier = late_[turn_ ^ 1];
  copy_to_pinned(now, value, s);
  if (s.method == PlotTransferMethod::Unsafe) {
    {
      const Phase phase(eager_, "read at once");
      right = look(now.host, value, s);
    }
    return got(right, device.now_ns() - before, s);
  }
  turn_ ^= 1;
  if (!earlier.pending) return;
  {
    const Phase phase(eager_, "read one interval late");
    wait_for(earlier);
    right = look(earlier.host, earlier.value, s);
  }
  got(right, device.now_ns() - before, s);
}

void PlotTransfer::iterate(std::uint64_t number, const Settings& settings) {
  const PlotSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  if (s.method != method_ || !prepared(s)) {
    const Phase phase(eager_, "set up");
    method_ = s.method;
    prepare(s);
  }
  {
    const Phase phase(eager_, "model");
    if (s.model_us > 0) eager_.launch(Op{OpKind::Spin, 1, 1, 1, static_cast<float>(s.model_us)}, {});
  }
  if (number % s.interval != 0) return;
  const auto value = static_cast<float>(number % kValuePeriod + 1);
  make_points(value, s);
  plot(value, s);
}

}  // namespace

WorkloadInfo plot_transfer_info() {
  return {
      .name = "plot-transfer",
      .title = N_("Drawing an array that is on the GPU"),
      .summary =
          N_("Every few iterations a script draws a whole array. With .cpu().numpy() the CPU waits for the GPU and for "
             "the copy, and the GPU has nothing to do until the picture is drawn. Copying to pinned memory and drawing "
             "one interval later keeps both busy; without waiting for the event, an old array is drawn."),
      .experiments = N_("S0, T4"),
      .published = {},
      .code = shown_code(write_plot_transfer, plot_transfer_settings({})),
      .computes_values = false,
  };
}

Settings plot_transfer_settings(const device::DeviceInfo& device) {
  const Settings training = training_settings(device, {});
  const SettingSpec method{.key = key::kMethod,
                           .label = N_("Method"),
                           .help = N_("How the array gets to the CPU: waited for, one interval late, or not waited for "
                                      "at all, which draws an old one."),
                           .type = SettingType::Choice,
                           .standard = std::string(choice::kCpuNumpy),
                           .choices = {kMethods.begin(), kMethods.end()}};
  const SettingSpec elements{
      .key = "elements",
      .label = N_("Elements"),
      .help =
          N_("Elements of the array, four bytes each; above 4,000,000 the values are neither computed nor checked."),
      .type = SettingType::Integer,
      .standard = std::int64_t{1'000'000},
      .minimum = 1,
      .maximum = 100'000'000,
      .logarithmic = true,
      .stops = {1, 1e3, 1e4, 1e5, 1e6, 2e6, 4e6, 1e7, 2e7, 5e7, 1e8}};
  const SettingSpec columns{.key = "columns",
                            .label = N_("Columns"),
                            .help = N_("The array has rows of so many elements; what does not fill a row is left out "
                                       "of a column."),
                            .type = SettingType::Integer,
                            .standard = std::int64_t{2},
                            .minimum = 1,
                            .maximum = 1024,
                            .logarithmic = true,
                            .stops = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}};
  const SettingSpec part{.key = "part",
                         .label = N_("Part"),
                         .help = N_("whole: the array is fetched; column: only its first column, which a kernel makes "
                                    "contiguous first."),
                         .type = SettingType::Choice,
                         .standard = std::string("whole"),
                         .choices = {"whole", "column"}};
  const SettingSpec plot_interval{.key = key::kPlotInterval,
                                  .label = N_("Plot interval"),
                                  .help = N_("Iterations from one drawing of the array to the next."),
                                  .type = SettingType::Integer,
                                  .standard = std::int64_t{10},
                                  .minimum = 1,
                                  .maximum = 100'000,
                                  .logarithmic = true,
                                  .stops = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}};
  const SettingSpec plot_ms{.key = "plot_ms",
                            .label = N_("Drawing"),
                            .help = N_("How long the CPU takes to draw."),
                            .type = SettingType::Real,
                            .standard = 2.0,
                            .minimum = 0,
                            .maximum = 1000,
                            .unit = "ms"};
  return Settings({method, elements, part, columns, plot_interval, plot_ms, model_us_setting(),
                   *training.spec(key::kDispatchUs), *training.spec("seed")});
}

void check_plot_transfer(const Settings& settings) {
  const PlotSettings s(settings);
  if (s.column_only && s.elements < s.columns) {
    throw base::UsageError(
        base::tr("plot-transfer: elements={} is less than a row of columns={}", s.elements, s.columns));
  }
}

std::int64_t plot_transfer_period(const Settings& settings) { return settings.integer(key::kPlotInterval); }

std::unique_ptr<Workload> make_plot_transfer(device::Device& device) { return std::make_unique<PlotTransfer>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

void write_plot_transfer(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool column = s.choice("part") == "column";
  const std::string& method = s.choice(key::kMethod);
  const bool late = method == choice::kOneStepLate, waits = method == choice::kCpuNumpy;
  const bool checked = s.integer("elements") <= 4'000'000;

  begin_script(code);
  write_busy(code);
  code.script(0, R"(
def step(state):
    busy($model_us)
    return state

def sample(state, elements, number):  # stands for what is drawn: each element says of which iteration it is
    return torch.full((elements,), float(number % 8388608 + 1), device='cuda')

def draw(shown):  # as plt.plot() would
    until = time.perf_counter() + $plot_ms / 1e3
    while time.perf_counter() < until:
        pass

)");
  code.line(0, "state = torch.zeros(1).cuda()", {"set up"});
  if (!waits) {
    const std::string size = column ? "$elements // $columns" : "$elements";
    const char* pin = code.on_cpu() ? "" : ", pin_memory=True";
    if (late) {
      code.script(0, "pinned = [torch.empty(" + size + pin + ") for _ in range(2)]");
      code.script(0, "event = [torch.cuda.Event() for _ in range(2)]\nk, number_of = 0, [None, None]");
    } else {
      code.script(0, "pinned = torch.empty(" + size + pin + ")");
    }
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.line(1, "state = step(state)", {"model"});
  code.line(1, "if i % $plot_interval == 0:");
  code.line(2,
            column ? "points = sample(state, $elements // $columns * $columns, i).view(-1, $columns)"
                   : "points = sample(state, $elements, i)",
            {"points"});
  code.script(2, "since = time.perf_counter()");
  if (waits) {
    code.line(2, column ? "shown = points[:, 0].cpu().numpy()" : "shown = points.cpu().numpy()", {".cpu().numpy()"});
  } else if (late) {
    code.line(
        2, column ? "pinned[k].copy_(points[:, 0], non_blocking=True)" : "pinned[k].copy_(points, non_blocking=True)",
        {"copy to pinned"});
    code.script(2, "number_of[k] = i");
    code.more(2, "event[k].record()");
    code.more(2, "k = 1 - k");
    code.line(2, "event[k].synchronize()  # of the plot before", {"read one interval late"});
    code.more(2, "shown = pinned[k].numpy()");
  } else {
    code.line(2, column ? "pinned.copy_(points[:, 0], non_blocking=True)" : "pinned.copy_(points, non_blocking=True)",
              {"copy to pinned"});
    code.line(2, "shown = pinned.numpy()  # may not be there", {"read at once"});
  }
  if (late) code.script(2, "if number_of[k] is None:\n    continue");
  code.script(2, "note('transfer_ms', 1e3 * (time.perf_counter() - since))");
  if (checked) {
    const char* number = late ? "number_of[k]" : "i";
    code.script(2, std::string("right = shown[0] == shown[-1] == float(") + number + " % 8388608 + 1)");
    code.script(2, "note('wrong_arrays', 0 if right else 1)");
  }
  code.line(2, "draw(shown)", {"draw"});
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
