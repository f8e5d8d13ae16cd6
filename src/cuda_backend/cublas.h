// Matrix products through cuBLAS, loaded at run time. Without it, or if it fails, the program's own kernels compute
// them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/api.h"
#include "device/op.h"

namespace lanescope::cuda_backend {

// --- library folders -------------------------------------------------------------------------------------------------
// Where CUDA's libraries may be installed outside the loader's path.

/// Existing folders, in this order: the toolkit's (CUDA_HOME, CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*, newest
/// first), then those of Python's nvidia wheels (VIRTUAL_ENV, CONDA_PREFIX, the python3 on the PATH). `wheel` is the
/// folder's name in CUDA 12's wheels: "cublas".
std::vector<std::filesystem::path> library_folders(const std::string& wheel);

// --- fused linear ----------------------------------------------------------------------------------------------------
// A linear layer as one kernel: cuBLASLt's matrix product that adds the bias itself, as addmm() does in PyTorch.

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

// --- cublas ----------------------------------------------------------------------------------------------------------

/// The functions used, declared as in cublas_api.h (with its enumerations as ints).
struct CublasTable {
  using Handle = struct cublasContext*;
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*get_property)(int, int*) = nullptr;
  int (*set_stream)(Handle, device::cuda::StreamHandle) = nullptr;
  int (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  int (*set_math_mode)(Handle, int) = nullptr;
  int (*sgemm)(Handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha, const float* a,
               int lda, const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;

  CublasLtTable lt;     ///< may be incomplete
  std::string version;  ///< "13.0"
  std::string problem;  ///< one line, if cuBLAS was not found; the functions are null then
};

/// Searches in this order: the file that LANESCOPE_CUBLAS names (and then nothing else; "off": none); one already
/// loaded in this process; the toolkit's folders; Python's nvidia wheels; the loader's path. Prefers libcublas.so.13
/// over .12.
CublasTable find_cublas();

/// Starts one of the three linear ops on the handle's stream. Returns cuBLAS's status. LinearForward adds to `out`,
/// which must already contain the bias.
int start_product(const CublasTable& table, CublasTable::Handle handle, const ops::Op& op,
                  std::span<const device::cuda::Api::Arg> args);

/// cuBLAS on one GPU. Any thread, one call at a time; the GPU must be current on the calling thread.
class Cublas {
 public:
  enum class Outcome {
    Started,
    Unusable,   ///< cuBLAS cannot compute it, now or later: provider() gives the reason
    GpuFailed,  ///< the GPU has failed earlier; the status is its error
  };

  explicit Cublas(int gpu) : gpu_(gpu) {}
  ~Cublas() { let_go(); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Computes one of the three linear ops, with float32 arithmetic throughout. The first call creates the handle.
  Outcome multiply(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, device::cuda::StreamHandle stream,
                   device::cuda::Status& status) noexcept;
  /// Call before the stream is destroyed.
  void forget_stream(device::cuda::StreamHandle stream) noexcept;
  /// Makes the GPU current and destroys everything on it; if the GPU has failed, only forgets it. Everything is created
  /// again when needed.
  void let_go() noexcept;
  /// "cuBLAS 13.0" or "own kernel (why)"; valid for the lifetime of this object.
  const char* provider() noexcept;

 private:
  bool start_fused(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, device::cuda::StreamHandle stream);
  bool find();
  bool ready(device::cuda::StreamHandle stream);
  void give_up(const std::string& why);
  void set_provider(std::string text);

  const int gpu_;
  std::mutex mutex_;
  bool looked_ = false, usable_ = false;
  CublasTable table_;
  CublasTable::Handle handle_ = nullptr;
  std::optional<FusedLinear> fused_;  // empty: not possible with this cuBLAS, or not begun
  // Own workspaces, one per stream, so that cuBLAS allocates nothing during a run.
  std::map<device::cuda::StreamHandle, void*> workspaces_;
  std::size_t workspace_bytes_ = 0;
  bool stream_known_ = false;
  device::cuda::StreamHandle stream_ = nullptr;  // the handle's current stream, if stream_known_
  std::deque<std::string> texts_;                // every text that provider() has returned
  std::atomic<const char*> provider_{nullptr};
};

}  // namespace lanescope::cuda_backend
