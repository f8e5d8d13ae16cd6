#include "model/source/job_folder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/job_of_ranks.h"
#include "io/summary_file.h"
#include "io/trace_file.h"
#include "model/source/file_source.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;
using analysis::JobMap;
using analysis::JobSummary;

constexpr std::size_t kMostProblems = 3;
/// An earlier look costs a copy of what was read.
constexpr std::size_t kMostCopied = 1'500'000;  // collectives: 100 MB

bool is_folder(const std::vector<fs::path>& files) {
  std::error_code unknown;
  return files.size() == 1 && fs::is_directory(files.front(), unknown);
}
bool is_summary(const fs::path& path) { return path.extension() == io::kSummaryEnding; }

/// None where there are none.
std::vector<fs::path> listed(std::vector<fs::path> (*list)(const fs::path&), const fs::path& folder) {
  try {
    return list(folder);
  } catch (const base::FileError&) {
    return {};
  }
}

struct JobFiles {
  std::vector<fs::path> summaries, recordings;
};
JobFiles files_of(const std::vector<fs::path>& files) {
  JobFiles of;
  if (files.size() == 1) {
    const fs::path folder = is_folder(files) ? files.front() : files.front().parent_path();
    const fs::path here = folder.empty() ? fs::path(".") : folder;
    return {listed(io::summaries_in, here), listed(io::all_traces_in, here)};
  }
  std::set<fs::path> folders;
  for (const fs::path& file : files) {
    (is_summary(file) ? of.summaries : of.recordings).push_back(file);
    folders.insert(file.parent_path());
  }
  // Beside those that were named; of the others in these folders nothing was said.
  for (const fs::path& recording : of.recordings) {
    std::error_code unknown;
    if (const fs::path beside = io::summary_path(recording); fs::exists(beside, unknown))
      of.summaries.push_back(beside);
  }
  std::ranges::sort(of.summaries);
  of.summaries.erase(std::ranges::unique(of.summaries).begin(), of.summaries.end());
  return of;
}

/// Which recording each summary is of: a summary's name may go on after the recording's, "node3-rank17.summary".
class Beside {
 public:
  explicit Beside(const std::vector<fs::path>& recordings) {
    for (const fs::path& recording : recordings) by_summary_.emplace(io::summary_path(recording), recording);
  }
  const fs::path* recording_of(const fs::path& summary) const {
    std::string stem = summary.stem().string();
    for (;;) {
      const auto found = by_summary_.find(summary.parent_path() / (stem + std::string(io::kSummaryEnding)));
      if (found != by_summary_.end()) return &found->second;
      const std::size_t dash = stem.rfind('-');
      if (dash == std::string::npos || dash == 0) return nullptr;
      stem.resize(dash);
    }
  }

 private:
  std::map<fs::path, fs::path> by_summary_;
};

/// Makes summaries of recordings on a few threads.
class Reducing {
 public:
  struct Made {
    fs::path recording;
    std::vector<JobSummary> summaries;
    std::string problem;
  };
  explicit Reducing(std::vector<fs::path> recordings) : recordings_(std::move(recordings)) {
    const std::size_t most =
        std::min({recordings_.size(), kMostReaders, std::size_t{std::thread::hardware_concurrency()}});
    for (std::size_t i = 0; i < most; ++i) {
      try {
        progress_.push_back(std::make_unique<io::ReadProgress>());
        threads_.emplace_back([this, progress = progress_.back().get()] { work(*progress); });
      } catch (const std::system_error&) {  // there are too many, or this build has none: next() reads
        break;
      }
    }
  }
  ~Reducing() {
    {
      const std::lock_guard lock(mutex_);
      next_ = recordings_.size();
      for (const auto& progress : progress_) progress->cancelled = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Reducing(const Reducing&) = delete;
  Reducing& operator=(const Reducing&) = delete;

  /// In the order of the files; none at the end, or when it is cancelled.
  std::optional<Made> next(const std::atomic<bool>& cancelled) {
    constexpr std::chrono::milliseconds kLook{20};
    if (given_ == recordings_.size() || cancelled) return std::nullopt;
    if (threads_.empty()) {
      ++given_;
      return end_one(*begin_one(), nullptr);
    }
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [&] { return made_.contains(given_); })) {
      if (cancelled) return std::nullopt;
    }
    return std::move(made_.extract(given_++).mapped());
  }

 private:
  static constexpr std::size_t kMostReaders = 4;
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;  // read at a time, but for a larger file

  struct Begun {
    std::size_t index = 0;
    std::uintmax_t bytes = 0;
  };
  std::optional<Begun> begin_one() {
    std::unique_lock lock(mutex_);
    while (next_ < recordings_.size()) {
      std::error_code unknown;
      const std::uintmax_t bytes = fs::file_size(recordings_[next_], unknown);
      Begun begun{next_, unknown ? 0 : bytes};
      if (bytes_ == 0 || bytes_ + begun.bytes <= kMostBytes) {
        ++next_;
        bytes_ += begun.bytes;
        return begun;
      }
      changed_.wait(lock);
    }
    return std::nullopt;
  }
  Made end_one(const Begun& begun, io::ReadProgress* progress) {
    Made made{recordings_[begun.index], {}, {}};
    try {
      made.summaries = io::summaries_of_recording(made.recording, progress);
    } catch (const io::NotATrace&) {  // other JSON, such as what a join has written
    } catch (const std::exception& error) {
      made.problem = error.what();
    }
    const std::lock_guard lock(mutex_);
    bytes_ -= begun.bytes;
    return made;
  }
  void work(io::ReadProgress& progress) {
    while (const auto begun = begin_one()) {
      Made made = end_one(*begun, &progress);
      {
        const std::lock_guard lock(mutex_);
        made_.emplace(begun->index, std::move(made));
      }
      changed_.notify_all();
    }
  }

  const std::vector<fs::path> recordings_;
  std::vector<std::unique_ptr<io::ReadProgress>> progress_;  // of each thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, given_ = 0;
  std::uintmax_t bytes_ = 0;  // of those that are being read
  std::map<std::size_t, Made> made_;
  std::vector<std::thread> threads_;
};

/// To 1, 2 or 5 times a power of ten.
float rounded_up(float value) {
  const double wanted = static_cast<double>(value), ten = std::pow(10, std::floor(std::log10(std::max(1e-9, wanted))));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * ten >= wanted * (1 - 1e-6)) return static_cast<float>(times * ten);
  }
  return static_cast<float>(10 * ten);
}

}  // namespace

bool opens_as_job(const std::vector<fs::path>& files) {
  if (files.size() > kMostAsLanes) return true;
  if (files.size() != 1) return false;
  if (is_summary(files.front())) return true;
  if (!is_folder(files)) return false;
  const std::size_t recordings = listed(io::all_traces_in, files.front()).size();
  return recordings > kMostAsLanes || (recordings == 0 && !listed(io::summaries_in, files.front()).empty());
}

// --- reading ---------------------------------------------------------------------------------------------------------

struct JobFolder::Work {
  std::atomic<std::size_t> done{0}, total{0};
  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  std::shared_ptr<const JobLook> look;
  std::vector<std::string> problems;
  std::size_t problem_count = 0;

  void problem(const std::string& says) {
    const std::lock_guard lock(mutex);
    if (++problem_count <= kMostProblems) problems.push_back(says);
  }
};

void JobFolder::open(std::vector<fs::path> files) {
  close();
  files_ = std::move(files);
  const bool folder_of = files_.size() == 1 && is_summary(files_.front());
  const fs::path named = folder_of ? fs::absolute(files_.front()).parent_path() : files_.front();
  title_ = files_.size() > 1 ? title_of(files_)
                             : (named.has_filename() ? named : fs::absolute(named).parent_path()).filename().string();
  work_ = std::make_shared<Work>();
  job_.start([files = files_, work = work_] {
    try {
      read(files, *work);
    } catch (const io::Cancelled&) {
    } catch (const std::exception& error) {
      work->problem(error.what());
    }
    return true;
  });
}

void JobFolder::close() {
  if (work_) work_->cancelled = true;
  job_.leave();
  work_.reset();
  look_.reset();
  files_.clear();
  problems_.clear();
  problem_count_ = 0;
  ++version_;
}

void JobFolder::read(const std::vector<fs::path>& files, Work& work) {
  JobFiles of = files_of(files);
  const Beside beside(of.recordings);
  std::vector<JobSummary> summaries;
  std::vector<fs::path> recordings;  // of each summary; empty: not at hand
  std::set<fs::path> summarised;
  std::size_t collectives = 0;
  const auto check = [&] {
    if (work.cancelled) throw io::Cancelled("");
  };
  const auto keep = [&](JobSummary summary, const fs::path& recording) {
    if (summaries.size() == analysis::kMostJobRanks) return;
    collectives += summary.collectives.size();
    summaries.push_back(std::move(summary));
    recordings.push_back(recording);
  };
  auto looked = base::now();
  std::chrono::steady_clock::duration cost{};
  const auto publish = [&](bool last) {
    if (summaries.empty() || (!last && collectives > kMostCopied)) return;
    const auto begun = base::now();
    std::vector<JobSummary> copies = last ? std::move(summaries) : summaries;
    analysis::JobJoin join(copies.size());
    for (JobSummary& summary : copies) join.add(std::move(summary));
    copies.clear();
    auto look = std::make_shared<JobLook>();
    look->report = join.report(&look->map);
    for (const analysis::JoinedRank& rank : look->report.ranks) look->recordings.push_back(recordings[rank.added]);
    looked = base::now();
    cost = looked - begun;
    const std::lock_guard lock(work.mutex);
    work.look = std::move(look);
  };
  // Ever more seldom, so that most of the time is for reading.
  const auto publish_now_and_then = [&] {
    constexpr std::chrono::milliseconds kOften{500};
    constexpr int kShare = 8;
    if (base::now() - looked > std::max<std::chrono::steady_clock::duration>(kOften, kShare * cost)) publish(false);
  };

  work.total = of.summaries.size() + of.recordings.size();
  for (const fs::path& path : of.summaries) {
    check();
    const fs::path* recording = beside.recording_of(path);
    try {
      keep(io::read_summary(path), recording ? *recording : fs::path());
      if (recording) summarised.insert(*recording);
    } catch (const base::FileError& error) {
      work.problem(error.what());
    }
    ++work.done;
    publish_now_and_then();
  }
  work.total -= summarised.size();
  bool first = true;  // a picture early
  std::erase_if(of.recordings, [&](const fs::path& path) { return summarised.contains(path); });
  Reducing reducing(std::move(of.recordings));
  while (auto made = reducing.next(work.cancelled)) {
    check();
    if (!made->problem.empty()) work.problem(made->problem);
    for (JobSummary& summary : made->summaries) keep(std::move(summary), made->recording);
    ++work.done;
    if (std::exchange(first, false)) {
      publish(false);
    } else {
      publish_now_and_then();
    }
  }
  check();
  if (summaries.empty() && work.problem_count == 0) {
    work.problem(base::tr("nothing here has a GPU's work"));
  }
  publish(true);
}

bool JobFolder::update() {
  if (!work_) return false;
  job_.take();  // reading() asks whether it runs
  const std::lock_guard lock(work_->mutex);
  problems_ = work_->problems;
  problem_count_ = work_->problem_count;
  if (look_ == work_->look) return false;
  look_ = work_->look;
  ++version_;
  return true;
}

std::size_t JobFolder::done() const { return work_ ? work_->done.load() : 0; }
std::size_t JobFolder::total() const { return work_ ? work_->total.load() : 0; }

bool JobFolder::has(const std::vector<fs::path>& files) const {
  return files.size() == 1 && look_ && std::ranges::find(look_->recordings, files.front()) != look_->recordings.end();
}

// --- what is drawn ---------------------------------------------------------------------------------------------------

float map_value(const analysis::MapCell& cell, MapMeasure measure) {
  if (measure == MapMeasure::Lateness) return cell.late_ns;
  return cell.duration_ns > 0 ? std::min(1.0f, cell.idle_ns / cell.duration_ns)
                              : std::numeric_limits<float>::quiet_NaN();
}

std::uint8_t MapScale::step_of(float value) const {
  constexpr auto kLast = static_cast<float>(kRampSteps - 1);
  if (value <= from || to <= from) return 0;
  const float step =
      from > 0 ? 1 + kLast * std::log(value / from) / std::log(to / from) : static_cast<float>(kRampSteps) * value / to;
  return static_cast<std::uint8_t>(std::clamp(step + 1e-4f, 0.0f, kLast));
}

MapScale map_scale(const JobMap& map, MapMeasure measure) {
  constexpr float kMostOf = 0.9f;
  std::vector<float> values, ranks;
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    values.clear();
    for (std::size_t c = 0; c < map.iterations.size(); ++c) {
      if (const float value = map_value(map.at(r, c), measure); !std::isnan(value)) values.push_back(value);
    }
    if (values.empty()) continue;
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(std::floor(kMostOf * static_cast<float>(values.size() - 1)));
    std::ranges::nth_element(values, at);
    ranks.push_back(*at);
  }
  std::ranges::sort(ranks);
  const float most = ranks.empty() ? 0 : ranks.back(), usual = ranks.empty() ? 0 : ranks[ranks.size() / 2];
  if (measure == MapMeasure::Idle) return {0, std::min(1.0f, rounded_up(std::max(0.1f, most)))};
  constexpr float kNobodyIsLate = 10e3f;  // 10 µs
  const float from = rounded_up(std::max(kNobodyIsLate, usual));
  return {from, std::max(2 * from, rounded_up(most))};
}

MapGrid map_grid(const JobMap& map, MapMeasure measure, const MapScale& scale, std::size_t first, std::size_t count,
                 std::size_t most_lines, std::size_t most_columns) {
  MapGrid grid;
  first = std::min(first, map.rows.size());
  count = std::min(count, map.rows.size() - first);
  grid.lines = std::min(count, most_lines);
  grid.columns = std::min(map.iterations.size(), most_columns);
  if (grid.lines == 0 || grid.columns == 0) return grid;
  grid.steps.assign(grid.lines * grid.columns, MapGrid::kUnknown);
  grid.rows.assign(grid.steps.size(), static_cast<std::uint32_t>(first));
  std::vector<float> most(grid.steps.size(), -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = first + i, line = i * grid.lines / count;
    for (std::size_t c = 0; c < map.iterations.size(); ++c) {
      const std::size_t at = line * grid.columns + c * grid.columns / map.iterations.size();
      const float value = map_value(map.at(map.rows[row], c), measure);
      if (std::isnan(value) || value <= most[at]) continue;
      most[at] = value;
      grid.rows[at] = static_cast<std::uint32_t>(row);
      grid.steps[at] = scale.step_of(value);
    }
  }
  return grid;
}

}  // namespace lanescope::ui
