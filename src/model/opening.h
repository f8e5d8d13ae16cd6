// A trace file is opened beside the drawing: what was shown stays until all of the new one is there.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/background_job.h"
#include "model/read_file.h"

namespace lanescope::ui {

class Opening {
 public:
  Opening() = default;
  ~Opening();  ///< stops what is under way, and waits for that
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  /// Begins; what was being opened is given up. The file's errors come with take().
  void open(const std::filesystem::path& path);
  void open(const RecordedCapture& capture);
  /// Gives up: what is shown stays. The thread ends by itself within a moment.
  void cancel();
  /// Something is being opened.
  bool running() const { return job_ != nullptr; }
  /// The last one could not be, and there is nothing else to show: why. Until something else is begun.
  void fail(std::string why) { failure_ = std::move(why); }
  const std::string& failure() const { return failure_; }
  /// Once per frame: the file, when all of it is there. Throws what reading it has thrown; nothing is running then.
  std::optional<ReadFile> take();

  /// What is being opened, while running().
  const std::string& title() const { return job_->title; }
  const FileProgress& progress() const { return job_->progress; }
  /// Of the whole work, 0 to 1; guessed where the size of the file says little (a pipe).
  float fraction() const;
  /// It has taken so long that a person should be told.
  bool worth_showing() const;

 private:
  struct Job {
    FileProgress progress;
    std::string title;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    base::BackgroundJob<ReadFile> result;  // reads `progress`
  };
  void begin(std::string title, std::function<ReadFile(FileProgress&)> read);
  void forget_ended();

  std::unique_ptr<Job> job_;
  std::string failure_;
  std::vector<std::unique_ptr<Job>> given_up_;  // until their threads have ended
};

}  // namespace lanescope::ui
