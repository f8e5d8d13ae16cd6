#include "ui/scope/average.h"

namespace lanescope::ui {

void AveragePicture::compute(const trace::Trace&, std::span<const Nanoseconds> triggers, Nanoseconds, Nanoseconds) {
  count_ = triggers.size();
}
bool AveragePicture::has(trace::LaneId) const { return false; }
void AveragePicture::draw(trace::LaneId, const TimeAxis&, Nanoseconds, const Theme&, float, float, float,
                          SpanBatch&) const {}

}  // namespace lanescope::ui
