#include "inspect/name_figures.h"

namespace lanescope::ui {
namespace {

constexpr std::chrono::milliseconds kBetween{500};  // while the trace grows

}  // namespace

void NameFigures::update(const trace::SharedTrace& trace, const std::optional<Subject>& wanted, Clock::time_point now) {
  if (auto result = job_.take(); result && result->subject == subject_) {
    figures_ = std::move(result->figures);
    exact_ = result->exact;
  }
  due_ = false;
  const bool other = wanted != subject_;
  if (other) {
    job_.supersede();
    subject_ = wanted;
    figures_.reset();
    recorded_ = 0;
  }
  if (!subject_) return;
  const std::uint64_t recorded = trace->counts().recorded;
  if (figures_ && recorded == recorded_) return;
  due_ = true;
  if (job_.busy() || (figures_ && now - started_ < kBetween)) return;
  due_ = false;
  started_ = now;
  recorded_ = recorded;
  job_.start([trace, subject = *subject_](const base::Stop& stop) {
    Result result{subject, {}, true};
    result.figures = name_statistics(*trace, subject.name, subject.kind, &stop, &result.exact);
    return result;
  });
}

void NameFigures::end() {
  job_.leave();
  subject_.reset();
  figures_.reset();
  recorded_ = 0;
}

}  // namespace lanescope::ui
