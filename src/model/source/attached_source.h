// A program of the user's, watched while it runs.
#pragma once

#include <memory>

#include "attach/attachment.h"
#include "model/source/attach_recipe.h"

namespace lanescope::ui {

class AttachedSource final : public Source,
                             private Growth,
                             private OpenCalls,
                             private CaptureMonitor,
                             private Restarting,
                             private Watching {
 public:
  explicit AttachedSource(std::shared_ptr<attach::Attachment> attachment) : attachment_(std::move(attachment)) {}

  const trace::Trace& trace() const override { return attachment_->trace(); }
  io::RunFacts facts() const override;
  std::string title() const override;
  device::DeviceInfo device() const override;
  SourceWords words() const override;
  bool own() const override { return false; }

  Growth* growth() override { return this; }
  OpenCalls* open_calls() override { return this; }
  CaptureMonitor* capture_monitor() override { return this; }
  Restarting* restarting() override { return this; }
  Watching* watching() override { return this; }

 private:
  void start() override { attachment_->start(); }
  /// The program goes on.
  void end() override { attachment_->detach(); }
  bool running() const override { return attachment_->running(); }
  Nanoseconds live_edge_ns() const override { return attachment_->live_edge_ns(); }
  Nanoseconds now_ns() const override { return attachment_->now_ns(); }
  std::optional<RunNotice> notice() const override { return std::nullopt; }
  void set_memory_cap(std::size_t bytes) override { attachment_->set_memory_cap(bytes); }

  std::vector<trace::OpenCall> calls() const override { return attachment_->open_calls(); }

  trace::CaptureHealth health() const override { return attachment_->state().health; }
  double recorder_latency_ms() const override { return 0; }  // there is no queue
  std::string no_gpu() const override { return {}; }

  Recipe recipe() const override;

  attach::AttachState watched() const override { return attachment_->state(); }
  const attach::Command& command() const override { return attachment_->options().command; }
  attach::Intensity intensity() const override { return attachment_->intensity(); }
  void set_intensity(const attach::Intensity& intensity) override { attachment_->set_intensity(intensity); }
  Nanoseconds boosted_ns() const override { return attachment_->boosted_ns(); }
  void record_for(Nanoseconds duration_ns) override { attachment_->record_for(duration_ns); }
  void choose_loop(std::uint32_t pid, std::optional<attach::LoopKey> loop) override {
    attachment_->choose_loop(pid, loop);
  }
  bool knobs_on() const override { return attachment_->options().knobs; }
  void look_for_knobs(std::uint32_t pid) override { attachment_->look_for_knobs(pid); }
  void try_knob(std::uint32_t pid, const attach::TrialPlan& plan) override { attachment_->try_knob(pid, plan); }
  void stop_trial(std::uint32_t pid) override { attachment_->stop_trial(pid); }
  void set_own_knob(std::uint32_t pid, const std::string& name, const std::string& value) override {
    attachment_->set_own_knob(pid, name, value);
  }

  std::shared_ptr<attach::Attachment> attachment_;
};

}  // namespace lanescope::ui
