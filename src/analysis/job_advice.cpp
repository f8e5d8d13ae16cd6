#include "analysis/advisor.h"

#include <algorithm>
#include <cmath>

#include "analysis/stragglers.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

constexpr double kLatenessError = 0.02;

class JobAdvisor {
 public:
  JobAdvisor(const trace::Trace& trace, const Collectives& collectives, const JobStretch& stretch,
             const std::atomic<bool>* stop)
      : trace_(trace), c_(collectives), stretch_(stretch), stop_(stop) {}

  std::vector<Card> run() {
    if (c_.gpus.size() < 2 || c_.verdict == CollectiveVerdict::Inconclusive || stretch_.iterations <= 0 ||
        stretch_.recorded_ns <= 0) {
      return {};
    }
    late();
    bare_transfer();
    slow_exchange();
    return std::move(cards_);
  }

 private:
  double per_iteration(Nanoseconds ns) const { return share(ns) * stretch_.iteration_ns; }
  double share(Nanoseconds ns) const { return static_cast<double>(ns) / static_cast<double>(stretch_.recorded_ns); }
  static std::string text(double ns) { return base::format_duration(static_cast<Nanoseconds>(std::llround(ns))); }

  Card& add(Rule rule, Nanoseconds lost) {
    Card& card = cards_.emplace_back();
    card.rule = rule;
    card.cost_ns = per_iteration(lost);
    card.share = share(lost);
    card.per_iteration =
        static_cast<double>(c_.all.size()) * stretch_.iteration_ns / static_cast<double>(stretch_.recorded_ns);
    card.confidence = stretch_.iterations >= 3 ? 1 : 0.7;
    return card;
  }

  // A18 and A19: the time until the last one arrives. Without its lateness the others would wait for the last but one.
  void late() {
    const GpuCollectives& last = *std::ranges::max_element(c_.gpus, {}, &GpuCollectives::arrived_last);
    const double of_last = static_cast<double>(last.arrived_last) / static_cast<double>(last.count);
    const bool straggler = of_last >= limits::kStraggler;
    Nanoseconds waits = 0;
    for (const GpuCollectives& gpu : c_.gpus) waits += gpu.wait_ns;
    const Nanoseconds lost = straggler ? last.delays_ns : waits / static_cast<Nanoseconds>(c_.gpus.size());
    if (share(lost) < limits::kCostMatters) return;
    Card& card = add(straggler ? Rule::Straggler : Rule::UnevenWork, lost);
    const Lateness why = lateness_of_gpu(trace_, c_, last.gpu);
    card.place = why.place;
    if (!straggler) {
      card.title = tr("The GPUs wait for each other in turn");
      card.what =
          tr("On average a GPU waits {} per iteration for the last one; none of them is the last in most collectives.",
             text(card.cost_ns));
      card.fix = tr("Give each GPU the same work in every step: samples of similar length together, equal batches.");
      return;
    }
    card.what_if = {{{EditKind::NoStraggler, 0, {}}}, without_lateness(last)};
    card.title = tr("All wait for {}", last.name);
    card.what = tr("It arrives last in {} % of the collectives, {} per iteration after the last but one.",
                   whole_percent(of_last), text(card.cost_ns));
    if (const std::string because = lateness_text(trace_, why); !because.empty()) {
      card.what += ' ';
      card.what += tr("Between two collectives {}.", because);
    }
    card.fix = fix_for(why, last.gpu, card.what);
  }

  // Every collective would begin so much earlier, and with it all that follows. But a GPU that computes something else
  // while it waits need not be faster: at the lower end, only what the others wait with nothing else running is gained.
  WhatIf without_lateness(const GpuCollectives& last) const {
    Nanoseconds waits = 0, exposed = 0;
    for (const GpuCollectives& gpu : c_.gpus) {
      if (gpu.gpu == last.gpu) continue;
      waits += gpu.wait_ns;
      exposed += std::max<Nanoseconds>(0, gpu.exposed_ns - gpu.exposed_transfer_ns);
    }
    const double bare =
        std::clamp(static_cast<double>(exposed) / static_cast<double>(std::max<Nanoseconds>(1, waits)), 0.0, 1.0);
    const double late = per_iteration(last.delays_ns);
    WhatIf answer;
    answer.iterations = stretch_.iterations;
    answer.recorded_ns = answer.replayed_ns = stretch_.iteration_ns;
    answer.without_ns = stretch_.iteration_ns - bare * late;
    // A burst slows the CPU, not what the late GPU has more to do.
    answer.gone_ns =
        std::max(stretch_.iteration_ns / 10, stretch_.iteration_ns - static_cast<double>(last.delays_ns) /
                                                                         static_cast<double>(stretch_.iterations));
    answer.least_factor = stretch_.iteration_ns / answer.without_ns * (1 - kLatenessError);
    answer.most_factor = stretch_.iteration_ns / answer.gone_ns * (1 + kLatenessError);
    return answer;
  }

  std::string fix_for(const Lateness& why, trace::GpuNumber gpu, std::string& what) const {
    switch (why.by) {
      case LateBy::Kernels:
        return why.more_launches() ? tr("Give it as much work as the others: it launches more.")
                                   : tr("The same work takes longer: compare its clock rate, temperature and power "
                                        "with the others', and the sizes of its batches.");
      case LateBy::Copies:
        return tr("Compare what it copies with the others, and its link.");
      case LateBy::Idle:
        break;
    }
    const Evidence evidence = gather_stretch(trace_, stretch_.from_ns, stretch_.to_ns, stop_, gpu);
    const CauseTimes& causes = evidence.summary.judged.bubble_by_cause_ns;
    const auto most = std::ranges::max_element(causes);
    const auto cause = static_cast<BubbleCause>(most - causes.begin());
    if (*most > 0 && cause != BubbleCause::Unknown) {
      what += ' ';
      what += tr("Most of its idle time is {}.", cause_name(cause));
    }
    return tr("Look at what its process does there that the others do not: data loading, logging, saving, reads.");
  }

  void bare_transfer() {
    Nanoseconds sum = 0, transfer = 0;
    for (const GpuCollectives& gpu : c_.gpus) {
      sum += gpu.exposed_transfer_ns;
      transfer += gpu.transfer_ns;
    }
    const auto gpus = static_cast<Nanoseconds>(c_.gpus.size());
    if (share(sum / gpus) < limits::kBareTransfer || transfer <= 0) return;
    Card& card = add(Rule::BareTransfer, sum / gpus);
    card.title = tr("Nothing is computed while the GPUs communicate");
    card.what = tr("Collectives transfer for {} per iteration, and for {} % of it no other kernel runs.",
                   text(per_iteration(transfer / gpus)),
                   whole_percent(static_cast<double>(sum) / static_cast<double>(transfer)));
    card.fix = bare_transfer_fix();
    const auto longest =
        std::ranges::max_element(c_.all, {}, [](const Collective& one) { return one.transfer_ns(one.parts.front()); });
    const CollectivePart& part = longest->parts.front();
    card.place = {part.place.lane, part.start_ns, part.end_ns};
  }

  // A21: the slowest group, compared with the fastest, or else with what any link between GPUs should carry. Its cost:
  // what of the transfer is not hidden behind kernels, and would not be there at that rate.
  void slow_exchange() {
    const std::vector<GroupRate> groups = group_rates(c_);
    if (groups.empty()) return;
    const auto [slowest, fastest] = std::ranges::minmax_element(groups, {}, &GroupRate::bytes_per_s);
    const bool unequal = slowest->bytes_per_s * limits::kUnequalRates <= fastest->bytes_per_s;
    if (!unequal && slowest->bytes_per_s >= limits::kSlowExchange) return;
    double bare = 0;  // of the group, a GPU's mean
    for (const GpuCollectives& gpu : c_.gpus) {
      if (std::ranges::find(slowest->gpus, gpu.gpu) == slowest->gpus.end() || gpu.transfer_ns <= 0) continue;
      bare += static_cast<double>(gpu.exposed_transfer_ns) / static_cast<double>(gpu.transfer_ns) *
              static_cast<double>(slowest->transfer_ns) / static_cast<double>(slowest->gpus.size());
    }
    const double with = unequal ? fastest->bytes_per_s : limits::kSlowExchange;
    const auto lost = static_cast<Nanoseconds>(bare * (1 - slowest->bytes_per_s / with));
    if (share(lost) < limits::kCostMatters) return;
    Card& card = add(Rule::SlowExchange, lost);
    card.title = tr("The links between GPUs are slow");
    const std::string carries = rate_text(slowest->bytes_per_s);
    card.what = unequal
                    ? tr("Between {} each link carries {}, elsewhere up to {} (bus bandwidth).",
                         group_text(c_, *slowest), carries, rate_text(fastest->bytes_per_s))
                    : tr("Each link carries {} (bus bandwidth of large collectives); PCIe 3.0 x16 would carry 12 GB/s, "
                         "NVLink several times as much.",
                         carries);
    card.fix =
        tr("See how they are connected (nvidia-smi topo -m) and which way NCCL takes (NCCL_DEBUG=INFO). If there is no "
           "better one, send less: gradients in 16 bits, or less often by accumulating them.");
    const auto longest = std::ranges::max_element(c_.all, {}, [&](const Collective& one) {
      const bool of_group = std::ranges::equal(one.parts, slowest->gpus, {}, &CollectivePart::gpu);
      return of_group ? one.transfer_ns(one.parts.front()) : 0;
    });
    const CollectivePart& part = longest->parts.front();
    card.place = {part.place.lane, part.start_ns, part.end_ns};
  }

  const trace::Trace& trace_;
  const Collectives& c_;
  const JobStretch& stretch_;
  const std::atomic<bool>* stop_;
  std::vector<Card> cards_;
};

}  // namespace

std::vector<Card> job_cards(const trace::Trace& trace, const Collectives& collectives, const JobStretch& stretch,
                            const std::atomic<bool>* stop) {
  return JobAdvisor(trace, collectives, stretch, stop).run();
}

}  // namespace lanescope::analysis
