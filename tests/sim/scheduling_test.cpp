// Random programs on many streams, checked afterwards: whenever an operation started, it was ready, its engine was
// free, and nothing else for that engine had been ready earlier.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

struct Issued {
  Nanoseconds arrival = 0;
  std::vector<std::size_t> after;  // operations that must have ended
  Engine engine = Engine::Compute;
  Nanoseconds start = 0, end = 0;
};

/// Issues random work and stores, call by call, what the rules require.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, const char* queue_depth)
      : rig_(Replaced{{"gpu.launch_queue_depth", queue_depth}}), random_(seed) {
    rig_.make_buffers(MemoryKind::Pinned, 1'000'000);
    streams_ = {Stream::Default, rig_->create_stream(false), rig_->create_stream(false), rig_->create_stream(true),
                rig_->create_stream(true)};
    for (GpuEvent& event : events_) event = rig_->create_event();
    known_.resize(streams_.size());
    recorded_.resize(events_.size());
  }

  void run(int calls) {
    for (int i = 0; i < calls; ++i) step();
    rig_.close();
    for (const trace::Event& e : rig_.sink.events) {
      if (!trace::is_gpu_work(e.kind)) continue;
      Issued& op = issued_[by_correlation_.at(e.correlation)];
      op.start = e.start_ns;
      op.end = e.end_ns;
    }
  }

  void check() const {
    for (std::size_t i = 0; i < issued_.size(); ++i) {
      const Issued& op = issued_[i];
      ASSERT_GT(op.end, op.start) << "operation " << i << " never ran";
      Nanoseconds engine_free = 0;
      for (std::size_t j = 0; j < issued_.size(); ++j) {
        const Issued& other = issued_[j];
        if (j == i || other.engine != op.engine) continue;
        if (other.start < op.start) {
          engine_free = std::max(engine_free, other.end);
        } else if (ready(j) < op.start) {
          // The other one was ready while this one was chosen, so this one must have been ready first.
          EXPECT_TRUE(ready(i) < ready(j) || (ready(i) == ready(j) && i < j)) << i << " was taken before " << j;
        }
      }
      EXPECT_EQ(op.start, std::max(ready(i), engine_free)) << "operation " << i;
    }
  }
  std::size_t size() const { return issued_.size(); }

 private:
  // What a stream has waited for so far: everything that must precede its next operation.
  using Past = std::vector<std::size_t>;

  Nanoseconds ready(std::size_t i) const {
    Nanoseconds t = issued_[i].arrival;
    for (const std::size_t before : issued_[i].after) t = std::max(t, issued_[before].end);
    return t;
  }
  int draw(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  static bool blocking(std::size_t stream) { return stream == 1 || stream == 2; }
  static void add(Past& to, const Past& from) { to.insert(to.end(), from.begin(), from.end()); }
  void join(std::size_t s) {
    if (s == 0) {
      for (std::size_t other = 1; other < streams_.size(); ++other) {
        if (blocking(other)) add(known_[0], known_[other]);
      }
    } else if (blocking(s)) {
      add(known_[s], known_[0]);
    }
  }
  void issue(std::size_t s, Engine engine, Nanoseconds latency) {
    join(s);
    Issued op;
    op.arrival = rig_->now_ns() + latency;
    op.after = known_[s];
    op.engine = engine;
    known_[s] = {issued_.size()};
    by_correlation_[last_call()] = issued_.size();
    issued_.push_back(op);
  }
  std::uint32_t last_call() const {
    std::uint32_t correlation = 0;
    for (auto e = rig_.sink.events.rbegin(); correlation == 0; ++e) {
      if (e->kind == trace::EventKind::Call) correlation = e->correlation;
    }
    return correlation;
  }

  void step() {
    const auto s = static_cast<std::size_t>(draw(static_cast<int>(streams_.size())));
    const auto e = static_cast<std::size_t>(draw(static_cast<int>(events_.size())));
    const auto bytes = static_cast<std::size_t>(1 + draw(1'000'000));
    switch (draw(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        rig_.kernel(100 + draw(300), streams_[s]);
        return issue(s, Engine::Compute, us(5));
      case 4:
      case 5:
        rig_->copy_async({rig_.gpu}, {rig_.host}, bytes, streams_[s]);
        return issue(s, Engine::CopyH2D, us(10));
      case 6:
      case 7:
        rig_->copy_async({rig_.host}, {rig_.gpu}, bytes, streams_[s]);
        return issue(s, Engine::CopyD2H, us(10));
      case 8:
        rig_->record(events_[e], streams_[s]);
        join(s);
        recorded_[e] = known_[s];
        was_recorded_[e] = true;
        return;
      case 9:
        rig_->wait(streams_[s], events_[e]);
        if (!was_recorded_[e]) return;  // nothing happens in the stream
        join(s);
        add(known_[s], recorded_[e]);
        return;
      case 10:
        return rig_->host_work(us(draw(600)));
      default:
        if (draw(4) == 0) rig_->synchronize(streams_[s]);
        if (draw(4) == 0) rig_->synchronize(events_[e]);
        rig_->query(events_[e]);
        return;
    }
  }

  // A record or wait reaches the device no later than any operation after it, so its own latency never matters. Neither
  // does a full queue: an operation's latency begins when its call returns.
  Rig rig_;
  std::mt19937 random_;
  std::vector<Stream> streams_;
  std::array<GpuEvent, 3> events_{};
  std::vector<Past> known_;
  std::vector<Past> recorded_;
  std::array<bool, 3> was_recorded_{};
  std::vector<Issued> issued_;
  std::map<std::uint32_t, std::size_t> by_correlation_;
};

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, FollowTheRules) {
  for (const char* queue_depth : {"3", "100000"}) {
    RandomProgram program(GetParam(), queue_depth);
    program.run(400);
    EXPECT_GT(program.size(), 200u);
    program.check();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(1u, 31u));

}  // namespace
}  // namespace lanescope::device::sim
