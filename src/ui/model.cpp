#include "ui/model.h"

#include <algorithm>

#include "base/error.h"

namespace lanescope::ui {
namespace {

// What "recent" means to somebody who watches: about the last second on the wall clock, and enough iterations to trust.
constexpr double kRecentSeconds = 1.0;
constexpr std::size_t kRecentIterations = 20;
constexpr std::chrono::milliseconds kSummaryPeriod{80};
constexpr std::chrono::milliseconds kOneTurn{1500};

}  // namespace

void Model::start_run(const session::SessionOptions& options) {
  auto session = std::make_unique<session::Session>(options);
  session_ = std::move(session);
  opened_ = {};
  file_.clear();
  begin_generation();
  session_->start();
}

void Model::open_file(const std::filesystem::path& path) {
  io::OpenedTrace opened = io::read_chrome_trace(path);
  session_.reset();
  opened_ = std::move(opened);
  file_ = path;
  begin_generation();
  live_edge_ = opened_.trace->extent().second;
  analysis_->update(std::numeric_limits<Nanoseconds>::max());
  analysis_->finish();
  recent_ = analysis::analyse(trace(), trace().extent().first, trace().extent().second);
}

void Model::begin_generation() {
  ++generation_;
  analysis_ = std::make_unique<analysis::LiveAnalysis>(trace());
  live_edge_ = 0;
  recent_ = before_change_ = {};
  markers_seen_ = 0;
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
  live_edge_ = std::max(live_edge_, session_->live_edge_ns());
  analysis_->update(live_edge_);
  const auto now = std::chrono::steady_clock::now();
  const bool turned = analysis_->markers().size() != markers_seen_;
  if (turned || now - summarised_ >= kSummaryPeriod) {
    summarised_ = now;
    summarise();
  }
}

void Model::summarise() {
  const auto& markers = analysis_->markers();
  if (markers.size() != markers_seen_) {
    markers_seen_ = markers.size();
    // A slider that is dragged turns the knob many times: "before" is what was before all of them.
    const auto now = std::chrono::steady_clock::now();
    if (now - turned_ > kOneTurn) before_change_ = recent_;
    turned_ = now;
  }
  const auto records = analysis_->records();
  if (records.empty()) return;
  Nanoseconds from = live_edge_ - static_cast<Nanoseconds>(kRecentSeconds * speed() * 1e9);
  if (records.size() > kRecentIterations) {
    from = std::min(from, records[records.size() - kRecentIterations].start_ns);
  } else {
    from = records.front().start_ns;
  }
  if (!markers.empty()) from = std::max(from, markers.back().start_ns);
  analysis::Summary summary = analysis_->window(from, live_edge_);
  if (summary.iteration.count > 0) recent_ = std::move(summary);
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
  if (session_) session_->pacer().set_speed(speed);
}

std::string Model::set(std::string_view key, const workload::Value& value) {
  if (!session_) return {};
  try {
    session_->set(key, value);
    return {};
  } catch (const base::Error& error) {
    return error.what();
  }
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

std::string Model::title() const { return session_ ? session_->workload().title : file_.filename().string(); }

}  // namespace lanescope::ui
