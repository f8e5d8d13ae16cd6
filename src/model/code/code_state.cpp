#include "model/code/code_state.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/advice/advice.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

constexpr double kLightSeconds = 0.12, kBarSeconds = 0.15;

// The settings that a file's writer recorded.
std::optional<workload::Settings> settings_of(const io::RunFacts& facts) {
  try {
    workload::Settings settings = workload::default_settings(facts.workload, {});
    for (const auto& [key, value] : facts.settings) {
      try {
        settings.set_text(key, value);
      } catch (const base::UsageError&) {  // perhaps written by another version
      }
    }
    return settings;
  } catch (const base::UsageError&) {
    return std::nullopt;
  }
}

// True while the value is still moving.
bool ease(float& value, float target, double seconds, double time) {
  const float before = value;
  value += (target - value) * static_cast<float>(1 - std::exp(-seconds / time));
  if (std::abs(target - value) < 0.004f) value = target;
  return value != before || value != target;
}

}  // namespace

void CodeState::end() {
  UserFiles kept = std::move(files);
  *this = {};
  files = std::move(kept);
  files.forget();
}

const LineCost* CodeState::cost(std::size_t line) const {
  if (line >= keys_.size() || keys_[line].empty()) return nullptr;
  const auto found = costs_.find(keys_[line]);
  return found != costs_.end() ? &found->second : nullptr;
}

double CodeState::share(std::size_t line) const {
  const LineCost* own = cost(line);
  return own && all_host_ns_ > 0 ? own->host_ns() / all_host_ns_ : 0;
}

float CodeState::bar(std::size_t line, CodeFigure figure) const {
  if (line >= keys_.size()) return 0;
  const auto found = bars_.find(keys_[line]);
  return found != bars_.end() ? found->second[static_cast<std::size_t>(figure)] : 0;
}

float CodeState::flashing(Clock::time_point now) const {
  if (changed_.empty()) return 0;
  const std::chrono::duration<float> passed = now - changed_at_;
  return std::clamp(1 - passed / std::chrono::duration<float>(kFlash), 0.0f, 1.0f);
}

std::optional<std::size_t> CodeState::chosen() const {
  if (chosen_.empty()) return std::nullopt;
  const auto found = std::find(keys_.begin(), keys_.end(), chosen_);
  return found == keys_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - keys_.begin()));
}

void CodeState::choose(std::optional<std::size_t> line) { chosen_ = line && *line < keys_.size() ? keys_[*line] : ""; }

void CodeState::update(const Model& model, const Situation& situation, Clock::time_point now) {
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  if (model.has_users_code()) return update_user(model, situation, now);
  if (!model.nothing()) take_code(model, now);
  if (code_.empty()) return;
  if (std::optional<Findings> done = job_.take(); done && done->costs.iterations > 0) {
    costs_.clear();
    scale_ns_ = all_host_ns_ = 0;
    iterations_ = done->costs.iterations;
    iteration_ns_ = done->costs.per_iteration(done->costs.to_ns - done->costs.from_ns);
    for (std::size_t i = 0; i < done->keys.size(); ++i) {
      if (done->keys[i].empty()) continue;
      const analysis::StatementCost& sum = done->costs.statements[i];
      LineCost& cost = costs_[done->keys[i]];
      cost.ns = {done->costs.per_iteration(sum.cpu_ns), done->costs.per_iteration(sum.wait_ns),
                 done->costs.per_iteration(sum.gpu_ns)};
      cost.per_iteration = done->costs.per_iteration(sum.count);
      cost.example = sum.example;
      cost.idle_ns = done->idle_ns[i];
      all_host_ns_ += cost.host_ns();
      for (const double ns : cost.ns) scale_ns_ = std::max(scale_ns_, ns);
    }
  }
  find_costliest();
  if (situation.seen && !job_.busy()) look(model, now);
  if (!situation.selected) {
    located_.reset();
  } else if (located_ != situation.selected) {
    located_ = situation.selected;
    located_at_ = CodeLocator(model.trace(), code_, &model.analysis().links()).of(*located_);
  }
  pointed_to_ = located_ ? located_at_ : std::nullopt;
  gliding_ = false;
  light(model, situation);
  glide(situation);
}

void CodeState::find_costliest() {
  costliest_.reset();
  double most = kIdleMatters * iteration_ns_;
  if (costs_.empty()) return;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const LineCost* own = cost(i);
    if (!own || own->idle_ns <= most) continue;
    most = own->idle_ns;
    costliest_ = i;
  }
}

void CodeState::take_code(const Model& model, Clock::time_point now) {
  std::optional<workload::Settings> settings;
  std::string name;
  if (const Steering* steering = model.steering()) {
    settings = steering->settings();
    name = steering->workload().name;
  } else if (loop_ || !model.source().own()) {
    return;
  } else {
    const io::RunFacts facts = model.facts();
    name = facts.workload;
    settings = settings_of(facts);
  }
  if (!settings || (loop_ && loop_->settings == *settings)) return;  // another workload or device is another run
  Loop loop{name, std::move(*settings), model.source().device().kind == device::DeviceKind::Cpu};
  workload::Code code = workload::workload_code(loop.workload, loop.settings, loop.on_cpu);
  loop_ = std::move(loop);
  if (code == code_) return;
  if (std::vector<CodeChange> found = changes(code_, code); !found.empty()) {
    changed_ = std::move(found);
    changed_at_ = now;
  } else {
    changed_.clear();
  }
  code_ = std::move(code);
  keys_.clear();
  for (std::size_t i = 0; i < code_.size(); ++i) keys_.push_back(statement_key(code_, i));
  light_ = {};
  located_.reset();
}

void CodeState::look(const Model& model, Clock::time_point now) {
  if (!model.live()) {
    if (std::exchange(looked_, true)) return;
  } else {
    const bool young = model.analysis().records().size() < AdviceState::kFewestIterations;
    if (young && model.running()) return;
    const analysis::Summary& recent = model.recent();
    if (recent.iteration.count == 0 || looked_at_ == model.recent_number() || now - started_ < kBetweenLooks) return;
    looked_at_ = model.recent_number();
    started_ = now;
  }
  const std::optional<analysis::AdvicePlan> plan = plan_of(model, kMostLiveEvents);
  if (!plan) return;
  const std::optional stretch = std::pair(plan->from_ns, plan->to_ns);
  if (stretch == stretch_) return;
  stretch_ = stretch;
  job_.start([trace = model.shared_trace(), stretch = *stretch, gpu = plan->gpu, code = code_](const base::Stop& stop) {
    return look_at(*trace, stretch, gpu, code, stop);
  });
}

// Runs in the background.
CodeState::Findings CodeState::look_at(const trace::Trace& trace, std::pair<Nanoseconds, Nanoseconds> stretch,
                                       trace::GpuNumber gpu, const workload::Code& code, const base::Stop& stop) {
  Findings look;
  std::vector<analysis::StatementRanges> statements;
  for (std::size_t i = 0; i < code.size(); ++i) {
    look.keys.push_back(statement_key(code, i));
    statements.push_back({code[i].ranges, code[i].transfers});
  }
  look.costs = analysis::statement_costs(trace, stretch.first, stretch.second, statements, &stop);
  look.idle_ns.resize(code.size());
  const analysis::Evidence evidence = analysis::gather(trace, stretch.first, stretch.second, &stop, gpu);
  const CodeLocator locator(trace, code);
  for (const analysis::CallSite& site : evidence.sites) {
    const double idle = evidence.time_per_iteration(site.bubbles_ns());
    if (idle <= 0) continue;
    const bool transfer = site.sync_count > 0 || site.role == analysis::CallRole::MemoryCopy;
    const std::string_view range = trace.names().text(site.range);
    // Where the range's name alone does not identify the statement, the example does.
    std::optional<std::size_t> line = workload::statement_of(code, range, 0, transfer);
    if (!line || line != workload::statement_of(code, range, 1, transfer)) line = locator.at(site.example.start_ns);
    if (line) look.idle_ns[*line] += idle;
  }
  return look;
}

std::vector<float> CodeState::lit_alone(std::optional<std::size_t> line) const {
  std::vector<float> lit(code_.size(), 0.0f);
  if (line) lit[*line] = 1;
  return lit;
}

void CodeState::light(const Model& model, const Situation& situation) {
  using Basis = CodeLight::Basis;
  std::vector<float> wanted(code_.size(), 0.0f);
  Basis basis = Basis::None;
  const CodeLocator locator(model.trace(), code_);
  const analysis::Summary& recent = model.recent();
  const double speed = std::max(model.speed(), 1e-9);
  const double lasts = recent.iteration.count > 0 ? recent.iteration.mean_ns / 1e9 / speed : 0;
  follows_ = lasts > (follows_ ? 0.7 : 1) * kFollowedSeconds;
  if (!situation.seen) {
    light_ = {Basis::None, std::move(wanted)};
    return;
  }
  const auto at = [&](Nanoseconds t) { return of_user_ ? line_at(model, t) : locator.at(t); };
  const std::optional<std::size_t> hangs_in = of_user_ && !situation.still ? running_line(model) : std::nullopt;
  if (situation.instant) {
    basis = Basis::Instant;
    wanted = lit_alone(at(*situation.instant));
  } else if (situation.selected || situation.selected_at) {
    basis = Basis::Instant;
    wanted = lit_alone(situation.selected ? pointed_to_ : at(*situation.selected_at));
  } else if (hangs_in) {
    basis = Basis::Running;
    wanted = lit_alone(hangs_in);
  } else if (model.live() && !situation.still && (model.paused() || follows_)) {
    basis = Basis::Running;
    wanted = lit_alone(of_user_ ? line_at(model, model.live_edge()) : locator.newest(model.live_edge()));
  } else if (model.live() && !situation.still) {
    basis = Basis::Share;
    for (std::size_t i = 0; i < code_.size(); ++i) wanted[i] = static_cast<float>(share(i));
  }
  light_.basis = basis;
  light_.lines.resize(code_.size(), 0.0f);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (situation.animation) {
      gliding_ = ease(light_.lines[i], wanted[i], situation.seconds, kLightSeconds) || gliding_;
    } else {
      light_.lines[i] = wanted[i];
    }
  }
}

void CodeState::glide(const Situation& situation) {
  for (auto& [key, bar] : bars_) {
    if (!costs_.contains(key)) bar = {};
  }
  if (scale_ns_ <= 0) return;
  for (const auto& [key, cost] : costs_) {
    auto& bar = bars_[key];
    for (std::size_t i = 0; i < kCodeFigures; ++i) {
      const auto wanted = static_cast<float>(cost.ns[i] / scale_ns_);
      if (situation.animation) {
        gliding_ = ease(bar[i], wanted, situation.seconds, kBarSeconds) || gliding_;
      } else {
        bar[i] = wanted;
      }
    }
  }
}

}  // namespace lanescope::ui
