// Opens a trace file in the background: the old source stays visible until the new one is complete.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/background_job.h"
#include "base/time.h"
#include "model/source/read_file.h"

namespace lanescope::ui {

class Opening {
 public:
  Opening() = default;
  ~Opening() { cancel(); }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  /// Starts opening; cancels any opening in progress. take() throws the file's errors. Several become one trace.
  void open(std::vector<std::filesystem::path> files);
  void open(const std::filesystem::path& file) { open(std::vector{file}); }
  void open(const RecordedCapture& capture);
  /// Cancels the opening; the window keeps what it shows.
  void cancel();
  /// Something is being opened.
  bool running() const { return job_ != nullptr; }
  /// Keeps the reason why the last opening failed, if nothing else is shown. The next opening clears it.
  void fail(std::string why) { failure_ = std::move(why); }
  const std::string& failure() const { return failure_; }
  /// Once per frame: returns the file once it is complete. Rethrows reading errors; nothing is running after that.
  std::optional<ReadFile> take();

  /// The name of what is being opened; only while running().
  const std::string& title() const { return job_->title; }
  const FileProgress& progress() const { return *job_->progress; }
  /// Progress of the whole work, 0 to 1; a guess where the file's size says little (a pipe).
  float fraction() const;
  /// How long the rest will take, if it goes on like this; empty while that is hardly known.
  std::optional<std::chrono::seconds> left() const;
  /// It has taken long enough to show progress to the user.
  bool worth_showing() const;

 private:
  struct Job {
    std::shared_ptr<FileProgress> progress = std::make_shared<FileProgress>();
    std::string title;
    std::chrono::steady_clock::time_point begun = base::now();
    base::BackgroundJob<ReadFile> result;
  };
  void begin(std::string title, std::function<ReadFile(FileProgress&)> read);

  std::unique_ptr<Job> job_;
  std::string failure_;
};

}  // namespace lanescope::ui
