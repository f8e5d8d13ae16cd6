#include "capture/cupti/decoder.h"

#include <fmt/format.h>

#include <utility>

#include "base/translate.h"
#include "capture/assembly/assembler.h"
#include "capture/cupti/record_reader.h"

namespace lanescope::capture::cupti {
namespace {

constexpr Nanoseconds kCompareInterval = base::kSecond;

}  // namespace

class Decoder::Impl {
 public:
  Impl(const CuptiTable& table, trace::EventSink& sink, ClockMap clock, Counts& counts)
      : table_(table),
        sink_(sink),
        clock_(std::move(clock)),
        counts_(counts),
        names_(table_, sink),
        launches_(sink),
        reader_(table_, clock_, names_, launches_, counts),
        assembler_(sink, counts) {}

  void take(std::uint8_t* buffer, std::size_t valid_bytes) {
    if (!buffer || valid_bytes == 0) return;
    look_at_clocks();
    const Nanoseconds now = clock_.now_ns();
    CUpti_Activity* activity = nullptr;
    std::uint64_t received = 0;
    for (;;) {
      const CUptiResult result = table_.get_next_record(buffer, valid_bytes, &activity);
      if (result != CUPTI_SUCCESS || !activity) {
        // The end, or an unreadable record, after which no other can be found.
        if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) add(counts_.unknown_kind);
        break;
      }
      ++received;
      take(*activity, now);
    }
    add(counts_.received, received);
    assembler_.relieve(now);
  }

  void advance(const Progress& progress) { assembler_.advance(progress, clock_.now_ns()); }
  void finish() { assembler_.finish(clock_.now_ns()); }
  Assembler& assembler() { return assembler_; }

 private:
  void take(const CUpti_Activity& activity, Nanoseconds now) {
    try {
      Record record;
      if (reader_.read(activity, now, record)) assembler_.add(record);
    } catch (...) {
      add(counts_.dropped);  // out of memory, or the sink accepts no more names
    }
  }

  // CUPTI's clock is only reliable once CUDA is initialised, so it is first read when there is a record.
  void look_at_clocks() {
    const Nanoseconds now = clock_.now_ns();
    if (clock_.known() && now - compared_ns_ < kCompareInterval) return;
    compared_ns_ = now;
    if (!clock_.compare()) return;
    add(counts_.clock_steps);
    try {
      assembler_.mark(
          now, sink_.name(base::tr("the capture's clock moved by {}", base::format_duration(clock_.last_jump_ns()))));
    } catch (...) {
      // The step is counted; losing its marker is better than losing the buffer.
    }
  }

  const CuptiTable table_;
  trace::EventSink& sink_;
  ClockMap clock_;
  Counts& counts_;
  Names names_;
  Launches launches_;
  RecordReader reader_;
  Assembler assembler_;
  Nanoseconds compared_ns_ = 0;
};

Decoder::Decoder(const CuptiTable& table, trace::EventSink& sink, ClockMap clock, Counts& counts)
    : impl_(std::make_unique<Impl>(table, sink, std::move(clock), counts)) {}

Decoder::~Decoder() = default;

void Decoder::set_main_thread(std::uint32_t tid) { impl_->assembler().set_main_thread(tid); }

// No exception may leave these functions: they run on a thread that is never joined. An exception costs at most one
// clock comparison, or occurs because memory ran out.
void Decoder::take(std::uint8_t* buffer, std::size_t valid_bytes) {
  try {
    impl_->take(buffer, valid_bytes);
  } catch (...) {
  }
}

void Decoder::advance(const Progress& progress) {
  try {
    impl_->advance(progress);
  } catch (...) {
  }
}

Nanoseconds Decoder::complete_until() const { return impl_->assembler().complete_until(); }

void Decoder::finish() {
  try {
    impl_->finish();
  } catch (...) {
  }
}

}  // namespace lanescope::capture::cupti
