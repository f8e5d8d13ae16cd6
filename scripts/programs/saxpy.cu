// A plain CUDA C++ program: upload, kernel, download, wait.
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  constexpr int kNumbers = 1 << 20, kRounds = 2000, kSkipped = 20;
  std::vector<float> host(kNumbers, 1.0f);
  float *x = nullptr, *y = nullptr;
  if (cudaMalloc(&x, kNumbers * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&y, kNumbers * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(y, 0, kNumbers * sizeof(float));
  std::chrono::steady_clock::time_point began;
  for (int i = 0; i < kRounds; ++i) {
    if (i == kSkipped) began = std::chrono::steady_clock::now();
    cudaMemcpy(x, host.data(), kNumbers * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<kNumbers / 256, 256>>>(kNumbers, 2.0f, x, y);
    cudaDeviceSynchronize();
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
  std::printf("{\"iterations\": %d, \"us\": %f}\n", kRounds, took.count() / (kRounds - kSkipped));
}
