#include "cuda_backend/cublas.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/translate.h"
#include "cuda_backend/kernels.h"

namespace lanescope::cuda_backend {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The folders in `parent` whose names start with `begin`, the highest version first.
std::vector<fs::path> folders_beginning(const fs::path& parent, std::string_view begin) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::error_code ignored;
    if (name.starts_with(begin) && entry->is_directory(ignored)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.filename(), y = b.filename();
    return std::pair(x.size(), x) > std::pair(y.size(), y);  // cuda-13.10 comes before cuda-13.9
  });
  return found;
}

class Folders {
 public:
  void add(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error && fs::is_directory(real, error) && std::find(found_.begin(), found_.end(), real) == found_.end()) {
      found_.push_back(real);
    }
  }
  void add_toolkit(const fs::path& root) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      add(root / folder);
  }
  void add_wheels(const fs::path& prefix, const std::string& wheel) {
    for (const fs::path& python : folders_beginning(prefix / "lib", "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const std::string& part : {std::string("cu13"), wheel}) add(python / packages / "nvidia" / part / "lib");
      }
    }
  }
  std::vector<fs::path> take() { return std::move(found_); }

 private:
  std::vector<fs::path> found_;
};

/// The folder above the bin/ of the first python3 on the PATH, with links resolved to the packages' location.
std::vector<fs::path> python_prefixes() {
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path program = fs::path(path.substr(begin, end - begin)) / "python3";
    std::error_code error;
    if (program.is_absolute() && fs::exists(program, error)) {
      const fs::path real = fs::canonical(program, error);
      return {program.parent_path().parent_path(), error ? fs::path() : real.parent_path().parent_path()};
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::vector<fs::path> library_folders(const std::string& wheel) {
  Folders folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = environment(variable); !root.empty()) folders.add_toolkit(root);
  }
  folders.add_toolkit("/usr/local/cuda");
  for (const fs::path& root : folders_beginning("/usr/local", "cuda-")) folders.add_toolkit(root);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = environment(variable); !prefix.empty()) folders.add_wheels(prefix, wheel);
  }
  for (const fs::path& prefix : python_prefixes()) {
    if (!prefix.empty()) folders.add_wheels(prefix, wheel);
  }
  return folders.take();
}

// --- fused linear ----------------------------------------------------------------------------------------------------

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

// --- cublas ----------------------------------------------------------------------------------------------------------

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
