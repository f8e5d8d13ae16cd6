#include "analysis/account.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/advisor.h"
#include "analysis/collectives.h"
#include "analysis/event_merge.h"
#include "analysis/event_query.h"
#include "analysis/fix.h"
#include "analysis/replay.h"
#include "analysis/warm_up.h"
#include "base/translate.h"

namespace lanescope::analysis {

using base::tr;

namespace {

constexpr std::size_t kRecentIterations = 20;    // enough to trust
constexpr std::int64_t kEnoughWhole = 10;        // of those recorded in bursts
constexpr std::size_t kManyWhole = 100;          // for advice
constexpr std::size_t kMostIterations = 20'000;  // more than anyone needs; a fast GPU completes many per second

/// The figures of the stretch that the pace is based on: if the CPU runs ahead and waits only now and then, a stretch
/// shows how long an iteration takes only if it begins and ends right after such a wait.
Summary of_its_pace(const LiveAnalysis& analysis, Summary summary) {
  const Pace& pace = summary.pace;
  const bool all = pace.from_ns == summary.from_ns && pace.to_ns == summary.to_ns;
  if (pace.basis != PaceBasis::Steady || all) return summary;
  Summary of_pace = analysis.window(pace.from_ns, pace.to_ns, pace.period);
  // Where hardly any of its iterations were recorded, those of all of the stretch say more.
  const bool too_few =
      of_pace.recorded_iterations < kEnoughWhole && of_pace.recorded_iterations < summary.recorded_iterations;
  return summary.in_parts && too_few ? summary : of_pace;
}

Nanoseconds at_most(std::span<const IterationRecord> records, Nanoseconds from) {
  if (records.size() <= kMostIterations) return from;
  return std::max(from, records[records.size() - kMostIterations].start_ns);
}

/// The end of all events except those of threads that only help the loop (a loader's workers), which may continue after
/// it.
Nanoseconds end_of_loop(const trace::Trace& trace) {
  const trace::Trace::ReadLock lock(trace);
  std::set<std::pair<std::int64_t, std::int64_t>> helpers;  // process, thread
  const auto for_each_lane = [&](const auto& look) {
    for (std::size_t id = 0; id < trace.lane_count(); ++id) look(trace.lane(static_cast<trace::LaneId>(id)));
  };
  for_each_lane([&](const trace::Lane& lane) {
    if (lane.info().role == trace::LaneRole::Helper) helpers.emplace(lane.info().pid, lane.info().tid);
  });
  Nanoseconds end = std::numeric_limits<Nanoseconds>::min();
  for_each_lane([&](const trace::Lane& lane) {
    const trace::LaneInfo& info = lane.info();
    const bool counts = !trace::is_cpu_lane(info.kind) || !helpers.contains({info.pid, info.tid});
    for (std::size_t r = 0; counts && r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      if (row.first() < row.last()) end = std::max(end, row.end(row.last() - 1));
    }
  });
  return end;
}

/// From the first to the last operation of any GPU; what is counted there is counted in all of the trace, which has the
/// launch of the first.
Account account_without_iterations(const trace::Trace& trace, const LiveAnalysis& analysis) {
  Account account;
  Summary& summary = account.summary;
  summary = analysis.total();
  const auto [begin, end] = trace.extent();
  account.elapsed_ns = end - begin;
  Nanoseconds from = summary.judged.from_ns, to = summary.judged.to_ns;
  for (trace::GpuNumber gpu = 0; analysis.gpu_count() > 1 && gpu < analysis.gpu_count(); ++gpu) {
    const Judged judged = analysis.total(gpu).judged;
    if (judged.to_ns > judged.from_ns) from = std::min(from, judged.from_ns);
    to = std::max(to, judged.to_ns);
  }
  if (summary.verdict.kind == VerdictKind::Unknown || to <= from) return account;
  const Summary all = std::exchange(summary, analyse(trace, from, to));
  for (const auto count :
       {&Summary::sync_count, &Summary::launch_count, &Summary::gpu_op_count, &Summary::cpu_op_count})
    summary.*count = all.*count;
  return account;
}

/// Of a recording of another program: the iterations, without slow first ones.
Account account_of_recording(const trace::Trace& trace, const LiveAnalysis& analysis) {
  constexpr Nanoseconds kEnd = std::numeric_limits<Nanoseconds>::max();
  if (analysis.records().empty()) return account_without_iterations(trace, analysis);
  Account account;
  Summary& summary = account.summary;
  // Each process has iterations of its own: from when the first has none that are slow.
  std::optional<Nanoseconds> warm;
  const std::size_t gpus = std::max<std::size_t>(1, analysis.gpu_count());
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    const auto records = analysis.records(gpus > 1 ? static_cast<trace::GpuNumber>(gpu) : trace::kNobody);
    const std::size_t slow = records.size() - steady_records(records, false).size();
    if (slow > 0) warm = std::min(warm.value_or(kEnd), records[slow - 1].end_ns);
  }
  summary = analysis.window(warm.value_or(*analysis.first_iteration_ns()), kEnd);
  if (!warm && summary.judged.warm_up_ns > 0) summary = analysis.window(*(warm = summary.judged.from_ns), kEnd);
  summary = analysis.steady(warm.value_or(*analysis.first_iteration_ns()));
  account.elapsed_ns = summary.to_ns - summary.from_ns;
  if (!warm) return account;
  const auto records = analysis.records(summary.verdict_gpu);
  const auto first = std::ranges::lower_bound(records, summary.judged.from_ns, {}, &IterationRecord::start_ns);
  if (first == records.begin()) return account;
  const IterationRecord &begin = records.front(), &last = first[-1];
  summary.judged.warm_up_ns = last.iterations_ns - begin.iterations_ns + begin.duration();
  summary.judged.warm_up = last.number;
  if (last.number == 1) account.warm_up_ns = begin.duration();
  judge(summary);
  return account;
}

/// Where a job's collectives are known, in [from, to): all of it, or the iterations recorded whole where all GPUs were.
std::vector<TimeSpan> known_collectives(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                        trace::GpuNumber gpu) {
  if (!trace.recorded_in_parts()) return {{from, to}};
  std::vector<TimeSpan> stretches = recorded_iterations(trace, from, to, gpu).iterations;
  const std::size_t gpus = trace::Owners(trace).gpus().size();
  for (trace::GpuNumber other = 0; other < gpus; ++other)
    stretches = in_both(stretches, recorded_time(trace, from, to, other));
  return stretches;
}
Nanoseconds length_of(std::span<const TimeSpan> stretches) {
  Nanoseconds sum = 0;
  for (const TimeSpan& stretch : stretches) sum += stretch.to - stretch.from;
  return sum;
}

Account account_of_run(const trace::Trace& trace, const LiveAnalysis& analysis, const RunConditions& run) {
  Account account;
  Summary& summary = account.summary;
  const std::optional<Nanoseconds> first = analysis.first_iteration_ns();
  const std::span<const IterationRecord> records = analysis.records();
  summary = first ? analysis.since_first_iteration() : analysis.total();
  auto [from, to] = trace.extent();
  if (first) std::tie(from, to) = std::pair{*first, end_of_loop(trace)};
  const bool thinned = !records.empty() && records.back().number > static_cast<std::int64_t>(records.size());
  if (thinned && trace.counts().evicted == 0) {
    Summary exact = analyse(trace, trace.extent().first, trace.extent().second);
    summary.iteration = exact.iteration;
    summary.pace = std::move(exact.pace);
  }
  if (run.real_time && !records.empty() && records.front().number == 1) {
    const IterationRecord& begin = records.front();
    const Summary rest = analysis.window(begin.end_ns, std::numeric_limits<Nanoseconds>::max());
    if (loaded_code(begin.duration(), records.back().number, rest.iteration.p50_ns)) {
      summary = analysis.since(begin);
      summary.judged.warm_up_ns = begin.duration();
      judge(summary);  // its note says that the warm-up is left out
      account.warm_up_ns = begin.duration();
      from = begin.end_ns;
    }
  }
  // What a program does after its loop, such as saving a checkpoint, is no part of it.
  if (summary.pace.basis == PaceBasis::Elapsed) to = summary.pace.to_ns;
  account.elapsed_ns = to - from;
  return account;
}

}  // namespace

void judge_job(Summary& summary, const Collectives& all, Nanoseconds known_ns) {
  if (all.gpus.size() < 2 || all.verdict == CollectiveVerdict::Inconclusive || known_ns <= 0) return;
  const GpuCollectives& waits = *std::ranges::max_element(all.gpus, {}, &GpuCollectives::wait_ns);
  const GpuCollectives& last = *std::ranges::max_element(all.gpus, {}, &GpuCollectives::arrived_last);
  const double share = static_cast<double>(waits.wait_ns) / static_cast<double>(known_ns);
  Judged& judged = summary.judged;
  judged.rank_wait_ns = std::llround(share * static_cast<double>(judged.span_ns()));
  judged.rank_waits = waits.name;
  const bool one = static_cast<double>(last.arrived_last) >= limits::kStraggler * static_cast<double>(last.count);
  judged.rank_late = one && last.gpu != waits.gpu ? last.name : std::string();
  if (share >= kIdleMatters && summary.verdict.kind != VerdictKind::Unknown) judge(summary);
}

Account account_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunConditions& run) {
  Account account = run.replay ? account_of_recording(trace, analysis) : account_of_run(trace, analysis, run);
  Summary& summary = account.summary;
  if (analysis.gpu_count() > 1) {
    const Judged& judged = summary.judged;
    const std::vector<TimeSpan> known =
        without(known_collectives(trace, judged.from_ns, judged.to_ns, summary.verdict_gpu), judged.rare);
    judge_job(summary, collectives(trace, known, run.clock_error_ns), length_of(known));
  }
  const auto records = analysis.records(summary.verdict_gpu);
  if (run.replay && !records.empty()) account.once = once_of(trace, records, summary);
  return account;
}

Recent recent_account(const LiveAnalysis& analysis, Nanoseconds edge, Nanoseconds span_ns, std::int64_t period) {
  Recent recent;
  const std::span<const IterationRecord> records = analysis.records();
  if (records.empty()) return recent;
  const std::vector<trace::Event>& markers = analysis.markers();
  const Settled settled =
      settled_from(records, markers.empty() ? std::nullopt : std::optional(markers.back().start_ns));
  recent.settled_ns = settled.from_ns;
  Nanoseconds from = records.front().start_ns;
  if (records.size() > kRecentIterations) {
    from = at_most(records, std::min(edge - span_ns, records[records.size() - kRecentIterations].start_ns));
  }
  Summary summary = analysis.window(std::max(from, settled.from_ns), edge, period);
  // Recorded in bursts, a stretch may have hardly any whole iterations: then a longer one, as far as the settings
  // allow.
  for (int longer = 0; longer < 4 && summary.in_parts && summary.recorded_iterations < kEnoughWhole; ++longer) {
    if (from <= settled.from_ns) break;
    from = at_most(records, edge - 2 * (edge - from));
    summary = analysis.window(std::max(from, settled.from_ns), edge, period);
  }
  if (summary.iteration.count == 0) return recent;
  const bool whole = summary.pace.known() || (summary.sync_count == 0 && summary.pace.basis != PaceBasis::NoPeriod);
  recent.current = settled.settled && whole;
  recent.summary = of_its_pace(analysis, std::move(summary));
  return recent;
}

std::optional<std::pair<Nanoseconds, Nanoseconds>> steady_stretch(const trace::Trace& trace,
                                                                  std::span<const IterationRecord> records,
                                                                  const NewestIterations& which) {
  records = steady_records(records, which.from_the_start);
  auto first = std::partition_point(records.begin(), records.end(),
                                    [&](const IterationRecord& r) { return r.start_ns < which.from_ns; });
  const auto end =
      std::partition_point(first, records.end(), [&](const IterationRecord& r) { return r.end_ns <= which.to_ns; });
  if (first == end) return std::nullopt;
  const auto last = std::prev(end);
  const auto newest = [&](std::size_t most) {
    const auto left_out = (end - first) - static_cast<std::ptrdiff_t>(std::min<std::size_t>(end - first, most));
    return std::partition_point(first + left_out, last, [&](const IterationRecord& r) {
      return count_events(trace, {.from = r.start_ns, .to = last->end_ns}) > which.most_events;
    });
  };
  std::size_t most = which.most_iterations;
  auto from = newest(most);
  // Recorded in bursts, the newest may have hardly any whole iterations: then more of them.
  if (trace.recorded_in_parts()) {
    const auto whole = [&] {
      return recorded_iterations(trace, from->start_ns, last->end_ns, trace::kNobody).iterations.size();
    };
    while (from != first && end - from == static_cast<std::ptrdiff_t>(most) && whole() < kManyWhole)
      from = newest(most *= 4);
  }
  return std::pair{from->start_ns, last->end_ns};
}

std::optional<AdvicePlan> plan_advice(const trace::Trace& trace, std::span<const IterationRecord> records,
                                      const RunConditions& run, const NewestIterations& which, trace::GpuNumber gpu) {
  NewestIterations these = which;
  these.from_the_start = which.from_the_start && !run.replay;
  const auto stretch = steady_stretch(trace, records, these);
  if (!stretch) return std::nullopt;
  AdvicePlan plan;
  std::tie(plan.from_ns, plan.to_ns) = *stretch;
  plan.run = run;
  plan.gpu = gpu;
  if (const std::size_t left_out = records.size() - steady_records(records, these.from_the_start).size();
      left_out > 0) {
    const IterationRecord &begin = records.front(), &until = records[left_out - 1];
    plan.warm_up = until.number;
    plan.warm_up_from_ns = begin.start_ns;
    plan.warm_up_to_ns = until.end_ns;
    plan.warm_up_ns = until.iterations_ns - begin.iterations_ns + begin.duration();
  }
  if (run.replay && which.without_rare) plan.rare = rare_spans(records);
  return plan;
}

namespace {

constexpr double kNothing = 1.02;

/// What the card's cure does, as edits; empty: none that can be replayed.
std::vector<Edit> cure_of(const Card& card) {
  // Of "train.py:41  loss.item()" the line says enough.
  const std::string place = card.range.substr(0, card.range.find("  "));
  const auto helps = [&](Remedy remedy) { return std::ranges::count(card.remedies, remedy) > 0; };
  std::vector<Edit> edits;
  const auto add = [&](EditKind kind, bool here = true) { edits.push_back({kind, 0, here ? place : std::string()}); };
  if (card.weight != Weight::Costs) return edits;
  if (!place.empty() && helps(Remedy::PinMemory)) add(EditKind::Pinned);
  if (!place.empty() && helps(Remedy::NonBlocking)) add(EditKind::NonBlocking);
  if (!place.empty() && helps(Remedy::CopyStream)) add(EditKind::CopyStream);
  if (!place.empty() && (helps(Remedy::ReadLessOften) || helps(Remedy::DecideOnGpu))) add(EditKind::NoWait);
  if (helps(Remedy::MoreWorkers)) add(EditKind::Loader, false);
  if (card.rule == Rule::LaunchBound && helps(Remedy::FewerLaunches)) add(EditKind::Graph, false);
  return edits;
}

}  // namespace

std::string assumption_of(const WhatIf& answer) {
  if (answer.assumed_gb_per_s == 0) return {};
  return tr(" Assumed: pinned memory is copied at {:.0f} to {:.0f} GB/s, as is usual for this GPU.",
            answer.assumed_gb_per_s / 2, answer.assumed_gb_per_s);
}

namespace {

std::string cure_text(const AskedWhatIf& asked) {
  const WhatIf& answer = asked.answer;
  if (asked.edits.front().kind != EditKind::NoWait) {
    if (!answer.refusal.empty()) return {};
    std::string text = tr("{:.2f} to {:.2f} times as fast with {}, replayed from {} recorded iterations.",
                          answer.least_factor, answer.most_factor, texts_of(asked.edits), answer.iterations);
    return text + assumption_of(answer);
  }
  if (!answer.refusal.empty()) return tr("What it would gain is not predicted: {}.", answer.refusal);
  if (answer.most_factor < kNothing) {
    return tr("Without this wait it would be no faster: replayed from {} recorded iterations.", answer.iterations);
  }
  return tr("Without this wait: {:.2f} to {:.2f} times as fast, replayed from {} recorded iterations.",
            answer.least_factor, answer.most_factor, answer.iterations);
}

// Replays the recording with the cure of each card that has one.
void replay_cures(const trace::Trace& trace, const AdvicePlan& plan, std::vector<Card>& cards,
                  const std::atomic<bool>* stop) {
  if (std::ranges::all_of(cards, [](const Card& card) { return cure_of(card).empty(); })) return;
  const Replay replay(trace, plan.from_ns, plan.to_ns, plan.gpu, stop, plan.rare);
  for (Card& card : cards) {
    std::vector<Edit> edits = cure_of(card);
    if (edits.empty() || (stop && *stop)) continue;
    const auto without_wait = [&] { return replay.without(trace.names().find(card.range)); };
    WhatIf answer = edits.front().kind == EditKind::NoWait ? without_wait() : replay.with(edits, plan.run.link);
    if (!answer.refusal.empty() && edits.front().kind == EditKind::Pinned) {
      // How fast pinned memory is copied is not known: what the wait costs is less, but true.
      edits = {{EditKind::NoWait, 0, edits.front().place}};
      answer = without_wait();
    }
    card.what_if = AskedWhatIf{std::move(edits), std::move(answer)};
    if (card.rule == Rule::DependentSync && card.what_if->answer.refusal.empty())
      card.what_if->answer.refusal = tr("what is launched next depends on the value that is read");
    card.gain = cure_text(*card.what_if);
  }
}

}  // namespace

namespace {

void add_job_cards(const trace::Trace& trace, const AdvicePlan& plan, const Evidence& evidence,
                   std::vector<Card>& cards, const std::atomic<bool>* stop) {
  const std::size_t gpus = trace::Owners(trace).gpus().size();
  if (evidence.iterations == 0 || gpus < 2) return;
  const std::vector<TimeSpan> stretches =
      without(known_collectives(trace, evidence.from_ns, evidence.to_ns, evidence.gpu), plan.rare);
  const Nanoseconds recorded_ns = trace.recorded_in_parts() ? length_of(stretches) : evidence.span_ns();
  const JobStretch stretch{evidence.from_ns, evidence.to_ns, recorded_ns, evidence.iterations,
                           evidence.time_per_iteration(evidence.span_ns())};
  const Collectives all = collectives(trace, stretches, plan.run.clock_error_ns);
  for (Card& card : job_cards(trace, all, stretch, stop)) {
    if (card.what_if) card.gain = cure_text(*card.what_if);
    cards.push_back(std::move(card));
  }
  sort_cards(cards);
}

}  // namespace

Advice advise(const trace::Trace& trace, const AdvicePlan& plan, const std::atomic<bool>* stop) {
  const Evidence evidence = gather(trace, plan.from_ns, plan.to_ns, stop, plan.gpu, plan.rare);
  AdviceContext context;
  context.h2d_peak_gb_per_s = plan.run.h2d_peak_gb_per_s;
  context.d2h_peak_gb_per_s = plan.run.d2h_peak_gb_per_s;
  context.workers_kept = plan.run.workers_kept;
  context.warm_up_from_ns = plan.warm_up_from_ns;
  context.warm_up_to_ns = plan.warm_up_to_ns;
  context.warm_up_excess_ns = plan.warm_up_ns - plan.warm_up * evidence.summary.iteration.p50_ns;
  if (evidence.gpu != trace::kNobody) context.gpu = gpu_name(trace::Owners(trace), evidence.gpu);
  Advice advice{evidence.iterations, plan.warm_up, evidence.summary, evidence.gpu,
                advise(evidence, trace.names(), context)};
  add_job_cards(trace, plan, evidence, advice.cards, stop);
  replay_cures(trace, plan, advice.cards, stop);
  for (Card& card : advice.cards) card.paste = fix_for(card);
  return advice;
}

WhatIf what_if(const trace::Trace& trace, std::span<const IterationRecord> records, std::span<const Edit> edits,
               const RunConditions& run, trace::GpuNumber gpu) {
  const std::optional<AdvicePlan> plan = plan_advice(trace, records, run, kAdvised, gpu);
  if (!plan) {
    WhatIf none;
    none.refusal = tr("fewer than {} iterations were recorded as a whole", kFewestWhole);
    return none;
  }
  if (edits.size() == 1 && edits.front().kind == EditKind::NoStraggler) {
    std::vector<Card> cards;
    add_job_cards(trace, *plan, gather(trace, plan->from_ns, plan->to_ns, nullptr, gpu, plan->rare), cards, nullptr);
    const auto late = std::ranges::find(cards, Rule::Straggler, &Card::rule);
    if (late != cards.end()) return late->what_if->answer;
    WhatIf none;
    none.refusal = tr("no GPU arrives last in most collectives, and late");
    return none;
  }
  return Replay(trace, plan->from_ns, plan->to_ns, gpu, nullptr, plan->rare).with(edits, run.link);
}

Advice advice_for(const trace::Trace& trace, std::span<const IterationRecord> records, Nanoseconds to,
                  const RunConditions& run, const std::atomic<bool>* stop, trace::GpuNumber gpu) {
  NewestIterations which = kAdvised;
  which.to_ns = to;
  const std::optional<AdvicePlan> plan = plan_advice(trace, records, run, which, gpu);
  return plan ? advise(trace, *plan, stop) : Advice{};
}

}  // namespace lanescope::analysis
