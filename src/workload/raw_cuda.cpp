#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using base::Nanoseconds;
using ops::Op;
using ops::OpKind;

constexpr std::int64_t kMostElements = 1'000'000;

struct RawCudaOptions {
  explicit RawCudaOptions(const Settings& settings)
      : elements(static_cast<std::size_t>(settings.integer("n"))),
        pinned(settings.boolean(key::kPinned)),
        blocking(settings.choice("copies") == "blocking"),
        kernel_us(settings.real("kernel_us")),
        dispatch_us(settings.real(key::kDispatchUs)),
        own_work_ns(base::from_us(settings.real("own_work_us"))) {}

  std::size_t bytes() const { return elements * sizeof(float); }

  std::size_t elements;
  bool pinned, blocking;
  double kernel_us, dispatch_us;
  Nanoseconds own_work_ns;
};

class RawCuda final : public EagerWorkload {
 public:
  explicit RawCuda(device::Device& device)
      : EagerWorkload(device, raw_cuda_info()),
        line1_us_(figures().add("line1_us", N_("line 1, the copy to the GPU"), "µs", true)),
        line2_us_(figures().add("line2_us", N_("line 2, the kernel"), "µs", true)),
        line3_us_(figures().add("line3_us", N_("line 3, the copy back"), "µs", true)),
        rest_us_(figures().add("rest_us", N_("its own work, and the synchronisation"), "µs", true)),
        wrong_(figures().add("wrong_numbers", N_("wrong numbers"), "")) {}

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  bool fits(const RawCudaOptions& o) const {
    return a_.elements == o.elements && a_.pinned == (o.pinned && !eager_.on_cpu());
  }
  void make_arrays(const RawCudaOptions& o);
  void copy(device::Device::Slice to, device::Device::Slice from, const RawCudaOptions& o);
  void launch(const RawCudaOptions& o);
  void own_work(const RawCudaOptions& o);
  void check();
  void sample(std::size_t figure, Nanoseconds& since);

  const std::size_t line1_us_, line2_us_, line3_us_, rest_us_, wrong_;
  HostTensor a_;
  Tensor on_gpu_;
  float expected_ = 0;  // the value of every element after the iteration
};

void RawCuda::set_up(const Settings& settings) {
  const Phase phase(eager_, "set up");
  make_arrays(RawCudaOptions(settings));
  eager_.synchronize();
}

// The capacity on the device is a power of two, so that dragging the size slider causes only a few allocations.
void RawCuda::make_arrays(const RawCudaOptions& o) {
  if (o.elements > on_gpu_.elements) on_gpu_ = eager_.tensor(std::bit_ceil(o.elements));
  if (a_.elements != 0) eager_.drop(a_);
  a_ = eager_.host_tensor(o.elements, o.pinned);
  std::ranges::fill(eager_.values(a_), 0.0f);
  eager_.host_wrote(a_);
  expected_ = 0;
}

void RawCuda::copy(device::Device::Slice to, device::Device::Slice from, const RawCudaOptions& o) {
  if (o.dispatch_us > 0) eager_.device().host_work(base::from_us(o.dispatch_us));
  if (o.blocking) return eager_.device().copy(to, from, o.bytes());
  eager_.device().copy_async(to, from, o.bytes(), Eager::kStream);
}

void RawCuda::launch(const RawCudaOptions& o) {
  if (o.kernel_us > 0) eager_.launch(Op{OpKind::Spin, 1, 1, 1, static_cast<float>(o.kernel_us)}, {});
  eager_.launch(Op{OpKind::Increment, static_cast<std::int32_t>(o.elements), 1, 1, 1.0f}, {on_gpu_});
}

void RawCuda::own_work(const RawCudaOptions& o) {
  if (o.own_work_ns == 0) return;
  const Phase phase(eager_, "own work");
  eager_.device().host_work(o.own_work_ns);
}

// Called after the array was copied to the GPU and back.
void RawCuda::check() {
  expected_ += 1;
  const std::span<const float> values = eager_.read(a_, a_.elements);
  figures().sample(wrong_, values.front() == expected_ && values.back() == expected_ ? 0 : 1);
}

void RawCuda::sample(std::size_t figure, Nanoseconds& since) {
  const Nanoseconds now = eager_.device().now_ns();
  figures().sample(figure, base::to_us(now - since));
  since = now;
}

void RawCuda::iterate(std::uint64_t /*number*/, const Settings& settings) {
  const RawCudaOptions o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  if (!fits(o) || o.elements > on_gpu_.elements) {
    const Phase phase(eager_, "set up");
    make_arrays(o);
  }
  Nanoseconds since = eager_.device().now_ns();
  {
    const Phase phase(eager_, "line 1");
    copy({on_gpu_.buffer, 0}, {a_.buffer, 0}, o);
  }
  sample(line1_us_, since);
  {
    const Phase phase(eager_, "line 2");
    launch(o);
  }
  sample(line2_us_, since);
  {
    const Phase phase(eager_, "line 3");
    copy({a_.buffer, 0}, {on_gpu_.buffer, 0}, o);
  }
  sample(line3_us_, since);
  own_work(o);
  if (!o.blocking) {
    const Phase phase(eager_, "wait");
    eager_.device().synchronize(Eager::kStream);
  }
  sample(rest_us_, since);
  check();
}

}  // namespace

WorkloadInfo raw_cuda_info() {
  return {
      .name = "raw-cuda",
      .title = N_("Three lines of CUDA C++"),
      .summary = N_("An array is copied to the GPU, a kernel adds one to each of its numbers, and it is copied back. "
                    "cudaMemcpy returns when its bytes have been taken or have arrived; the launch in between returns "
                    "at once. With pinned memory, cudaMemcpyAsync and one synchronisation the CPU is free meanwhile."),
      .experiments = "S3",
      .published = {},
      .code = shown_code(write_raw_cuda, raw_cuda_settings({})),
      .computes_values = true,
  };
}

Settings raw_cuda_settings(const device::DeviceInfo& device) {
  const SettingSpec n{.key = "n",
                      .label = N_("N"),
                      .help = N_("Numbers in the array, four bytes each. Up to 1024 the kernel is increment<<<1, N>>>, "
                                 "one block; more need several blocks."),
                      .type = SettingType::Integer,
                      .standard = kMostElements,
                      .minimum = 1,
                      .maximum = static_cast<double>(kMostElements),
                      .logarithmic = true,
                      .stops = {1, 32, 256, 1024, 10'000, 100'000, 1'000'000}};
  const SettingSpec copies{.key = "copies",
                           .label = N_("Copies"),
                           .help = N_("blocking: cudaMemcpy; async: cudaMemcpyAsync, and one cudaStreamSynchronize at "
                                      "the end."),
                           .type = SettingType::Choice,
                           .standard = std::string("blocking"),
                           .choices = {"blocking", "async"}};
  const auto time = [](const char* key, std::string label, std::string help, double standard) {
    return SettingSpec{.key = key,
                       .label = std::move(label),
                       .help = std::move(help),
                       .type = SettingType::Real,
                       .standard = standard,
                       .minimum = 0,
                       .maximum = 100'000,
                       .unit = "µs",
                       .logarithmic = true,
                       .stops = {0, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 100'000}};
  };
  SettingSpec dispatch = dispatch_setting(device);
  dispatch.standard = 0.0;  // no framework, on any device
  SettingSpec seed = seed_setting();
  seed.help = N_("Starts the random numbers; here only the jitter of a simulated device depends on them.");
  return Settings(
      {n, copies, pinned_setting(),
       time("kernel_us", N_("Longer kernel"), N_("A kernel of so long comes before the increment; 0: none."), 500),
       time("own_work_us", N_("The CPU's own work"),
            N_("What the CPU computes in an iteration that needs nothing of the array."), 300),
       dispatch, seed});
}

std::unique_ptr<Workload> make_raw_cuda(device::Device& device) { return std::make_unique<RawCuda>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

void write_raw_cuda(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool pinned = s.boolean(key::kPinned), blocking = s.choice("copies") == "blocking";
  const bool longer = s.real("kernel_us") > 0, own_work = s.real("own_work_us") > 0;

  code.in_cuda_cpp();
  code.script(0, R"(#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Clock = std::chrono::steady_clock;

constexpr int kNumbers = $n;

__global__ void increment(float* a) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kNumbers) a[i] += 1;
}
)");
  if (longer) {
    code.script(0, R"(
__device__ unsigned long long now_ns() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

__global__ void spin(float us) {
    const unsigned long long until = now_ns() + static_cast<unsigned long long>(1e3f * us);
    while (now_ns() < until) {
    }
}
)");
  }
  code.script(0, R"(
double us_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}
)");
  if (own_work) {
    code.script(0, R"(
void own_work(double us) {
    for (const Clock::time_point begin = Clock::now(); us_since(begin) < us;) {
    }
}
)");
  }
  code.script(0, R"(
int main(int count, char** arguments) {
    const int measured = count > 1 ? std::atoi(arguments[1]) : ITERATIONS;
    const int warm_up = count > 2 ? std::atoi(arguments[2]) : WARM_UP;
    const int iterations = warm_up + measured;
    const size_t numBytes = kNumbers * sizeof(float);
    float *a = nullptr, *d_a = nullptr;
    double line1_us = 0, line2_us = 0, line3_us = 0, rest_us = 0, wrong = 0;
    Clock::time_point began;)");
  code.nest(1);
  code.line(0, "constexpr int N = $n;  // numBytes = N * sizeof(float)");
  code.line(0, pinned ? "cudaMallocHost(&a, numBytes);  // pinned" : "a = (float*)calloc(N, sizeof(float));",
            {"set up"});
  code.more(0, "cudaMalloc(&d_a, numBytes);");
  code.script(0, R"(if (a == nullptr || d_a == nullptr) {
    std::fprintf(stderr, "no memory: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
}
for (int i = 0; i < N; ++i) a[i] = 0;)");
  code.line(0, "for (int i = 0; i < iterations; ++i) {");
  code.script(1, R"(if (i == warm_up) {
    cudaDeviceSynchronize();
    line1_us = line2_us = line3_us = rest_us = wrong = 0;
    began = Clock::now();
}
Clock::time_point since = Clock::now();)");
  const auto took = [&](const char* figure) {
    code.script(1, fmt::format("{} += us_since(since);\nsince = Clock::now();", figure));
  };
  code.line(1,
            blocking ? "cudaMemcpy(d_a, a, numBytes, cudaMemcpyHostToDevice);"
                     : "cudaMemcpyAsync(d_a, a, numBytes, cudaMemcpyHostToDevice);",
            {"line 1"});
  took("line1_us");
  const char* increment = s.integer("n") <= kThreadsOfABlock
                              ? "increment<<<1, N>>>(d_a);"
                              : "increment<<<(N + 255) / 256, 256>>>(d_a);  // a block has 1024 at most";
  if (longer) {
    code.line(1, "spin<<<1, 1>>>($kernel_us);  // a longer kernel, in us", {"line 2"});
    code.more(1, increment);
  } else {
    code.line(1, increment, {"line 2"});
  }
  took("line2_us");
  code.line(1,
            blocking ? "cudaMemcpy(a, d_a, numBytes, cudaMemcpyDeviceToHost);"
                     : "cudaMemcpyAsync(a, d_a, numBytes, cudaMemcpyDeviceToHost);",
            {"line 3"});
  took("line3_us");
  if (own_work) code.line(1, "own_work($own_work_us);  // needs nothing of a", {"own work"});
  if (!blocking) code.line(1, "cudaStreamSynchronize(0);", {"wait"});
  took("rest_us");
  code.script(1, "if (a[0] != i + 1 || a[N - 1] != i + 1) wrong += 1;");
  code.line(0, "}");
  code.line(0, "cudaDeviceSynchronize();");
  code.nest(0);
  code.script(1, R"(const double seconds = us_since(began) / 1e6;
if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
}
cudaDeviceProp gpu{};
cudaGetDeviceProperties(&gpu, 0);
std::printf("{" ABOUT ", \"device\": \"%s\", \"iterations\": %d, \"iterations_per_s\": %.6g, \"ms_per_iteration\": %.6g, "
            "\"figures\": {\"line1_us\": %.6g, \"line2_us\": %.6g, \"line3_us\": %.6g, \"rest_us\": %.6g, "
            "\"wrong_numbers\": %.6g}}\n",
            gpu.name, measured, measured / seconds, 1e3 * seconds / measured, line1_us / measured, line2_us / measured,
            line3_us / measured, rest_us / measured, wrong / measured);)");
  code.script(0, "}");
}

}  // namespace lanescope::workload
