#include "cuda_backend/fused_linear.h"

#include <dlfcn.h>

namespace lanescope::cuda_backend {
namespace {

// From cublas_api.h, cublasLt.h and library_types.h.
constexpr int kLtSuccess = 0, kCompute32F = 68, kReal32F = 0, kTransposeA = 3, kEpilogue = 7, kBiasPointer = 8,
              kMostWorkspace = 1;
constexpr std::int32_t kLtTransposed = 1;
constexpr std::uint32_t kAddBias = 4;

template <class Function>
void resolve_lt(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

bool CublasLtTable::complete() const {
  return create_product && destroy_product && set_product && create_layout && destroy_layout && create_preference &&
         destroy_preference && set_preference && choose && multiply;
}

CublasLtTable cublas_lt_in(void* cublas) {
  CublasLtTable table;
  resolve_lt(cublas, "cublasLtMatmulDescCreate", table.create_product);
  resolve_lt(cublas, "cublasLtMatmulDescDestroy", table.destroy_product);
  resolve_lt(cublas, "cublasLtMatmulDescSetAttribute", table.set_product);
  resolve_lt(cublas, "cublasLtMatrixLayoutCreate", table.create_layout);
  resolve_lt(cublas, "cublasLtMatrixLayoutDestroy", table.destroy_layout);
  resolve_lt(cublas, "cublasLtMatmulPreferenceCreate", table.create_preference);
  resolve_lt(cublas, "cublasLtMatmulPreferenceDestroy", table.destroy_preference);
  resolve_lt(cublas, "cublasLtMatmulPreferenceSetAttribute", table.set_preference);
  resolve_lt(cublas, "cublasLtMatmulAlgoGetHeuristic", table.choose);
  resolve_lt(cublas, "cublasLtMatmul", table.multiply);
  return table;
}

FusedLinear::~FusedLinear() {
  for (const auto& [shape, plan] : plans_) {
    if (plan.product != nullptr) table_.destroy_product(plan.product);
    for (void* layout : {plan.weight, plan.data, plan.out}) {
      if (layout != nullptr) table_.destroy_layout(layout);
    }
  }
}

// cuBLASLt is column-major, so it sees out^T[n,m] = w[n,k] x^T[k,m], and the bias as a column.
FusedLinear::Plan FusedLinear::planned(void* handle, const Shape& shape, std::size_t workspace_bytes) const {
  Plan plan;
  const auto m = static_cast<std::uint64_t>(shape.m), n = static_cast<std::uint64_t>(shape.n),
             k = static_cast<std::uint64_t>(shape.k);
  void* preference = nullptr;
  CublasLtTable::Choice choice{};
  int found = 0;
  const auto made = [&] {
    for (const int status :
         {table_.create_product(&plan.product, kCompute32F, kReal32F),
          table_.create_layout(&plan.weight, kReal32F, k, n, shape.k),
          table_.create_layout(&plan.data, kReal32F, k, m, shape.k),
          table_.create_layout(&plan.out, kReal32F, n, m, shape.n), table_.create_preference(&preference)}) {
      if (status != kLtSuccess) return status;
    }
    for (const int status :
         {table_.set_product(plan.product, kTransposeA, &kLtTransposed, sizeof kLtTransposed),
          table_.set_product(plan.product, kEpilogue, &kAddBias, sizeof kAddBias),
          table_.set_preference(preference, kMostWorkspace, &workspace_bytes, sizeof workspace_bytes)}) {
      if (status != kLtSuccess) return status;
    }
    return table_.choose(handle, plan.product, plan.weight, plan.data, plan.out, plan.out, preference, 1, &choice,
                         &found);
  };
  plan.status = made();
  if (plan.status == kLtSuccess && found > 0) plan.status = choice.state;
  if (found == 0 && plan.status == kLtSuccess) plan.status = -1;
  plan.algorithm = choice.algorithm;
  if (preference != nullptr) table_.destroy_preference(preference);
  return plan;
}

int FusedLinear::start(void* handle, const ops::Op& op, std::span<const device::cuda::Api::Arg> args, void* workspace,
                       std::size_t workspace_bytes, device::cuda::StreamHandle stream) {
  const Shape shape{op.m, op.n, op.k};
  auto known = plans_.find(shape);
  if (known == plans_.end()) known = plans_.emplace(shape, planned(handle, shape, workspace_bytes)).first;
  const Plan& plan = known->second;
  if (plan.status != kLtSuccess) return plan.status;
  const void* bias = args[2].data;
  if (const int status = table_.set_product(plan.product, kBiasPointer, &bias, sizeof bias); status != kLtSuccess) {
    return status;
  }
  const float one = 1, zero = 0;
  return table_.multiply(handle, plan.product, &one, args[1].data, plan.weight, args[0].data, plan.data, &zero,
                         args[3].data, plan.out, args[3].data, plan.out, plan.algorithm.data(), workspace,
                         workspace_bytes, stream);
}

}  // namespace lanescope::cuda_backend
