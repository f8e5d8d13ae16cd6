#include "experiment/figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/translate.h"
#include "workload/setting_keys.h"

namespace lanescope::experiment {
namespace {

using analysis::Summary;

constexpr std::string_view kOwn = "own.";
constexpr std::string_view kTotal = ".total";
constexpr double kNsPerUs = 1e3, kNsPerMs = 1e6, kNsPerS = 1e9;
constexpr double kPercent = 100;
constexpr const char* kSamples = "samples_per_s";

using Value = std::optional<double> (*)(const Summary& s, std::uint64_t iterations);

std::optional<double> divided(double what, double by) {
  if (by <= 0) return std::nullopt;
  return what / by;
}

double whole(std::int64_t number) { return static_cast<double>(number); }

std::optional<double> per_iteration(const Summary& s, double what) { return divided(what, whole(s.iteration.count)); }
/// Of the GPU's work, which may have been recorded in parts only.
std::optional<double> per_gpu_iteration(const Summary& s, double what) {
  return divided(what, whole(s.gpu_iterations()));
}
std::optional<double> percent(const Summary& s, base::Nanoseconds part) {
  return divided(kPercent * whole(part), whole(s.gpu_window_ns()));
}

std::optional<double> each(const Summary& s, double unit_ns) {
  if (!s.pace.known()) return std::nullopt;
  return s.pace.ns / unit_ns;
}

std::optional<double> total_s(const Summary& s, std::uint64_t iterations) {
  if (!s.pace.known() || iterations == 0) return std::nullopt;
  return s.pace.ns * static_cast<double>(iterations) / kNsPerS;
}

std::optional<double> copying_ms(const Summary& s, base::Nanoseconds copies) {
  if (copies <= 0 || s.gpu_iterations() == 0) return std::nullopt;
  return s.gpu_time_per_iteration(copies) / kNsPerMs;
}

struct Standard {
  const char* key;
  const char* label;
  const char* unit;
  Value value;
};

constexpr Standard kStandard[] = {
    {"iteration_us", N_("time per iteration"), "µs", [](const Summary& s, std::uint64_t) { return each(s, kNsPerUs); }},
    {"iteration_ms", N_("time per iteration"), "ms", [](const Summary& s, std::uint64_t) { return each(s, kNsPerMs); }},
    {"total_s", N_("time of the whole loop"), "s", total_s},
    {"iterations_per_s", N_("iterations per second"), "iterations/s",
     [](const Summary& s, std::uint64_t) { return divided(kNsPerS, s.pace.ns); }},
    {kSamples, N_("samples per second"), "samples/s", nullptr},  // needs more than the summary
    {"syncs_per_iteration", N_("synchronisations per iteration"), "",
     [](const Summary& s, std::uint64_t) { return per_iteration(s, whole(s.sync_count)); }},
    {"launches_per_iteration", N_("kernel launches per iteration"), "",
     [](const Summary& s, std::uint64_t) { return per_gpu_iteration(s, whole(s.launch_count)); }},
    {"gpu_busy_percent", N_("GPU busy"), "%",
     [](const Summary& s, std::uint64_t) { return percent(s, s.gpu_busy_ns); }},
    {"kernel_percent", N_("GPU running kernels"), "%",
     [](const Summary& s, std::uint64_t) { return percent(s, s.kernel_ns); }},
    {"host_wait_us", N_("CPU waiting per iteration"), "µs",
     [](const Summary& s, std::uint64_t) { return per_iteration(s, whole(s.host_wait_ns) / kNsPerUs); }},
    {"bubble_percent", N_("GPU idle"), "%", [](const Summary& s, std::uint64_t) { return percent(s, s.bubble_ns); }},
    {"h2d_gb_per_s", N_("host to device, while copying"), "GB/s",
     [](const Summary& s, std::uint64_t) { return divided(whole(s.h2d_bytes), whole(s.h2d_ns)); }},
    {"d2h_gb_per_s", N_("device to host, while copying"), "GB/s",
     [](const Summary& s, std::uint64_t) { return divided(whole(s.d2h_bytes), whole(s.d2h_ns)); }},
    {"h2d_ms", N_("copying to the device, per iteration"), "ms",
     [](const Summary& s, std::uint64_t) { return copying_ms(s, s.h2d_ns); }},
    {"d2h_ms", N_("copying to the host, per iteration"), "ms",
     [](const Summary& s, std::uint64_t) { return copying_ms(s, s.d2h_ns); }},
    {"transfer_percent", N_("copying, share of the time"), "%",
     [](const Summary& s, std::uint64_t) { return percent(s, s.h2d_ns + s.d2h_ns); }},
};

const Standard* standard(std::string_view key) {
  const auto* const found =
      std::find_if(std::begin(kStandard), std::end(kStandard), [&](const Standard& f) { return f.key == key; });
  return found == std::end(kStandard) ? nullptr : found;
}

// "own.read_us.total" is the sum of "read_us".
struct Own {
  std::string_view key;
  bool total;
};
Own own_of(std::string_view key) {
  key.remove_prefix(kOwn.size());
  const bool total = key.ends_with(kTotal);
  if (total) key.remove_suffix(kTotal.size());
  return {key, total};
}

const workload::Figure* find_own(std::string_view key, const std::vector<workload::Figure>& figures) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const workload::Figure& f) { return f.key == key; });
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace

analysis::Gain gain_between(const Measured& first, const Measured& second) {
  return analysis::gain_between(first.summary.pace, first.batch_size, second.summary.pace, second.batch_size);
}

const std::vector<FigureInfo>& standard_figures() {
  static const std::vector<FigureInfo> figures = [] {
    std::vector<FigureInfo> list;
    for (const Standard& f : kStandard) list.push_back({f.key, f.label, f.unit});
    return list;
  }();
  return figures;
}

FigureInfo figure_info(std::string_view key, const std::vector<workload::Figure>& own) {
  if (key.starts_with(kOwn) && !own_of(key).key.empty()) {
    const auto [name, total] = own_of(key);
    const workload::Figure* figure = find_own(name, own);
    if (figure == nullptr) return {std::string(key), std::string(name), {}};
    return {std::string(key), figure->label, figure->unit};
  }
  if (const Standard* f = standard(key)) return {f->key, f->label, f->unit};
  std::vector<std::string_view> names;
  for (const Standard& f : kStandard) names.emplace_back(f.key);
  throw base::UsageError(
      base::tr("figure '{}' is unknown; allowed: {}, own.NAME, "
               "own.NAME.total",
               key, fmt::join(names, ", ")));
}

std::optional<double> figure_value(std::string_view key, const Measured& measured, std::uint64_t iterations) {
  if (key.starts_with(kOwn)) {
    const auto [name, total] = own_of(key);
    const workload::Figure* figure = find_own(name, measured.figures);
    if (figure == nullptr || figure->count == 0) return std::nullopt;
    return total ? figure->total : figure->mean;
  }
  if (key == kSamples) {
    return measured.batch_size > 0 ? divided(measured.batch_size * kNsPerS, measured.summary.pace.ns) : std::nullopt;
  }
  const Standard* f = standard(key);
  return f == nullptr ? std::nullopt : f->value(measured.summary, iterations);
}

}  // namespace lanescope::experiment
