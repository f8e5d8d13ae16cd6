#include "device/cpu/products.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define LANESCOPE_PRODUCT product_for_any_cpu
#include "device/cpu/products_eigen.h"

namespace lanescope::device::cpu {
namespace {

constexpr int kMost = 256;
// A thread that slept takes tens of microseconds to wake up, and the next product often follows at once.
constexpr int kSpins = 4000;

template <typename Value>
Value wait_for_other(const std::atomic<Value>& value, Value known) {
  for (int i = 0; i < kSpins; ++i) {
    if (const Value now = value.load(); now != known) return now;
  }
  value.wait(known);
  return value.load();
}

}  // namespace

Team& Team::of_process() {
  static Team team(static_cast<int>(std::thread::hardware_concurrency()));
  return team;
}

Team::Team(int size) {
  for (int part = 1; part < std::clamp(size, 1, kMost); ++part) {
    threads_.emplace_back([this, part] { serve(part); });
  }
}

Team::~Team() {
  ending_.store(true, std::memory_order_relaxed);
  task_ += kParts + 1;
  task_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(int parts, const std::function<void(int)>& work) {
  if (parts <= 1) return work(0);
  const std::lock_guard lock(turn_);
  work_ = &work;
  unfinished_ = parts - 1;
  const std::uint64_t number = task_.load() >> kPartBits;
  task_ = (number + 1) << kPartBits | static_cast<std::uint64_t>(parts);
  task_.notify_all();
  work(0);
  for (int left = unfinished_.load(); left > 0;) left = wait_for_other(unfinished_, left);
}

void Team::serve(int part) {
  for (std::uint64_t task = 0;;) {
    task = wait_for_other(task_, task);
    if (ending_.load(std::memory_order_relaxed)) return;
    if (static_cast<std::uint64_t>(part) >= (task & kParts)) continue;
    (*work_)(part);
    if (--unfinished_ == 0) unfinished_.notify_all();
  }
}

// --- products --------------------------------------------------------------------------------------------------------

namespace {

void compute(const Product& product) {
#if defined(__x86_64__)
  static const bool kAvx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (kAvx2) return product_for_avx2(product);
#endif
  product_for_any_cpu(product);
}

/// The rows from..to of the result.
Product part_of(const Product& whole, int from, int to) {
  Product part = whole;
  const auto skip = [&](int argument, int rows, int columns) {
    part.args[argument] += static_cast<std::ptrdiff_t>(rows) * columns;
  };
  if (whole.kind == ops::OpKind::LinearWeightGrad) {  // dw[n,k]: some columns of dout[m,n]
    part.n = to - from;
    skip(0, from, 1);
    skip(2, from, whole.k);
    return part;
  }
  part.m = to - from;
  skip(0, from, whole.stride);
  const bool forward = whole.kind == ops::OpKind::LinearForward;
  skip(forward ? 3 : 2, from, forward ? whole.n : whole.k);
  return part;
}

}  // namespace

void compute_product(const ops::Op& op, std::span<const std::span<float>> args) {
  Product product{op.kind, op.m, op.n, op.k, op.kind == ops::OpKind::LinearForward ? op.k : op.n, {}};
  for (std::size_t i = 0; i < args.size(); ++i) product.args[i] = args[i].data();
  const int rows = op.kind == ops::OpKind::LinearWeightGrad ? op.n : op.m;
  const double worth = std::ceil(ops::flops(op) / kProductFlopPerThread);
  if (worth <= 1) return compute(product);
  Team& team = Team::of_process();
  const int parts = std::min({static_cast<int>(std::min(worth, 1e4)), team.size(), std::max(rows, 1)});
  team.run(parts, [&](int part) {
    const auto at = [&](int i) { return static_cast<int>(static_cast<std::int64_t>(rows) * i / parts); };
    compute(part_of(product, at(part), at(part + 1)));
  });
}

}  // namespace lanescope::device::cpu
