// A linear layer as one kernel: cuBLASLt's matrix product that adds the bias itself, as addmm() does in PyTorch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "device/cuda/api.h"
#include "device/op.h"

namespace lanescope::cuda_backend {

/// The functions used, declared as in cublasLt.h, with its enumerations as ints and its descriptors as void*.
struct CublasLtTable {
  /// cublasLtMatmulHeuristicResult_t
  struct Choice {
    std::array<std::uint64_t, 8> algorithm;
    std::size_t workspace_bytes;
    int state;
    float waves;
    std::array<int, 4> reserved;
  };

  int (*create_product)(void**, int compute_type, int scale_type) = nullptr;
  int (*destroy_product)(void*) = nullptr;
  int (*set_product)(void*, int attribute, const void* value, std::size_t bytes) = nullptr;
  int (*create_layout)(void**, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) = nullptr;
  int (*destroy_layout)(void*) = nullptr;
  int (*create_preference)(void**) = nullptr;
  int (*destroy_preference)(void*) = nullptr;
  int (*set_preference)(void*, int attribute, const void* value, std::size_t bytes) = nullptr;
  int (*choose)(void* handle, void* product, void* a, void* b, void* c, void* d, void* preference, int wanted,
                Choice* choices, int* found) = nullptr;
  int (*multiply)(void* handle, void* product, const void* alpha, const void* a, void* a_layout, const void* b,
                  void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                  const void* algorithm, void* workspace, std::size_t workspace_bytes,
                  device::cuda::StreamHandle) = nullptr;

  bool complete() const;
};

/// Looks the functions up in libcublas and the libcublasLt that it has loaded.
CublasLtTable cublas_lt_in(void* cublas);

/// One call at a time.
class FusedLinear {
 public:
  explicit FusedLinear(const CublasLtTable& table) : table_(table) {}
  ~FusedLinear();
  FusedLinear(const FusedLinear&) = delete;
  FusedLinear& operator=(const FusedLinear&) = delete;

  /// Starts an op of the kind LinearForward. `handle`: of cuBLAS, which serves as one of cuBLASLt. Returns its status.
  int start(void* handle, const ops::Op& op, std::span<const device::cuda::Api::Arg> args, void* workspace,
            std::size_t workspace_bytes, device::cuda::StreamHandle stream);

 private:
  struct Shape {
    std::int32_t m, n, k;
    auto operator<=>(const Shape&) const = default;
  };
  /// The product of one shape: as long as the handle's library is the same, so is the best algorithm.
  struct Plan {
    void *product = nullptr, *weight = nullptr, *data = nullptr, *out = nullptr;
    std::array<std::uint64_t, 8> algorithm{};
    int status = -1;
  };
  Plan planned(void* handle, const Shape& shape, std::size_t workspace_bytes) const;

  const CublasLtTable table_;
  std::map<Shape, Plan> plans_;
};

}  // namespace lanescope::cuda_backend
