// Derives the durations of ops that were not recorded from those that were.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/translate.h"
#include "device/sim/cost_model.h"
#include "prediction/fit.h"
#include "prediction/least_squares.h"

namespace lanescope::prediction {
namespace {

using device::sim::CostModel;
using ops::Op;
using ops::OpKind;

// Matrix products of sizes that were not measured may take up to this share more or less than the roofline.
constexpr double kOtherKernel = 0.25;

bool same_op(const Op& a, Op b) {
  if (a.kind != OpKind::Spin) b.scalar = a.scalar;
  return a == b;
}

/// The duration of the smallest kernel, and the time per megabyte of GPU memory moved, in microseconds, with their
/// uncertainties.
struct Memory {
  double floor = 2.5, floor_off = 1.5, per_megabyte = 1.4, off = 2;
};

Memory fit_memory(std::span<const MeasuredOp> ops) {
  Memory memory;
  LeastSquares<2> equations;
  equations.expect(0, memory.floor, memory.floor_off * 2);
  equations.expect(1, memory.per_megabyte, memory.off * 2);
  for (const MeasuredOp& op : ops) {
    if (ops::is_gemm(op.op.kind) || op.op.kind == OpKind::Spin) continue;
    const double us = op.ns / 1e3;
    equations.add({1, ops::bytes_moved(op.op) / 1e6}, us, std::max(op.relative / 2, 0.003) * us);
  }
  const auto answer = equations.solve();
  memory.floor = std::max(0.0, answer.value[0]);
  memory.per_megabyte = std::max(0.01, answer.value[1]);
  memory.floor_off = std::min(2 * answer.sigma[0], memory.floor);
  memory.off = std::min(2 * answer.sigma[1], 0.9 * memory.per_megabyte);
  return memory;
}

/// A way to cut matrix products into tiles, and the rate of the recorded products if they were cut this way.
struct Tiling {
  double rows = 128, columns = 64;
  double us_per_gflop = 0;
  double scatter = 0;  ///< of the rate over the recorded products
};

class OpFit {
 public:
  explicit OpFit(const Fit& fit) : fit_(fit), memory_(fit_memory(fit.ops)) {
    constexpr std::pair<double, double> kTilings[] = {{128, 64}, {128, 128}, {64, 64}, {256, 128}, {32, 32}, {256, 32}};
    for (const auto& [rows, columns] : kTilings) add_tiling(rows, columns);
    double least = 1e9;
    for (const Tiling& t : tilings_) least = std::min(least, t.scatter);
    // Keeps only the tilings that explain the recorded products well.
    std::erase_if(tilings_, [&](const Tiling& t) { return t.scatter > std::max(0.02, 3 * least); });
  }

  struct Estimate {
    double middle = 0, fast = 0, slow = 0;  // microseconds
    bool product = false;
  };
  Estimate estimate(const Op& op) const {
    Estimate e;
    e.product = ops::is_gemm(op.kind);
    if (op.kind == OpKind::Spin) {
      e.middle = e.fast = e.slow = static_cast<double>(op.scalar) * spin_ratio();
      return e;
    }
    bool first = true;
    for (const Tiling& tiling : tilings_) {
      for (const double sign : {0.0, -1.0, 1.0}) {
        Memory m = memory_;
        m.floor += sign * m.floor_off;
        m.per_megabyte += sign * m.off;
        Tiling t = tiling;
        if (!rate_known_) t.us_per_gflop *= sign < 0 ? 0.25 : sign > 0 ? 8 : 1;
        const double us = scaled(op, m, t);
        if (first) e.middle = e.fast = e.slow = us;
        first = false;
        // A library may choose a different kernel for a different shape.
        const double work = e.product ? kOtherKernel * std::max(0.0, us - m.floor) : 0;
        e.fast = std::min(e.fast, us - work);
        e.slow = std::max(e.slow, us + work);
      }
    }
    return e;
  }

 private:
  void add_tiling(double rows, double columns) {
    Tiling tiling{rows, columns, 0, 0};
    double sum = 0, squares = 0, count = 0;
    for (const MeasuredOp& op : fit_.ops) {
      if (!ops::is_gemm(op.op.kind)) continue;
      const double us = op.ns / 1e3 - memory_.floor;
      const double moving = ops::bytes_moved(op.op) / 1e6 * memory_.per_megabyte;
      if (us < 0.5 * memory_.floor || us < 1.05 * moving) continue;
      const double rate = us * utilisation(op.op, tiling) / (ops::flops(op.op) / 1e9);
      sum += std::log(rate);
      squares += std::log(rate) * std::log(rate);
      ++count;
    }
    rate_known_ = count > 0;
    tiling.us_per_gflop = count > 0 ? std::exp(sum / count) : 1e3 / 25;
    tiling.scatter = count > 1 ? std::sqrt(std::max(0.0, squares / count - sum * sum / count / count)) : 0;
    tilings_.push_back(tiling);
  }

  double utilisation(const Op& op, const Tiling& tiling) const {
    device::sim::DeviceProfile profile = fit_.machine.profile;
    profile.gpu.gemm_tile_rows = tiling.rows;
    profile.gpu.gemm_tile_columns = tiling.columns;
    return CostModel(profile).utilisation(op);
  }

  double roofline(const Op& op, const Memory& m, const Tiling& t) const {
    const double moving = ops::bytes_moved(op) / 1e6 * m.per_megabyte;
    const double computing = ops::is_gemm(op.kind) ? ops::flops(op) / 1e9 * t.us_per_gflop / utilisation(op, t) : 0;
    return m.floor + std::max(moving, computing);
  }

  /// Scales the duration of the recorded op of the same kind that is nearest in size.
  double scaled(const Op& op, const Memory& m, const Tiling& t) const {
    const MeasuredOp* nearest = nullptr;
    double distance = 0;
    const auto work = [](const Op& o) { return std::log(ops::bytes_moved(o) + ops::flops(o) + 1); };
    for (const MeasuredOp& known : fit_.ops) {
      if (known.op.kind != op.kind) continue;
      const double d = std::abs(work(known.op) - work(op));
      if (nearest == nullptr || d < distance) {
        nearest = &known;
        distance = d;
      }
    }
    const double us = roofline(op, m, t);
    if (nearest == nullptr) return us;
    // Assumes that kernels of the same op have the same ratio to the roofline at other sizes.
    const double model = roofline(nearest->op, m, t);
    return model > 0 ? us * std::clamp(nearest->ns / 1e3 / model, 0.2, 5.0) : us;
  }

  double spin_ratio() const {
    for (const MeasuredOp& known : fit_.ops) {
      if (known.op.kind == OpKind::Spin && known.op.scalar > 0) {
        return known.ns / 1e3 / static_cast<double>(known.op.scalar);
      }
    }
    return 1;
  }

  const Fit& fit_;
  const Memory memory_;
  std::vector<Tiling> tilings_;
  bool rate_known_ = false;
};

}  // namespace

std::vector<ops::Op> new_ops(const Fit& fit, const Simulation& changed) {
  std::vector<ops::Op> list;
  for (const Issue& issue : changed.issues) {
    if (issue.api != static_cast<std::size_t>(CudaCall::LaunchKernel)) continue;
    const auto is_it = [&](const auto& k) { return same_op(k.op, issue.op); };
    if (std::any_of(fit.machine.ops.begin(), fit.machine.ops.end(), is_it)) continue;
    if (std::find(list.begin(), list.end(), issue.op) == list.end()) list.push_back(issue.op);
  }
  return list;
}

void fit_new_ops(Fit& fit, const std::vector<ops::Op>& wanted, const calibration::QuickProbe* probe) {
  if (wanted.empty()) return;
  const OpFit op_fit(fit);
  for (const ops::Op& op : wanted) {
    const OpFit::Estimate e = op_fit.estimate(op);
    OpenNumber open;
    open.what = e.product ? base::tr("how long matrix products of another size take")
                          : base::tr("how long kernels that were not recorded take");
    open.key = fmt::format("{} {}x{}x{}", ops::kernel_name(op.kind), op.m, op.n, op.k);
    open.value = e.middle;
    open.fast = e.fast;
    open.slow = e.slow;
    if (probe != nullptr) {
      const auto found = std::find_if(probe->ops.begin(), probe->ops.end(), [&](const auto& p) { return p.op == op; });
      if (found != probe->ops.end()) {
        open.basis = Basis::Probed;
        open.value = found->us;
        open.fast = found->us * (1 - std::min(found->relative, 0.9));
        open.slow = found->us * (1 + found->relative);
      }
    }
    const std::size_t index = fit.machine.ops.size();
    fit.machine.ops.push_back({op, base::from_us(open.value)});
    if (open.fast == open.slow) continue;
    open.set = [index, fast = open.fast, value = open.value, slow = open.slow](Machine& machine, double where) {
      machine.ops[index].cost = base::from_us(between(where, fast, value, slow));
    };
    fit.open.push_back(std::move(open));
  }
}

std::vector<ops::Op> worth_probing(const Fit& fit, const std::vector<ops::Op>& wanted) {
  constexpr double kLongest = 2000;  // microseconds
  std::vector<ops::Op> list;
  if (wanted.empty()) return list;
  const OpFit op_fit(fit);
  for (const ops::Op& op : wanted) {
    if (op.kind != OpKind::Spin && op_fit.estimate(op).middle < kLongest) list.push_back(op);
  }
  return list;
}

}  // namespace lanescope::prediction
