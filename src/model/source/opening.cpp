#include "model/source/opening.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "base/translate.h"
#include "model/source/file_source.h"

namespace lanescope::ui {
namespace {

constexpr std::chrono::milliseconds kPatience{250};  // a file that opens faster needs no bar
// How the work is divided: most of it is reading.
constexpr float kReadingShare = 0.85f, kArrangingShare = 0.10f;

}  // namespace

void Opening::open(std::vector<std::filesystem::path> files) {
  std::string title = title_of(files);
  begin(std::move(title), [files = std::move(files)](FileProgress& progress) { return read_files(files, &progress); });
}

void Opening::open(const RecordedCapture& capture) {
  begin(base::tr(capture.title), [capture](FileProgress& progress) { return read_recorded(capture, &progress); });
}

void Opening::begin(std::string title, std::function<ReadFile(FileProgress&)> read) {
  cancel();
  job_ = std::make_unique<Job>();
  job_->title = std::move(title);
  job_->result.start([read = std::move(read), progress = job_->progress] { return read(*progress); });
}

void Opening::cancel() {
  failure_.clear();
  if (job_) job_->progress->reading.cancelled = true;
  job_.reset();
}

std::optional<ReadFile> Opening::take() {
  if (!job_ || !job_->result.ready()) return std::nullopt;
  const std::unique_ptr<Job> done = std::move(job_);
  return done->result.take();
}

float Opening::fraction() const {
  const io::ReadProgress& reading = job_->progress->reading;
  if (job_->progress->analysing) {
    const float rest = 1 - kReadingShare - kArrangingShare;
    return kReadingShare + kArrangingShare + rest * job_->progress->analysed;
  }
  const auto total = static_cast<float>(reading.total);
  const float share = total > 0 ? std::min(1.0f, static_cast<float>(reading.done) / total) : 0;
  return reading.stage == io::ReadStage::Reading ? kReadingShare * share : kReadingShare + kArrangingShare * share;
}

std::optional<std::chrono::seconds> Opening::left() const {
  constexpr float kHardlyBegun = 0.02f;
  const float done = fraction();
  const std::chrono::duration<float> taken = base::now() - job_->begun;
  if (job_->progress->reading.total == 0 || done < kHardlyBegun || done >= 1 || taken.count() < 1) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(taken * ((1 - done) / done));
}

bool Opening::worth_showing() const { return base::now() - job_->begun > kPatience; }

}  // namespace lanescope::ui
