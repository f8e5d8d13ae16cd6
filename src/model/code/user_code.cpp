// The code beside a program of the user's: one of its source files, with what each line costs.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/advice/advice.h"
#include "model/code/call_stack.h"
#include "model/code/code_state.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using analysis::LineCosts;
using trace::LaneKind;

constexpr std::int64_t kCodeMostEvents = 1'000'000;
constexpr Nanoseconds kStretch = static_cast<Nanoseconds>(RecentFigures::kSeconds * 1e9);
/// A call that has not returned for so long is where the program is.
constexpr Nanoseconds kHangs = 200 * base::kMillisecond;
constexpr std::size_t kTab = 8, kIndent = 4;

/// A line of a file as the view draws it: whole levels of indent, and the rest of the white space in the text.
Statement as_statement(const std::string& line) {
  std::size_t column = 0, at = 0;
  for (; at < line.size() && (line[at] == ' ' || line[at] == '\t'); ++at) {
    column = line[at] == '\t' ? (column / kTab + 1) * kTab : column + 1;
  }
  Statement statement;
  if (at == line.size()) return statement;
  statement.indent = static_cast<int>(column / kIndent);
  statement.text = std::string(column % kIndent, ' ');
  for (; at < line.size(); ++at) {
    if (line[at] == '\t') {
      statement.text += ' ';
    } else {
      statement.text += line[at];
    }
  }
  return statement;
}

std::string code_key_of(std::size_t line) { return std::to_string(line + 1); }

}  // namespace

void CodeState::show_file(const std::string& recorded, std::uint32_t line) {
  file_ = recorded;
  wanted_line_ = line;
}

std::optional<std::size_t> CodeState::line_of_site(std::uint32_t site) const {
  if (site == 0 || site > line_of_site_.size()) return std::nullopt;
  const std::uint32_t line = line_of_site_[site - 1];
  return line == 0 || line > code_.size() ? std::nullopt : std::optional<std::size_t>(line - 1);
}

void CodeState::update_user(const Model& model, const Situation& situation, Clock::time_point now) {
  of_user_ = true;
  if (std::optional<Findings> done = job_.take(); done && !done->lines.empty()) take_lines(model, std::move(*done));
  choose_file(model, situation);
  show_lines(model);
  if (situation.seen && !job_.busy()) look_user(model, now);
  if (!situation.selected) {
    located_.reset();
  } else if (located_ != situation.selected || !located_at_) {  // the line of a call may become known later
    located_ = situation.selected;
    located_at_ = line_of_site(site_of(model.analysis().links(), *located_));
  }
  pointed_to_ = located_ ? located_at_ : std::nullopt;
  gliding_ = false;
  if (code_.empty()) return;
  light(model, situation);
  glide(situation);
}

void CodeState::take_lines(const Model& model, Findings look) {
  line_costs_ = std::move(look.lines);
  idle_of_site_ = std::move(look.idle_of_site);
  iterations_ = line_costs_.iterations;
  iteration_ns_ =
      per_second() ? static_cast<double>(base::kSecond) : line_costs_.of_all(static_cast<double>(line_costs_.known_ns));
  const base::NameTable& names = model.trace().names();
  std::map<trace::NameId, Nanoseconds> seen;
  for (const auto& [place, cost] : line_costs_.lines) seen.try_emplace(place.file, 0);
  for (const auto& [file, waiting] : line_costs_.waiting) seen[file] = waiting;
  for (const auto& [file, waiting] : seen) {
    const std::string path(names.text(file));
    const auto known =
        std::find_if(user_files_.begin(), user_files_.end(), [&](const UserFile& f) { return f.path == path; });
    if (known != user_files_.end()) {
      known->waiting_ns = waiting;
    } else {
      user_files_.push_back({path, waiting, trace::is_library_file(path)});
    }
  }
  std::stable_sort(user_files_.begin(), user_files_.end(), [](const UserFile& a, const UserFile& b) {
    return a.library != b.library ? b.library : a.waiting_ns > b.waiting_ns;
  });
  cost_lines(model);
}

// The file of what is selected; else the one that was chosen; else the one that waits most.
void CodeState::choose_file(const Model& model, const Situation& situation) {
  if (situation.selected && situation.selected != followed_) {
    const bool by_line = went_to && *went_to == *situation.selected;
    const CallStack stack = call_stack(model.trace(), site_of(model.analysis().links(), *situation.selected), nullptr);
    if (const StackLine* own = stack.own_line(); own && !by_line) file_ = own->file;
    if (!stack.lines.empty() || by_line) followed_ = situation.selected;
  }
  if (!situation.selected) followed_.reset();
  if (file_.empty() && !user_files_.empty() && !user_files_.front().library) file_ = user_files_.front().path;
}

void CodeState::show_lines(const Model& model) {
  const trace::CallSites& sites = model.trace().sites();
  const std::vector<std::string>* lines = file_.empty() ? nullptr : files.lines(file_);
  const bool read = lines ? lines->size() == code_.size() : code_.empty();
  const bool changed = shown_file_ != file_ || !read;
  if (changed) {
    const bool same = shown_file_ == file_;
    shown_file_ = file_;
    file_id_ = model.trace().names().find(file_);
    code_.clear();
    keys_.clear();
    line_of_site_.clear();
    light_ = {};
    bars_.clear();
    if (!same) chosen_.clear();
    in_view.reset();
    located_at_.reset();
    if (lines) {
      for (const std::string& line : *lines) code_.push_back(as_statement(line));
    }
    keys_.resize(code_.size());
    cost_lines(model);
    // The first lines of a file are its imports.
    std::optional<std::size_t> first;
    double most = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const LineCost* own = cost(i);
      if (!own || own->host_ns() <= most) continue;
      most = own->host_ns();
      first = i;
    }
    scroll_to = first;
  }
  // Stacks never change, so each is looked at once.
  const std::size_t known = sites.size();
  while (line_of_site_.size() < known && file_id_ != 0) {
    const auto site = static_cast<std::uint32_t>(line_of_site_.size() + 1);
    line_of_site_.push_back(analysis::innermost_line(sites.stack(site), file_id_));
  }
  if (wanted_line_ != 0 && wanted_line_ <= code_.size()) scroll_to = wanted_line_ - 1;
  wanted_line_ = 0;
}

void CodeState::cost_lines(const Model& model) {
  costs_.clear();
  all_host_ns_ = scale_ns_ = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].clear();
    code_[i].ranges.clear();
  }
  const auto first = line_costs_.lines.lower_bound({file_id_, 0});
  for (auto at = first; at != line_costs_.lines.end() && at->first.file == file_id_; ++at) {
    const std::size_t line = at->first.line - std::size_t{1};
    if (line >= code_.size()) continue;
    const analysis::LineCost& sum = at->second;
    keys_[line] = code_key_of(line);
    code_[line].ranges = {keys_[line]};  // it runs
    LineCost& cost = costs_[keys_[line]];
    cost.ns = {line_costs_.time_of_recorded(sum.cpu_ns), line_costs_.of_all(static_cast<double>(sum.wait_ns)),
               line_costs_.time_of_recorded(sum.gpu_ns)};
    cost.per_iteration = line_costs_.of_recorded(static_cast<double>(sum.count));
    cost.example = sum.example;
    all_host_ns_ += cost.host_ns();
    for (const double ns : cost.ns) scale_ns_ = std::max(scale_ns_, ns);
  }
  for (const auto& [site, idle] : idle_of_site_) {
    const std::uint32_t line = analysis::innermost_line(model.trace().sites().stack(site), file_id_);
    if (line != 0 && line <= keys_.size() && costs_.contains(keys_[line - 1])) costs_[keys_[line - 1]].idle_ns += idle;
  }
  find_costliest();
}

void CodeState::look_user(const Model& model, Clock::time_point now) {
  if (now - started_ < kBetweenLooks) return;
  LineCosts::Per per = LineCosts::Per::Second;
  std::pair<Nanoseconds, Nanoseconds> stretch;
  trace::GpuNumber gpu = trace::kNobody;
  if (model.recent().iteration.count > 0) {
    if (looked_at_ == model.recent_number() && !model.running() && std::exchange(looked_, true)) return;
    const std::optional<analysis::AdvicePlan> plan = plan_of(model, kCodeMostEvents);
    if (!plan) return;
    per = LineCosts::Per::Iteration;
    stretch = {plan->from_ns, plan->to_ns};
    gpu = plan->gpu;
  } else {
    const Nanoseconds edge = model.live_edge();
    stretch = {std::max(model.extent().first, edge - kStretch), edge};
  }
  if (stretch.second <= stretch.first || stretch == stretch_) return;
  stretch_ = stretch;
  started_ = now;
  looked_at_ = model.recent_number();
  job_.start([trace = model.shared_trace(), stretch, per, gpu](const base::Stop& stop) {
    return look_at_lines(*trace, stretch, per, gpu, stop);
  });
}

// Runs in the background.
CodeState::Findings CodeState::look_at_lines(const trace::Trace& trace, std::pair<Nanoseconds, Nanoseconds> stretch,
                                             LineCosts::Per per, trace::GpuNumber gpu, const base::Stop& stop) {
  Findings look;
  look.lines = analysis::line_costs(trace, stretch.first, stretch.second, per, &stop);
  if (per != LineCosts::Per::Iteration) return look;
  const analysis::Evidence evidence = analysis::gather(trace, stretch.first, stretch.second, &stop, gpu);
  for (const analysis::CallSite& site : evidence.sites) {
    const double idle = evidence.time_per_iteration(site.bubbles_ns());
    const std::uint32_t from = trace.sites().at(site.example.lane, site.example.start_ns);
    if (idle > 0 && from != 0) look.idle_of_site[from] += idle;
  }
  return look;
}

// What the program's threads were executing: the call that lasts at this time, else the last one before it.
std::optional<std::size_t> CodeState::line_at(const Model& model, Nanoseconds t) const {
  constexpr Nanoseconds kNear = 50 * base::kMillisecond;
  const trace::Trace& trace = model.trace();
  const trace::Trace::ReadLock lock(trace);
  std::optional<std::size_t> found;
  Nanoseconds newest = t - kNear;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = trace.lane(lane).info();
    if (info.kind != LaneKind::Calls && info.role != trace::LaneRole::Statements) continue;
    for (const trace::CallSites::NotedCall& noted : trace.sites().between(lane, newest, t + 1)) {
      const auto line = line_of_site(noted.site);
      if (!line || noted.start_ns < newest) continue;
      newest = noted.start_ns;
      found = line;
    }
    // A long wait began earlier.
    for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
      const trace::Row& row = trace.lane(lane).row(r);
      const trace::EventIndex i = row.first_ending_after(t, row.first(), row.last());
      if (i >= row.last() || row.start(i) > t || row.start(i) > newest) continue;
      if (const auto line = line_of_site(trace.sites().at(lane, row.start(i))); line && !found) found = line;
    }
  }
  return found;
}

// The line of a call that has been waiting for a while: it is where the program is now.
std::optional<std::size_t> CodeState::running_line(const Model& model) const {
  std::optional<std::size_t> found;
  Nanoseconds oldest = model.now() - kHangs;
  for (const trace::OpenCall& call : model.open_calls()) {
    const auto line = line_of_site(model.trace().sites().at(call.lane, call.start_ns));
    if (!line || call.start_ns > oldest) continue;
    oldest = call.start_ns;
    found = line;
  }
  return found;
}

}  // namespace lanescope::ui
