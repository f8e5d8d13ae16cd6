#include "calibration/probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lanescope::calibration {
namespace {

using ops::Op;
using ops::OpKind;
using trace::MemoryKind;

constexpr std::array<int, 4> kTiles{32, 64, 128, 256};
constexpr std::int32_t kLargestSide = 4096;

struct Product {
  Op op;
  double us = 0;
};

// As in sim::CostModel::utilisation(): the share of the SMs that the tiles keep busy.
double utilisation(const Op& op, int sm_count, int tile_rows, int tile_columns) {
  const double tiles =
      std::ceil(static_cast<double>(op.m) / tile_rows) * std::ceil(static_cast<double>(op.n) / tile_columns);
  return tiles / (std::ceil(tiles / sm_count) * sm_count);
}

std::vector<Product> measure(Probe& probe) {
  device::Device& d = probe.device();
  const std::size_t side = std::size_t{kLargestSide} * kLargestSide * sizeof(float);
  const std::array args{probe.buffer(MemoryKind::Device, side), probe.buffer(MemoryKind::Device, side),
                        probe.buffer(MemoryKind::Device, kLargestSide * sizeof(float)),
                        probe.buffer(MemoryKind::Device, side)};
  std::vector<Product> products;
  for (const Op& op : {Op{OpKind::LinearForward, 128, 1000, 1000}, Op{OpKind::LinearForward, 512, 1000, 1000},
                       Op{OpKind::LinearForward, 1000, 1000, 128}, Op{OpKind::LinearForward, 1024, 1024, 1024},
                       Op{OpKind::LinearForward, 2048, 2048, 2048},
                       Op{OpKind::LinearForward, kLargestSide, kLargestSide, kLargestSide}}) {
    constexpr int kRepeats = 7;
    std::vector<double> us;
    for (int i = 0; i < kRepeats; ++i) {
      // A product may consist of several kernels; measure from the first start to the last end.
      const std::vector<trace::Event> kernels =
          probe.operations_of([&] { d.launch(op, args, Stream::Default, false); });
      Nanoseconds end = 0;
      for (const trace::Event& e : kernels) end = std::max(end, e.end_ns);
      us.push_back(base::to_us(end - kernels.front().start_ns));
    }
    products.push_back({op, median(us)});
  }
  for (const Buffer b : args) d.release(b);
  return products;
}

}  // namespace

GemmFit fit_gemm(Probe& probe, int sm_count, double kernel_floor_us) {
  const std::vector<Product> products = measure(probe);
  GemmFit fit;
  fit.products = static_cast<int>(products.size());
  for (const Product& p : products) {
    fit.tflops = std::max(fit.tflops, ops::flops(p.op) / std::max(1e-3, p.us - kernel_floor_us) / 1e6);
  }
  fit.mean_error = std::numeric_limits<double>::max();
  for (const int rows : kTiles) {
    for (const int columns : kTiles) {
      double error = 0;
      for (const Product& p : products) {
        const double us =
            kernel_floor_us + ops::flops(p.op) / fit.tflops / 1e6 / utilisation(p.op, sm_count, rows, columns);
        error += std::abs(us - p.us) / p.us / fit.products;
      }
      if (error >= fit.mean_error) continue;
      fit.mean_error = error;
      fit.tile_rows = rows;
      fit.tile_columns = columns;
    }
  }
  return fit;
}

}  // namespace lanescope::calibration
