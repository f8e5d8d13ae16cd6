// Base class of the workloads that issue PyTorch operations.
#pragma once

#include <cstddef>
#include <utility>

#include "workload/common_settings.h"
#include "workload/eager.h"
#include "workload/graphed_step.h"
#include "workload/workload.h"

namespace lanescope::workload {

class EagerWorkload : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }
  void finish() override { eager_.synchronize(); }

 protected:
  EagerWorkload(device::Device& device, WorkloadInfo info)
      : info_(std::move(info)), eager_(device, info_.computes_values) {}
  /// For a workload that computes values without having a loss.
  EagerWorkload(device::Device& device, WorkloadInfo info, bool compute)
      : info_(std::move(info)), eager_(device, compute) {}

  base::Nanoseconds now() { return eager_.device().now_ns(); }

  /// to = torch.randn(...).cuda(): the CPU generates random values and copies them.
  void fill(const Tensor& to) {
    const HostTensor values = eager_.host_tensor(to.elements, false);
    eager_.host_fill(values);
    eager_.copy_to_device(to, values, to.elements, false);
    eager_.drop(values);
  }

  /// The number of elements that one tensor of a batch needs, and its destination on the device.
  struct Part {
    const Tensor& to;
    std::size_t elements;
  };
  /// The CPU fills a batch by `make(x, y)` and copies it, in the phases "make batch" and "copy".
  template <typename Make>
  void feed(const Part& x, const Part& y, const TrainingSettings& s, Make make) {
    HostTensor host_x, host_y;
    {
      const Phase phase(eager_, "make batch");
      host_x = eager_.host_tensor(x.elements, s.pinned);
      host_y = eager_.host_tensor(y.elements, s.pinned);
      make(host_x, host_y);
    }
    const Phase phase(eager_, "copy");
    eager_.copy_to_device(x.to, host_x, x.elements, s.non_blocking);
    eager_.drop(host_x);
    eager_.copy_to_device(y.to, host_y, y.elements, s.non_blocking);
    eager_.drop(host_y);
  }
  /// The same with random values.
  void feed(const Part& x, const Part& y, const TrainingSettings& s) {
    feed(x, y, s, [this](const HostTensor& host_x, const HostTensor& host_y) {
      eager_.host_fill(host_x);
      eager_.host_fill(host_y);
    });
  }

  /// A copy into pinned memory that the program reads later.
  struct LateCopy {
    HostTensor host;
    device::GpuEvent event = device::GpuEvent::None;
    bool pending = false;
  };
  void copy_late(LateCopy& late, const Tensor& from, std::size_t elements) {
    eager_.copy_to_host(late.host, from, elements, true);
    eager_.device().record(late.event, Eager::kStream);
    late.pending = true;
  }
  void wait_for(LateCopy& late) {
    eager_.synchronize(late.event);
    late.pending = false;
  }

  const WorkloadInfo info_;
  Eager eager_;
  GraphedStep graph_{eager_};
};

}  // namespace lanescope::workload
