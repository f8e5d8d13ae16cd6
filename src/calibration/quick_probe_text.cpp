#include "calibration/quick_probe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace lanescope::calibration {
namespace {

constexpr int kKinds = static_cast<int>(ops::OpKind::Spin) + 1;

/// Reads what stands behind the kernel's name.
bool read_op(std::istream& in, ops::Op& op) {
  std::string kernel;
  if (!(in >> kernel >> op.m >> op.n >> op.k >> op.scalar)) return false;
  for (int kind = 0; kind < kKinds; ++kind) {
    op.kind = static_cast<ops::OpKind>(kind);
    if (ops::kernel_name(op.kind) == kernel) return op.m > 0 && op.n > 0 && op.k > 0;
  }
  return false;
}

bool is_sound(double value, double relative) {
  return std::isfinite(value) && value >= 0 && std::isfinite(relative) && relative >= 0;
}

}  // namespace

std::string to_text(const QuickProbe& probe) {
  std::string text = fmt::format("device {}\n", probe.device);
  for (const ProbedNumber& n : probe.numbers) {
    text += fmt::format("number {} {:.6g} {:.3g}\n", n.key, n.value, n.relative);
  }
  for (const ProbedOp& p : probe.ops) {
    text += fmt::format("op {} {} {} {} {} {:.6g} {:.3g}\n", ops::kernel_name(p.op.kind), p.op.m, p.op.n, p.op.k,
                        p.op.scalar, p.us, p.relative);
  }
  return text;
}

std::optional<QuickProbe> parse_quick_probe(std::string_view text) {
  QuickProbe probe;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    if (what == "device") {
      in >> probe.device;
    } else if (what == "number") {
      ProbedNumber n;
      if (!(in >> n.key >> n.value >> n.relative) || !is_sound(n.value, n.relative)) return std::nullopt;
      probe.numbers.push_back(std::move(n));
    } else if (what == "op") {
      ProbedOp p;
      if (!read_op(in, p.op) || !(in >> p.us >> p.relative) || !is_sound(p.us, p.relative)) return std::nullopt;
      probe.ops.push_back(p);
    } else {
      return std::nullopt;
    }
  }
  if (probe.device.empty() || probe.numbers.empty()) return std::nullopt;
  return probe;
}

std::string to_text(const ops::Op& op) {
  return fmt::format("{},{},{},{},{}", ops::kernel_name(op.kind), op.m, op.n, op.k, op.scalar);
}

std::optional<ops::Op> parse_op(std::string_view text) {
  std::string words(text);
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream in(words);
  ops::Op op;
  if (!read_op(in, op)) return std::nullopt;
  return op;
}

}  // namespace lanescope::calibration
