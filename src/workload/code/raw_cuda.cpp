#include "workload/raw_cuda.h"

#include <fmt/format.h>

#include "workload/code/programs.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {

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
    const int stretch = count > 3 ? std::atoi(arguments[3]) : measured;
    const int iterations = warm_up + measured;
    const size_t numBytes = kNumbers * sizeof(float);
    float *a = nullptr, *d_a = nullptr;
    double line1_us = 0, line2_us = 0, line3_us = 0, rest_us = 0, wrong = 0;
    Clock::time_point began, lap;
    std::vector<double> stretches;)");
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
    began = lap = Clock::now();
} else if (i > warm_up && (i - warm_up) % stretch == 0) {
    cudaDeviceSynchronize();
    stretches.push_back(us_since(lap) / 1e3 / stretch);
    lap = Clock::now();
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
if (measured % stretch == 0) stretches.push_back(us_since(lap) / 1e3 / stretch);
if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
}
cudaDeviceProp gpu{};
cudaGetDeviceProperties(&gpu, 0);
std::printf("{" ABOUT ", \"device\": \"%s\", \"iterations\": %d, \"iterations_per_s\": %.6g, \"ms_per_iteration\": %.6g, "
            "\"figures\": {\"line1_us\": %.6g, \"line2_us\": %.6g, \"line3_us\": %.6g, \"rest_us\": %.6g, "
            "\"wrong_numbers\": %.6g}, \"stretches_ms\": [",
            gpu.name, measured, measured / seconds, 1e3 * seconds / measured, line1_us / measured, line2_us / measured,
            line3_us / measured, rest_us / measured, wrong / measured);
for (size_t i = 0; i < stretches.size(); ++i) std::printf(i == 0 ? "%.6g" : ", %.6g", stretches[i]);
std::printf("]}\n");)");
  code.script(0, "}");
}

}  // namespace lanescope::workload
