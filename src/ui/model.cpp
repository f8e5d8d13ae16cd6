#include "ui/model.h"

#include <algorithm>

#include "base/error.h"
#include "ui/timeline.h"

namespace lanescope::ui {
namespace {

// What "recent" means to somebody who watches: about the last second on the wall clock, and enough iterations to trust.
constexpr double kRecentSeconds = 1.0;
constexpr std::size_t kRecentIterations = 20;
constexpr std::size_t kMostIterations = 20'000;   // more than anybody needs, and a fast GPU makes many in a second
constexpr std::size_t kEventsPerFrame = 100'000;  // a few milliseconds; 6,000,000 events in a second at 60 frames
constexpr std::chrono::milliseconds kSummaryPeriod{80};
constexpr std::chrono::milliseconds kOneTurn{1500};

}  // namespace

void Model::start_run(const session::SessionOptions& options) {
  const bool from_gpu = session_ && !session_->device().simulated;
  if (from_gpu && !device::describe_device(options.device).simulated) return start_after_the_old(options);
  take(std::make_unique<session::Session>(options));
}

void Model::start_after_the_old(const session::SessionOptions& options) {
  // What can be known to be wrong is, before the old run goes.
  workload::Settings settings = workload::default_settings(options.workload, device::describe_device(options.device));
  for (const std::string& assignment : options.assignments) settings.assign(assignment);
  const session::SessionOptions old = options_now();
  show_nothing();
  try {
    take(std::make_unique<session::Session>(options));
  } catch (const std::exception& error) {
    start_error_ = error.what();
    last_options_ = options;
    take(std::make_unique<session::Session>(old));
    throw;
  }
}

void Model::show_nothing() {
  io::OpenedTrace empty;
  empty.trace = std::make_unique<trace::Trace>();
  show(analysed(std::move(empty), {}, {}));
}

void Model::take(std::unique_ptr<session::Session> session) {
  discard_shown();
  session_ = std::move(session);
  last_options_ = session_->options();
  file_.clear();
  begin_generation();
  session_->start();
}

void Model::show(ReadFile file) {
  if (session_) last_options_ = options_now();
  discard_shown();
  opened_ = std::move(file.opened);
  file_ = std::move(file.path);
  file_title_ = std::move(file.title);
  begin_generation(std::move(file.analysis));
  live_edge_ = opened_.trace->extent().second;
  recent_ = std::move(file.whole);
  judge(recent_);  // in the language of now
  recent_stale_reads_ = file.stale_reads;
  read_capture();
}

// Freeing the memory of a trace must not make anyone wait.
void Model::discard_shown() {
  struct Shown {
    std::unique_ptr<session::Session> session;
    io::OpenedTrace opened;
    std::unique_ptr<analysis::LiveAnalysis> analysis;  // goes before the trace it is of
  };
  if (session_) session_->release();  // the device is free for the next run when this returns
  auto shown = std::make_unique<Shown>();
  shown->session = std::move(session_);
  shown->opened = std::exchange(opened_, {});
  shown->analysis = std::move(analysis_);
  std::erase_if(discarding_,
                [](const auto& one) { return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  discarding_.push_back(std::async(std::launch::async, [shown = std::move(shown)]() mutable { shown.reset(); }));
}

void Model::begin_generation(std::unique_ptr<analysis::LiveAnalysis> analysis) {
  ++generation_;
  analysis_ = analysis ? std::move(analysis) : std::make_unique<analysis::LiveAnalysis>(trace());
  live_edge_ = now_ = 0;
  open_calls_.clear();
  capture_ = {};
  start_error_.clear();
  recent_ = before_change_ = {};
  recent_stale_reads_ = 0;
  recent_settled_ = false;
  awaited_from_.reset();
  markers_seen_ = turn_begins_ = 0;
  summarised_ = turned_ = {};
  if (session_) {
    facts_.workload = session_->workload().name;
    facts_.device = session_->device().id;
    facts_.device_name = session_->device().name;
    facts_.simulated = session_->device().simulated;
  } else {
    facts_ = opened_.facts;
  }
}

void Model::update() {
  if (!session_) return;
  const Nanoseconds known = std::max(live_edge_, session_->live_edge_ns());
  // What is drawn and what is said of it end at the same instant: where there is too much for one frame, earlier.
  const bool all = analysis_->update(known, kEventsPerFrame);
  live_edge_ = all ? known : std::max(live_edge_, std::min(known, analysis_->analysed_until()));
  open_calls_ = session_->open_calls();
  now_ = virtual_time() ? live_edge_ : std::max(live_edge_, session_->now_ns());
  const auto& markers = analysis_->markers();
  if (awaited_from_ && !markers.empty() && markers.back().start_ns >= *awaited_from_) awaited_from_.reset();
  const auto now = std::chrono::steady_clock::now();
  const bool turned = analysis_->markers().size() != markers_seen_;
  if (turned || now - summarised_ >= kSummaryPeriod) {
    summarised_ = now;
    read_capture();
    summarise();
  }
}

void Model::summarise() {
  const auto& markers = analysis_->markers();
  if (markers.size() != markers_seen_) {
    const std::size_t newest = std::exchange(markers_seen_, markers.size());
    // A slider that is dragged turns the knob many times: "before" is what was before all of them.
    const auto now = std::chrono::steady_clock::now();
    if (now - turned_ > kOneTurn) {
      before_change_ = recent_;
      turn_begins_ = newest;
    }
    turned_ = now;
  }
  const auto records = analysis_->records();
  if (records.empty()) return;
  Nanoseconds from = live_edge_ - static_cast<Nanoseconds>(kRecentSeconds * speed() * 1e9);
  if (records.size() > kRecentIterations) {
    from = std::min(from, records[records.size() - kRecentIterations].start_ns);
    if (records.size() > kMostIterations) from = std::max(from, records[records.size() - kMostIterations].start_ns);
  } else {
    from = records.front().start_ns;
  }
  // The first iteration of a run, and of new settings, also sets up what they need: it is left out as soon as others
  // have ended.
  const Nanoseconds turned_at = markers.empty() ? records.front().start_ns : markers.back().start_ns;
  const auto first = std::lower_bound(records.begin(), records.end(), turned_at,
                                      [](const analysis::IterationRecord& r, Nanoseconds t) { return r.start_ns < t; });
  const bool settled = records.end() - first >= 3;
  settled_from_ = settled ? std::next(first)->start_ns : turned_at;
  from = std::max(from, settled_from_);
  analysis::Summary summary = analysis_->window(from, live_edge_);
  if (summary.iteration.count == 0) return;
  // A queue that fills is a state of the loop as it is now; a period that has begun and not ended tells nothing yet.
  recent_settled_ = settled && (summary.pace.known() || summary.sync_count == 0);
  recent_ = of_its_pace(std::move(summary));
  ++recent_number_;
  recent_stale_reads_ = count_stale_reads(trace(), recent_.from_ns, recent_.to_ns);
}

analysis::Summary Model::of_its_pace(analysis::Summary summary) const {
  const analysis::Pace& pace = summary.pace;
  const bool all = pace.from_ns == summary.from_ns && pace.to_ns == summary.to_ns;
  if (pace.basis != analysis::PaceBasis::Steady || all) return summary;
  return analysis_->window(pace.from_ns, pace.to_ns);
}

std::string Model::last_turn() const {
  const auto& markers = analysis_->markers();
  if (markers_seen_ == 0 || turn_begins_ >= markers.size()) return {};
  const auto& names = trace().names();
  return marker_text(names.text(markers[turn_begins_].name), names.text(markers[markers_seen_ - 1].name));
}

analysis::Summary Model::recent_over(double seconds) const {
  const auto records = analysis_->records();
  Nanoseconds from = live_edge_ - static_cast<Nanoseconds>(seconds * speed() * 1e9);
  from = std::max(from, settled_from_);
  if (records.size() > kMostIterations) from = std::max(from, records[records.size() - kMostIterations].start_ns);
  const analysis::Summary summary = analysis_->window(std::min(from, recent_.from_ns), live_edge_);
  return summary.pace.known() ? of_its_pace(summary) : recent_;
}

bool Model::recent_is_current() const {
  const auto& markers = analysis_->markers();
  return recent_.iteration.count > 0 && recent_settled_ && !awaited_from_ &&
         (markers.empty() || recent_.from_ns >= markers.back().start_ns);
}

void Model::note_change(const workload::Settings& before) {
  const workload::Settings now = session_->settings();
  if (now == before) return;
  if (!awaited_from_) in_force_ = before;
  // Turned back before it took effect, it leaves no marker.
  if (now == in_force_) {
    awaited_from_.reset();
  } else {
    awaited_from_ = live_edge_;
  }
}

void Model::read_capture() {
  capture_.counts = trace().counts();
  capture_.memory_bytes = trace().memory_bytes();
  capture_.memory_cap_bytes = trace().memory_cap_bytes();
  if (!session_) return;
  capture_.health = session_->capture_health();
  capture_.recorder_latency_ms = session_->recorder().health().latency_ms;
  capture_.run = paused() ? RunState::Paused : session_->runner().running() ? RunState::Running : RunState::Ended;
  if (session_->options().device == "auto" && session_->device().simulated) capture_.no_gpu = device::why_no_gpu();
}

std::optional<RunNotice> Model::notice() const {
  if (!session_) return run_notice(false, start_error_);
  return run_notice(session_->device_lost(), session_->runner().error());
}

std::pair<Nanoseconds, Nanoseconds> Model::extent() const {
  auto [from, to] = trace().extent();
  to = live() ? live_edge_ : to;
  return {from, std::max(to, from + 1)};
}

void Model::set_paused(bool paused) {
  if (session_) session_->pacer().pause(paused);
}

void Model::set_speed(double speed) {
  if (virtual_time()) session_->pacer().set_speed(speed);
}

std::string Model::set(std::string_view key, const workload::Value& value) {
  if (!session_) return {};
  try {
    const workload::Settings before = session_->settings();
    session_->set(key, value);
    note_change(before);
    return {};
  } catch (const base::Error& error) {
    return error.what();
  }
}

std::string Model::assign(const std::vector<std::string>& assignments) {
  if (!session_) return {};
  try {
    const workload::Settings before = session_->settings();
    session_->assign(assignments);
    note_change(before);
    return {};
  } catch (const base::Error& error) {
    return error.what();
  }
}

void Model::say_again() {
  judge(recent_);
  judge(before_change_);
}

io::RunFacts Model::facts() const {
  io::RunFacts facts = facts_;
  if (session_) {
    const workload::Settings settings = session_->settings();
    facts.settings.clear();
    for (const auto& spec : settings.specs()) facts.settings[spec.key] = workload::to_text(settings.value(spec.key));
  }
  return facts;
}

std::string Model::title() const { return session_ ? session_->workload().title : file_title_; }

device::DeviceInfo Model::shown_device() const {
  if (session_) return session_->device();
  device::DeviceInfo info;
  if (file_.string().starts_with(kRecordedPrefix)) info.id = file_.string();
  info.name = facts_.device_name;
  info.simulated = facts_.simulated;
  return info;
}

session::SessionOptions Model::options_now() const {
  session::SessionOptions options = last_options_;
  if (session_) {
    options = session_->options();
    options.speed = session_->pacer().speed();
    const workload::Settings standard = workload::default_settings(options.workload, session_->device());
    const workload::Settings settings = session_->settings();
    const auto asked_for = [&](const std::string& key) {
      return std::any_of(session_->options().assignments.begin(), session_->options().assignments.end(),
                         [&](const std::string& assignment) { return assignment.starts_with(key + "="); });
    };
    options.assignments.clear();
    for (const workload::SettingSpec& spec : settings.specs()) {
      if (settings.value(spec.key) == standard.value(spec.key) && !asked_for(spec.key)) continue;
      options.assignments.push_back(spec.key + "=" + workload::to_text(settings.value(spec.key)));
    }
    return options;
  }
  const auto names = workload::workload_names();
  if (std::find(names.begin(), names.end(), facts_.workload) == names.end()) return options;
  options.workload = facts_.workload;
  options.assignments.clear();
  // What a file says need not hold here; what it cost to dispatch there does not.
  workload::Settings settings = workload::default_settings(options.workload, device::DeviceInfo{});
  const workload::Settings standard = settings;
  for (const auto& [key, value] : facts_.settings) {
    try {
      if (key == "dispatch_us") continue;
      settings.set_text(key, value);
      if (settings.value(key) != standard.value(key)) options.assignments.push_back(key + "=" + value);
    } catch (const base::UsageError&) {
      continue;
    }
  }
  return options;
}

}  // namespace lanescope::ui
