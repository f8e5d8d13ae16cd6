// Which waits cost time: how long a GPU idles because of a blocking call, as the analysis has found it.
#pragma once

#include <optional>
#include <vector>

#include "analysis/live_analysis.h"
#include "inspect/event_ref.h"
#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

/// The causes that are a call (or a statement that pins memory) during which, or after which, a GPU had nothing to run.
bool is_stall(analysis::BubbleCause cause);

/// A statement that reads a value back, or waits for the device.
bool waits_by_nature(const trace::Event& range);

/// A blocking call as it is drawn: its own cost, then one block in which it waits, copies and returns. A GPU idles
/// because of the end of the block, since it has run dry by then: [harm_from, to). The rest costs nothing.
struct StallBlock {
  Nanoseconds from = 0, harm_from = 0, to = 0;

  Nanoseconds lost() const { return to - harm_from; }
  /// Most of it costs time.
  bool harmful() const { return 2 * lost() > to - from; }
};

/// A blocking call and the gap that it causes.
struct Stall {
  EventRef call;
  StallBlock block;
  analysis::Bubble gap;
};

/// Answers for one frame. A gap is known once the operation after it is: until then nothing is known to be lost, so a
/// block gets the colour of harm in the same frame as its gap appears, and keeps it.
class Stalls {
 public:
  /// A wait that costs less than this share of itself is harmless: the GPU had work, and only missed the next launch.
  static constexpr double kHarmless = 0.02;

  /// Call once per frame, before the others. Both must outlive the frame. Without an analysis nothing is known to be
  /// lost.
  void begin(const trace::Trace& trace, const analysis::LiveAnalysis* analysis);

  /// A call that does not block is a block as a whole if it is a stall (it allocates), else it has none (from == to).
  StallBlock block(trace::LaneId lane, const trace::Event& call);
  /// The time that GPUs idled because of the lane's calls in [from, to); of many gaps, as often as because of the first
  /// ones.
  Nanoseconds lost(trace::LaneId lane, Nanoseconds from, Nanoseconds to);
  /// A range is a stall if a stall begins in it and it reads or waits by its nature, or if the block of one, or what
  /// the GPU idles because of all of them, is half as long as the range.
  bool stalls(trace::LaneId lane, const trace::Event& range);
  /// The costliest of those that begin in [from, to); a gap shorter than `least` does not count. Of several that cost
  /// about the same, the first that begins at or after `preferred`, so that the answer is the same for each iteration.
  std::optional<Stall> costliest(Nanoseconds from, Nanoseconds to, Nanoseconds least, Nanoseconds preferred);
  /// What a person calls it: the statement that reads or waits, "item()", or else the call.
  std::string_view statement(const Stall& stall) const;

 private:
  struct Gpu {
    trace::GpuNumber number = 0;
    const analysis::Bubbles* bubbles = nullptr;
    std::size_t near = 0;  // where the last search ended
  };

  bool belongs(const Gpu& gpu, trace::LaneId lane) const;
  bool same_thread(trace::LaneId a, trace::LaneId b) const;
  std::optional<EventRef> call_of(const analysis::Bubble& gap) const;
  template <typename Visit>
  void visit(Nanoseconds from, Nanoseconds to, Nanoseconds least, Visit visit) const;
  template <typename Matches>
  const analysis::Bubble* longest(trace::LaneId lane, Nanoseconds from, Nanoseconds to, Nanoseconds& sum,
                                  Matches matches);

  const trace::Trace* trace_ = nullptr;
  const analysis::LiveAnalysis* analysis_ = nullptr;
  std::vector<Gpu> gpus_;
};

}  // namespace lanescope::ui
