// A run of one of our workloads, on a simulated or a real device.
#pragma once

#include "model/source/source.h"

namespace lanescope::ui {

class LiveSource final : public Source,
                         private Growth,
                         private Steering,
                         private OpenCalls,
                         private CaptureMonitor,
                         private Restarting {
 public:
  /// Throws what session::Session throws.
  explicit LiveSource(const session::SessionOptions& options) : session_(options) {}

  /// Access for a second writer into the trace.
  session::Session& session() { return session_; }

  const trace::Trace& trace() const override { return session_.trace(); }
  io::RunFacts facts() const override;
  std::string title() const override { return session_.workload().title; }
  device::DeviceInfo device() const override { return session_.device(); }
  bool own() const override { return true; }
  bool exclusive() const override { return !session_.device().simulated; }

  Growth* growth() override { return this; }
  Steering* steering() override { return this; }
  OpenCalls* open_calls() override { return this; }
  CaptureMonitor* capture_monitor() override { return this; }
  Restarting* restarting() override { return this; }

 private:
  void start() override { session_.start(); }
  void end() override { session_.release(); }
  void advance(std::chrono::steady_clock::time_point until) override { session_.advance(until); }
  bool running() const override { return session_.runner().running(); }
  Nanoseconds live_edge_ns() const override { return session_.live_edge_ns(); }
  Nanoseconds now_ns() const override { return session_.now_ns(); }
  std::optional<RunNotice> notice() const override;
  void set_memory_cap(std::size_t bytes) override { session_.set_memory_cap(bytes); }

  bool paused() const override { return session_.pacer().paused(); }
  void set_paused(bool paused) override { session_.pacer().pause(paused); }
  bool virtual_time() const override { return session_.device().virtual_time; }
  double speed() const override { return session_.pacer().speed(); }
  void set_speed(double speed) override { session_.pacer().set_speed(speed); }

  const workload::WorkloadInfo& workload() const override { return session_.workload(); }
  workload::Settings settings() const override { return session_.settings(); }
  std::uint32_t settings_version() const override { return session_.settings_version(); }
  void set(std::string_view key, const workload::Value& value) override { session_.set(key, value); }
  void assign(const std::vector<std::string>& assignments) override { session_.assign(assignments); }
  std::vector<workload::Figure> figures() const override { return session_.runner().figures(); }
  session::SessionOptions options() const override;

  std::vector<trace::OpenCall> calls() const override { return session_.open_calls(); }

  trace::CaptureHealth health() const override { return session_.capture_health(); }
  double recorder_latency_ms() const override { return session_.recorder().health().latency_ms; }
  std::string no_gpu() const override;

  Recipe recipe() const override;

  session::Session session_;
};

/// Starts a run of one of our workloads.
Recipe run_recipe(const session::SessionOptions& options);

}  // namespace lanescope::ui
