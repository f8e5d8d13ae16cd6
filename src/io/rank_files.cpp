#include "io/rank_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "base/translate.h"
#include "io/trace_file.h"

namespace lanescope::io {
namespace {

namespace fs = std::filesystem;
using base::tr;

constexpr std::chrono::milliseconds kReportEvery{20};

/// One file while it is read.
struct Part {
  fs::path path;
  std::uint64_t bytes = 0;
  ReadProgress progress;
  OpenedTrace opened;
  std::exception_ptr error;
  bool no_trace = false;
};

class Reading {
 public:
  Reading(const std::vector<fs::path>& files, const ReadLimits& limits, bool leave_out)
      : limits_(limits), leave_out_(leave_out) {
    for (const fs::path& file : files) {
      parts_.push_back(std::make_unique<Part>());
      parts_.back()->path = file;
      std::error_code unknown;
      const std::uintmax_t bytes = fs::file_size(file, unknown);
      if (!unknown) parts_.back()->bytes = bytes;
    }
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = std::min(parts_.size(), cores);
    running_ = wanted;  // from here on the threads count it down
    try {
      while (threads_.size() < wanted) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // there are too many, or this build has none
      {
        const std::lock_guard lock(mutex_);
        running_ -= wanted - threads_.size() - 1;
      }
      work();
    }
  }
  ~Reading() {
    cancel_after(0);
    for (std::thread& thread : threads_) thread.join();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  void wait(ReadProgress* progress) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kReportEvery, [&] { return running_ == 0; })) {
      if (!progress) continue;
      if (progress->cancelled) cancel_after(0);
      report(*progress);
    }
    if (progress && progress->cancelled) throw Cancelled("");
    const bool any = std::ranges::any_of(parts_, [](const auto& part) { return !part->no_trace; });
    for (const auto& part : parts_) {
      if (part->error && !(part->no_trace && any)) std::rethrow_exception(part->error);
    }
  }

  std::vector<std::unique_ptr<Part>>& parts() { return parts_; }

 private:
  void work() {
    for (std::size_t i = next_++; i < parts_.size(); i = next_++) {
      Part& part = *parts_[i];
      try {
        StopCheck(part.progress).now();
        part.opened = read_file(part.path, &part.progress, limits_);
      } catch (const NotATrace&) {
        part.error = std::current_exception();
        part.no_trace = leave_out_;
        if (!leave_out_) cancel_after(i + 1);
      } catch (...) {
        part.error = std::current_exception();
        cancel_after(i + 1);  // those before it may still fail, and are named first
      }
    }
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) ended_.notify_all();
  }
  void cancel_after(std::size_t first) {
    for (std::size_t i = first; i < parts_.size(); ++i) parts_[i]->progress.cancelled = true;
  }
  // Bytes, until all files have been read.
  void report(ReadProgress& progress) const {
    std::uint64_t bytes_read = 0, bytes = 0, arranged = 0, to_arrange = 0, events = 0;
    bool reading = false;
    for (const auto& part : parts_) {
      const ReadProgress& own = part->progress;
      const bool being_read = own.stage == ReadStage::Reading;
      reading |= being_read;
      bytes += part->bytes;
      bytes_read += being_read ? std::min<std::uint64_t>(own.done, part->bytes) : part->bytes;
      if (!being_read) arranged += own.done;
      if (!being_read) to_arrange += own.total;
      events += own.events;
    }
    progress.events = events;
    progress.done = reading ? bytes_read : arranged;
    progress.total = reading ? bytes : to_arrange;
    progress.stage = reading ? ReadStage::Reading : ReadStage::Arranging;
    if (!progress.picture.asked()) return;
    std::vector<FirstPicture::Look> looks;
    for (const auto& part : parts_) looks.push_back(part->progress.picture.look());
    progress.picture.show(std::move(looks));
  }

  const ReadLimits limits_;
  const bool leave_out_;  // files that are no traces
  std::vector<std::unique_ptr<Part>> parts_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;  // of the threads
  std::vector<std::thread> threads_;
};

/// Their names; with the folder, where files of several folders have one name.
std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::map<fs::path, int> with_name;
  for (const fs::path& file : files) ++with_name[file.filename()];
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path().filename();
    names.push_back(with_name[file.filename()] == 1 ? file.filename().string() : (folder / file.filename()).string());
  }
  return names;
}

}  // namespace

void check_files(const std::vector<fs::path>& files) {
  if (files.size() > kMostFiles) {
    throw base::FileError(tr("{} traces; at most {} are opened at once", files.size(), kMostFiles));
  }
  std::map<fs::path, std::size_t> known;  // links followed
  for (std::size_t i = 0; files.size() > 1 && i < files.size(); ++i) {
    std::error_code unknown;
    if (fs::is_directory(files[i], unknown)) {
      throw base::FileError(tr("{}: a folder among several files; give one folder, or only files", files[i].string()));
    }
    fs::path real = fs::canonical(files[i], unknown);
    if (unknown) continue;  // reading it says why
    if (!known.try_emplace(std::move(real), i).second) {
      throw base::FileError(tr("{}: the same file is given twice", files[i].string()));
    }
  }
}

std::vector<RankTrace> read_ranks(const std::vector<fs::path>& files, ReadProgress* progress, const ReadLimits& limits,
                                  std::vector<std::string>* others) {
  Reading reading(files, limits, others != nullptr);
  reading.wait(progress);
  const std::vector<std::string> names = names_of(files);
  std::vector<RankTrace> ranks;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Part& part = *reading.parts()[i];
    if (part.no_trace) {
      others->push_back(names[i]);
    } else {
      ranks.push_back({names[i], std::move(part.opened)});
    }
  }
  return ranks;
}

}  // namespace lanescope::io
