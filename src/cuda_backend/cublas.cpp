#include "cuda_backend/cublas.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/translate.h"
#include "cuda_backend/kernels.h"
#include "cuda_backend/library_folders.h"

namespace lanescope::cuda_backend {
namespace {

using base::tr;
using device::cuda::StreamHandle;

// From cublas_api.h and library_types.h.
constexpr int kSuccess = 0, kAsIs = 0, kTransposed = 1, kDefaultMath = 0, kMajorVersion = 0, kMinorVersion = 1;

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

CublasTable no_cublas(std::string why) {
  CublasTable table;
  table.problem = std::move(why);
  return table;
}

/// If the result's problem is empty, the library has all functions.
CublasTable table_of(void* library) {
  CublasTable table;
  resolve(library, "cublasCreate_v2", table.create);
  resolve(library, "cublasDestroy_v2", table.destroy);
  resolve(library, "cublasGetProperty", table.get_property);
  resolve(library, "cublasSetStream_v2", table.set_stream);
  resolve(library, "cublasSetWorkspace_v2", table.set_workspace);
  resolve(library, "cublasSetMathMode", table.set_math_mode);
  resolve(library, "cublasSgemm_v2", table.sgemm);
  if (!table.create || !table.destroy || !table.get_property || !table.set_stream || !table.set_workspace ||
      !table.set_math_mode || !table.sgemm) {
    return no_cublas(tr("cuBLAS lacks functions that are needed; allowed: versions 12 and 13"));
  }
  table.lt = cublas_lt_in(library);
  int major = 0, minor = 0;
  table.get_property(kMajorVersion, &major);
  table.get_property(kMinorVersion, &minor);
  table.version = fmt::format("{}.{}", major, minor);
  return table;
}

constexpr std::array kNames{"libcublas.so.13", "libcublas.so.12"};

void* open_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return nullptr;
  // libcublas needs libcublasLt of the same version. It is in the same folder, which may not be on the loader's path.
  std::string half = file.filename();
  if (half.starts_with("libcublas.so")) {
    half.replace(0, std::string("libcublas").size(), "libcublasLt");
    dlopen((file.parent_path() / half).c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
  return dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

void* open_anywhere() {
  for (const char* name : kNames) {
    if (void* loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return loaded;
  }
  const auto folders = library_folders("cublas");
  for (const char* name : kNames) {
    for (const std::filesystem::path& folder : folders) {
      if (void* library = open_file(folder / name)) return library;
    }
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

/// 32 MiB on Hopper and newer, just over 8 MiB on older GPUs, the same as in PyTorch.
std::size_t workspace_for(int gpu) {
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu);
  return major >= 9 ? std::size_t{32} << 20 : std::size_t{8320} << 10;
}

/// The GPU's status without waiting: an earlier error, or success.
cudaError_t state_of_gpu() {
  const cudaError_t state = cudaStreamQuery(nullptr);
  return state == cudaErrorNotReady ? cudaSuccess : state;
}

}  // namespace

CublasTable find_cublas() {
  if (const char* wanted = std::getenv("LANESCOPE_CUBLAS"); wanted && *wanted) {
    if (std::string_view(wanted) == "off") return no_cublas(tr("LANESCOPE_CUBLAS is off"));
    if (void* library = open_file(wanted)) return table_of(library);
    std::error_code error;
    const char* why = std::filesystem::exists(wanted, error) ? dlerror() : nullptr;
    return no_cublas(tr("LANESCOPE_CUBLAS names {}: {}", wanted, why ? why : tr("the file does not exist")));
  }
  if (void* library = open_anywhere()) return table_of(library);
  return no_cublas(
      tr("no libcublas.so.13 or .12 in the CUDA toolkit, Python's nvidia packages or the loader's search path"));
}

// cuBLAS is column-major: it sees a row-major matrix as its transpose. So request the transposed product, with the
// factors swapped.
int start_product(const CublasTable& table, CublasTable::Handle handle, const ops::Op& op,
                  std::span<const device::cuda::Api::Arg> args) {
  const int m = op.m, n = op.n, k = op.k;
  const float one = 1, zero = 0;
  switch (op.kind) {
    case ops::OpKind::LinearForward:  // out^T[n,m] = w[n,k] x^T[k,m], added to the bias already there
      return table.sgemm(handle, kTransposed, kAsIs, n, m, k, &one, args[1].data, k, args[0].data, k, &one,
                         args[3].data, n);
    case ops::OpKind::LinearWeightGrad:  // dw^T[k,n] = x^T[k,m] dout[m,n]
      return table.sgemm(handle, kAsIs, kTransposed, k, n, m, &one, args[1].data, k, args[0].data, n, &zero,
                         args[2].data, k);
    default:  // dx^T[k,m] = w^T[k,n] dout^T[n,m]
      return table.sgemm(handle, kAsIs, kAsIs, k, m, n, &one, args[1].data, k, args[0].data, n, &zero, args[2].data, k);
  }
}

bool Cublas::find() {
  if (looked_) return usable_;
  looked_ = true;
  table_ = find_cublas();
  usable_ = table_.problem.empty();
  if (usable_) {
    set_provider(fmt::format("cuBLAS {}", table_.version));
  } else {
    give_up(table_.problem);
  }
  return usable_;
}

void Cublas::set_provider(std::string text) {
  texts_.push_back(std::move(text));
  provider_.store(texts_.back().c_str(), std::memory_order_release);
}

void Cublas::give_up(const std::string& why) {
  usable_ = false;
  set_provider(tr("own kernel ({})", why));
}

const char* Cublas::provider() noexcept try {
  if (const char* known = provider_.load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(mutex_);
  find();
  return provider_.load(std::memory_order_acquire);
} catch (const std::exception&) {
  return "own kernel";
}

/// Creates what is missing and sets the handle to the stream.
bool Cublas::ready(StreamHandle stream) {
  if (!handle_) {
    int status = table_.create(&handle_);
    if (status != kSuccess) handle_ = nullptr;
    if (status == kSuccess) status = table_.set_math_mode(handle_, kDefaultMath);  // no TF32
    if (status != kSuccess) {
      if (state_of_gpu() == cudaSuccess) {
        give_up(tr("cuBLAS {} could not be started: status {}", table_.version, status));
      }
      return false;
    }
    workspace_bytes_ = workspace_for(gpu_);
    stream_known_ = false;
    if (table_.lt.complete()) fused_.emplace(table_.lt);
  }
  if (stream_known_ && stream_ == stream) return true;
  stream_known_ = false;
  void*& workspace = workspaces_[stream];
  if (!workspace && cudaMalloc(&workspace, workspace_bytes_) != cudaSuccess) {
    workspace = nullptr;  // cuBLAS then uses its own small one
    cudaGetLastError();
  }
  // Setting a stream resets the workspace.
  if (table_.set_stream(handle_, stream) != kSuccess) return false;
  if (workspace && table_.set_workspace(handle_, workspace, workspace_bytes_) != kSuccess) return false;
  stream_ = stream;
  stream_known_ = true;
  return true;
}

/// False: the layer takes two steps.
bool Cublas::start_fused(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, StreamHandle stream) {
  if (op.kind != ops::OpKind::LinearForward || !fused_) return false;
  void* workspace = workspaces_[stream];
  const std::size_t bytes = workspace != nullptr ? workspace_bytes_ : 0;
  return fused_->start(handle_, op, args, workspace, bytes, stream) == kSuccess;
}

Cublas::Outcome Cublas::multiply(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, StreamHandle stream,
                                 device::cuda::Status& status) noexcept try {
  const std::lock_guard lock(mutex_);
  const std::size_t needed = op.kind == ops::OpKind::LinearForward ? 4 : 3;
  if (!ops::is_gemm(op.kind) || args.size() < needed || !find()) return Outcome::Unusable;
  int cublas_status = -1;
  if (ready(stream)) {
    if (start_fused(op, args, stream)) {
      status = device::cuda::kSuccess;
      return Outcome::Started;
    }
    if (op.kind == ops::OpKind::LinearForward) {
      status = launch_bias_broadcast(args[2].data, args[3].data, op.m, op.n, stream);
      if (status != device::cuda::kSuccess) return Outcome::GpuFailed;
    }
    cublas_status = start_product(table_, handle_, op, args);
    if (cublas_status == kSuccess) {
      status = device::cuda::kSuccess;
      return Outcome::Started;
    }
  }
  if (const cudaError_t state = state_of_gpu(); state != cudaSuccess) {  // not cuBLAS's fault
    status = static_cast<device::cuda::Status>(state);
    return Outcome::GpuFailed;
  }
  if (usable_) {
    give_up(tr("cuBLAS {} failed: status {}", table_.version, cublas_status));
  }
  return Outcome::Unusable;
} catch (const std::exception&) {
  return Outcome::Unusable;
}

void Cublas::forget_stream(StreamHandle stream) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = workspaces_.find(stream);
  if (known == workspaces_.end()) return;
  if (stream_known_ && stream_ == stream) {
    table_.set_stream(handle_, nullptr);
    stream_known_ = false;
  }
  cudaFree(known->second);  // returns when nothing uses it any more
  workspaces_.erase(known);
}

void Cublas::let_go() noexcept {
  const std::lock_guard lock(mutex_);
  fused_.reset();
  if (handle_) cudaSetDevice(gpu_);  // the calling thread may differ from the one that used it
  if (handle_ && state_of_gpu() == cudaSuccess) {
    table_.destroy(handle_);
    for (const auto& [stream, workspace] : workspaces_) cudaFree(workspace);
  }
  handle_ = nullptr;
  workspaces_.clear();
  stream_known_ = false;
}

}  // namespace lanescope::cuda_backend
