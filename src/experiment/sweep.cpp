#include "experiment/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/background_job.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/measured_run.h"
#include "io/escaped_text.h"
#include "workload/workload.h"

namespace lanescope::experiment {
namespace {

using base::tr;
using base::UsageError;

constexpr std::size_t kSweepSmallTrace = std::size_t{64} << 20;  // its figures include what the cap evicts
constexpr std::uint64_t kSweepMostIterations = 1'000'000'000;

struct Assignment {
  std::string_view key, value;
};
std::optional<Assignment> assignment_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

std::uint64_t iterations_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > kSweepMostIterations) {
    throw UsageError(
        tr("{} is '{}'; allowed: a whole number from {} to {}", kIterationsAxis, text, 1, kSweepMostIterations));
  }
  return number;
}

void apply(session::SessionOptions& options, std::string_view key, std::string_view value) {
  if (key == kDeviceAxis) {
    options.device = value;
  } else if (key == kIterationsAxis) {
    options.iterations = iterations_of(value);
  } else {
    options.assignments.push_back(fmt::format("{}={}", key, value));
  }
}

session::SessionOptions options_of(const SweepSpec& spec) {
  session::SessionOptions options;
  options.workload = spec.workload;
  options.device = spec.device;
  options.assignments = spec.assignments;
  options.iterations = spec.iterations;
  options.paced = false;
  options.memory_cap_bytes = kSweepSmallTrace;
  return options;
}

session::SessionOptions options_at(const SweepSpec& spec, const std::vector<std::string>& at, bool against) {
  session::SessionOptions options = options_of(spec);
  for (std::size_t a = 0; a < spec.axes.size(); ++a) apply(options, spec.axes[a].key, at[a]);
  if (against) {
    const Assignment other = *assignment_in(spec.against);
    apply(options, other.key, other.value);
  }
  return options;
}

workload::Settings settings_of(const session::SessionOptions& options) {
  workload::Settings settings = workload::default_settings(options.workload, device::describe_device(options.device));
  for (const std::string& assignment : options.assignments) settings.assign(assignment);
  return settings;
}

// Two runs with the same identity are the same run.
std::string identity(const session::SessionOptions& options) {
  std::string text = fmt::format("{}\n{}", options.device, options.iterations);
  const workload::Settings settings = settings_of(options);
  for (const workload::SettingSpec& spec : settings.specs()) {
    text += '\n' + workload::to_text(settings.value(spec.key));
  }
  return text;
}

Measured measured_of(const session::SessionOptions& options, const std::function<bool()>& should_stop) {
  MeasuredRun run(options);
  run.run({}, should_stop);
  return run.measured();
}

}  // namespace

Axis parse_axis(std::string_view text) {
  const auto refuse = [&](const char* why) {
    throw UsageError(tr("'{}' {}; write KEY=VALUE,VALUE,..., for example {}", text, why, "batch_size=128,512"));
  };
  const std::optional<Assignment> parts = assignment_in(text);
  if (!parts) refuse(tr("names no values"));
  Axis axis{std::string(parts->key), {}};
  std::string_view rest = parts->value;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string value(rest.substr(0, comma));
    if (value.empty()) refuse(tr("has an empty value"));
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) refuse(tr("has a value twice"));
    axis.values.push_back(value);
    if (more) rest.remove_prefix(comma + 1);
  }
  return axis;
}

std::size_t SweepSpec::points() const {
  std::size_t count = axes.empty() ? 0 : 1;
  for (const Axis& axis : axes) count *= axis.values.size();
  return count;
}

std::vector<std::size_t> SweepSpec::place(std::size_t point) const {
  std::vector<std::size_t> place(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    place[a] = point % axes[a].values.size();
    point /= axes[a].values.size();
  }
  return place;
}

std::uint64_t iterations_at(const SweepSpec& spec, const std::vector<std::string>& at) {
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    if (spec.axes[a].key == kIterationsAxis) return iterations_of(at.at(a));
  }
  return spec.iterations;
}

SweepSpec ready_sweep(const Experiment& experiment) {
  if (!experiment.sweep) {
    throw UsageError(tr("experiment {} has no sweep of its own; give --over KEY=VALUE,VALUE,...", experiment.id));
  }
  const ReadySweep& ready = *experiment.sweep;
  SweepSpec spec;
  spec.workload = experiment.workload;
  spec.device = experiment.device;
  spec.assignments = experiment.settings;
  spec.assignments.insert(spec.assignments.end(), ready.settings.begin(), ready.settings.end());
  for (const std::string& over : ready.over) spec.axes.push_back(parse_axis(over));
  spec.figure = ready.figure;
  spec.against = ready.against;
  spec.iterations = ready.iterations == 0 ? experiment.iterations : ready.iterations;
  return spec;
}

void check_sweep(const SweepSpec& spec) {
  workload::workload_info(spec.workload);
  if (spec.axes.empty() || spec.axes.size() > 2) {
    throw UsageError(tr("a sweep over {} settings; allowed: 1 or 2", spec.axes.size()));
  }
  if (spec.axes.size() == 2 && spec.axes[0].key == spec.axes[1].key) {
    throw UsageError(tr("a sweep over {} twice; allowed: two different settings", spec.axes[0].key));
  }
  figure_info(spec.figure);
  settings_of(options_of(spec));
  const auto check = [&](std::string_view key, std::string_view value) {
    session::SessionOptions options = options_of(spec);
    apply(options, key, value);
    settings_of(options);
  };
  for (const Axis& axis : spec.axes) {
    for (const std::string& value : axis.values) check(axis.key, value);
  }
  if (spec.against.empty()) return;
  const std::optional<Assignment> other = assignment_in(spec.against);
  if (!other || other->value.empty()) {
    throw UsageError(
        tr("'{}' is not a setting to compare with; write KEY=VALUE, for example {}", spec.against, "device=cpu"));
  }
  check(other->key, other->value);
}

namespace {

// "never" lies beyond the largest interval, as on the slider: in an ascending list it comes last. Left of 1 it would
// draw a peak where there is none.
void put_never_last(Axis& axis, const workload::SettingSpec* setting) {
  if (!setting || !setting->zero_is_never || axis.values.size() < 3 || axis.values.front() != "0") return;
  std::vector<double> rest;
  for (const std::string& value : axis.values) rest.push_back(std::atof(value.c_str()));
  if (std::is_sorted(rest.begin(), rest.end())) std::ranges::rotate(axis.values, axis.values.begin() + 1);
}

SweepSpec checked(SweepSpec spec) {
  check_sweep(spec);
  const workload::Settings settings = settings_of(options_of(spec));
  for (Axis& axis : spec.axes) put_never_last(axis, settings.spec(axis.key));
  return spec;
}

}  // namespace

Sweep::Sweep(SweepSpec spec) : spec_(checked(std::move(spec))) {
  points_.resize(spec_.points());
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const std::vector<std::size_t> place = spec_.place(p);
    for (std::size_t a = 0; a < place.size(); ++a) points_[p].at.push_back(spec_.axes[a].values[place[a]]);
  }
}

Sweep::~Sweep() {
  cancel();
  wait();
}

void Sweep::start() {
  running_.store(true, std::memory_order_release);
  if (base::kThreads) thread_ = std::thread([this] { run(); });
}

void Sweep::advance() {
  if (!base::kThreads && running() && !measure_next()) running_.store(false, std::memory_order_release);
}

void Sweep::cancel() { cancelled_.store(true, std::memory_order_release); }

void Sweep::wait() {
  if (thread_.joinable()) thread_.join();
}

void Sweep::run() {
  while (measure_next()) {
  }
  running_.store(false, std::memory_order_release);
}

bool Sweep::measure_next() {
  const std::size_t next = done();
  if (next == points_.size() || cancelled_.load(std::memory_order_acquire)) return false;
  SweepPoint point = measure(next);
  if (cancelled_.load(std::memory_order_acquire)) return false;  // the run was cut short
  const std::lock_guard lock(mutex_);
  points_[next] = std::move(point);
  done_.fetch_add(1, std::memory_order_release);
  return next + 1 < points_.size();
}

// Only this thread writes points_, so reading needs no lock.
SweepPoint Sweep::measure(std::size_t number) {
  SweepPoint point = points_[number];
  point.done = true;
  try {
    const session::SessionOptions options = options_at(spec_, point.at, false);
    point.simulated = device::describe_device(options.device).simulated;
    point.measured = measured_of(options, [this] { return cancelled_.load(std::memory_order_acquire); });
    point.value = figure_value(spec_.figure, point.measured, options.iterations);
    if (point.value && !spec_.against.empty()) {
      const std::optional<double> other =
          figure_value(spec_.figure, measure_against(point.at), options_at(spec_, point.at, true).iterations);
      point.value = other && *point.value != 0 ? std::optional(*other / *point.value) : std::nullopt;
    }
    if (!point.value) point.error = tr("this run has no value for {}", spec_.figure);
  } catch (const std::exception& error) {
    point.error = error.what();
  }
  return point;
}

const Measured& Sweep::measure_against(const std::vector<std::string>& at) {
  const session::SessionOptions options = options_at(spec_, at, true);
  const std::string key = identity(options);
  auto found = against_.find(key);
  if (found == against_.end()) {
    found = against_.emplace(key, measured_of(options, [this] { return cancelled_.load(std::memory_order_acquire); }))
                .first;
  }
  return found->second;
}

std::vector<SweepPoint> Sweep::points() const {
  const std::lock_guard lock(mutex_);
  return points_;
}

std::string Sweep::unit() const {
  if (!spec_.against.empty()) return "x";
  const std::lock_guard lock(mutex_);
  std::string unit;
  for (const SweepPoint& point : points_) {
    unit = figure_info(spec_.figure, point.measured.figures).unit;
    if (!unit.empty()) break;
  }
  return unit;
}

namespace {

std::string number(std::optional<double> value) { return value ? fmt::format("{}", *value) : std::string(); }

}  // namespace

std::string sweep_csv(const SweepSpec& spec, const std::vector<SweepPoint>& points) {
  std::vector<std::string> own;  // in order of first appearance
  for (const SweepPoint& point : points) {
    for (const workload::Figure& figure : point.measured.figures) {
      const std::string key = "own." + figure.key;
      if (std::find(own.begin(), own.end(), key) == own.end()) own.push_back(key);
    }
  }
  std::vector<std::string> columns;
  for (const Axis& axis : spec.axes) columns.push_back(axis.key);
  columns.emplace_back("value");
  for (const FigureInfo& figure : standard_figures()) columns.push_back(figure.key);
  columns.insert(columns.end(), own.begin(), own.end());
  columns.emplace_back("simulated");
  columns.emplace_back("error");

  std::string csv;
  io::append_csv_line(csv, columns);
  for (const SweepPoint& point : points) {
    if (!point.done) continue;
    std::vector<std::string> fields = point.at;
    fields.push_back(number(point.value));
    const std::uint64_t iterations = iterations_at(spec, point.at);
    for (const FigureInfo& figure : standard_figures()) {
      fields.push_back(number(figure_value(figure.key, point.measured, iterations)));
    }
    for (const std::string& key : own) fields.push_back(number(figure_value(key, point.measured, iterations)));
    fields.emplace_back(point.simulated ? "true" : "false");
    fields.push_back(point.error);
    io::append_csv_line(csv, fields);
  }
  return csv;
}

}  // namespace lanescope::experiment
