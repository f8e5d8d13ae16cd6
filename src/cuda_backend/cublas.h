// Matrix products through cuBLAS, which is found at run time. Without it, or when it fails, the program's own kernels
// do them.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "device/cuda/api.h"
#include "ops/op.h"

namespace lanescope::cuda_backend {

/// The functions that are used, declared as cublas_api.h does (its enumerations are ints).
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

  std::string version;  ///< "13.0"
  std::string problem;  ///< one line when it was not found; the functions are null then
};

/// In this order: the file that LANESCOPE_CUBLAS names (and nothing else then; "off": none); one that is loaded in this
/// process; the toolkit's folders; Python's nvidia wheels; the loader's path. libcublas.so.13 anywhere, then .12.
CublasTable find_cublas();

/// Starts one of the three linear ops on the stream that the handle is set to; returns cuBLAS's status. LinearForward
/// adds to `out`, in which the bias is already.
int start_product(const CublasTable& table, CublasTable::Handle handle, const ops::Op& op,
                  std::span<const device::cuda::Api::Arg> args);

/// One GPU's. Any thread, one call at a time; the GPU is the calling thread's current one.
class Cublas {
 public:
  enum class Outcome {
    Started,
    Unusable,   ///< cuBLAS cannot do it, now or ever again: provider() says why
    GpuFailed,  ///< the GPU has failed before: its status
  };

  explicit Cublas(int gpu) : gpu_(gpu) {}
  ~Cublas() { let_go(); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// One of the three linear ops, with float32 arithmetic throughout. The first call makes the handle.
  Outcome multiply(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, device::cuda::StreamHandle stream,
                   device::cuda::Status& status) noexcept;
  /// The stream is about to be destroyed.
  void forget_stream(device::cuda::StreamHandle stream) noexcept;
  /// Destroys everything on the GPU, which it makes current, or forgets it if the GPU has failed. It is made again when
  /// it is needed.
  void let_go() noexcept;
  /// "cuBLAS 13.0" or "own kernel (why)"; stays valid as long as this object.
  const char* provider() noexcept;

 private:
  bool find();
  bool ready(device::cuda::StreamHandle stream);
  void give_up(const std::string& why);
  void set_provider(std::string text);

  const int gpu_;
  std::mutex mutex_;
  bool looked_ = false, usable_ = false;
  CublasTable table_;
  CublasTable::Handle handle_ = nullptr;
  // Own workspaces, one per stream, so that cuBLAS allocates nothing while it runs.
  std::map<device::cuda::StreamHandle, void*> workspaces_;
  std::size_t workspace_bytes_ = 0;
  bool stream_known_ = false;
  device::cuda::StreamHandle stream_ = nullptr;  // that the handle is set to, if stream_known_
  std::deque<std::string> texts_;                // every text that provider() has returned
  std::atomic<const char*> provider_{nullptr};
};

}  // namespace lanescope::cuda_backend
