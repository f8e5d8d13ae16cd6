#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "base/translate.h"
#include "model/source/source.h"
#include "render/labels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr std::array kAttachLevels{wire::Level::Waits, wire::Level::Acquire, wire::Level::Calls, wire::Level::All};
constexpr std::array kShares{0.05, 0.1, 0.25, 1.0};
constexpr base::Nanoseconds kRecordFor = 2 * base::kSecond;

/// "train.py": the first word that is a script, or the program.
std::string program_name(const attach::Command& command) {
  const auto name_of = [](const std::string& word) { return word.substr(word.rfind('/') + 1); };
  for (const std::string& word : command.words) {
    if (word.ends_with(".py")) return name_of(word);
  }
  return command.words.empty() ? std::string() : name_of(command.words[0]);
}

}  // namespace

std::string level_text(wire::Level level) {
  switch (level) {
    case wire::Level::Waits:
      return tr("Only calls that block, with their lines; nothing of the GPU. Costs about 2 %.");
    case wire::Level::Acquire:
      return tr(
          "The same, and everything in bursts of whole iterations, which may cost 1.5 % of the time. With CUDA graphs "
          "it "
          "is more.");
    case wire::Level::Calls:
      return tr("Every launch, copy and kernel, all the time. Costs about 6 %, and more where kernels are short.");
    case wire::Level::All:
      return tr("The same, with every call of the API. Costs most.");
    case wire::Level::Off:
      break;
  }
  return {};
}

namespace {

void draw_level(const Canvas& c, Watching& watching) {
  heading(c, tr("RECORDED"));
  attach::Intensity intensity = watching.intensity();
  const auto at = std::find(kAttachLevels.begin(), kAttachLevels.end(), intensity.level);
  std::vector<std::string> names;
  for (const wire::Level level : kAttachLevels) names.emplace_back(attach::to_text(level));
  const int chosen = segmented(c, "attach.level", names, static_cast<int>(at - kAttachLevels.begin()));
  if (chosen >= 0) {
    intensity.level = kAttachLevels[static_cast<std::size_t>(chosen)];
    watching.set_intensity(intensity);
  }
  vertical_space(c, 6);
  wrapped_text(c, FontRole::Small, Colour::Muted, level_text(intensity.level));
  if (intensity.level != wire::Level::Acquire) return;
  vertical_space(c, 8);
  text(c, FontRole::Body, Colour::Text, tr("share of the time"));
  vertical_space(c, 4);
  std::vector<std::string> shares;
  int share_now = -1;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    shares.push_back(fmt::format("{:.0f}%", kShares[i] * 100));
    if (kShares[i] == intensity.share) share_now = static_cast<int>(i);
  }
  if (const int share = segmented(c, "attach.share", shares, share_now); share >= 0) {
    intensity.share = kShares[static_cast<std::size_t>(share)];
    intensity.sparing = false;
    watching.set_intensity(intensity);
  }
  vertical_space(c, 8);
  if (button(c, "attach.record", tr("Record the next {}", base::format_duration(kRecordFor)))) {
    watching.record_for(kRecordFor);
  }
  if (const base::Nanoseconds boosted = watching.boosted_ns(); boosted > 0) {
    vertical_space(c, 6);
    const base::Nanoseconds seconds = (boosted + base::kSecond - 1) / base::kSecond;
    wrapped_text(c, FontRole::Small, Colour::Muted, tr("everything for another {} s", seconds));
  }
}

/// What a burst costs the program, by its own iterations. What being attached costs all the time cannot be seen here.
void draw_cost(const Canvas& c, const attach::ProcessState& process) {
  if (process.iteration_recorded_ns == 0 || process.iteration_between_ns == 0) return;
  const double factor =
      static_cast<double>(process.iteration_recorded_ns) / static_cast<double>(process.iteration_between_ns);
  figure_line(c, tr("in bursts"), base::format_duration(process.iteration_recorded_ns));
  figure_line(c, tr("between bursts"), base::format_duration(process.iteration_between_ns));
  figure_line(c, tr("a burst costs"), factor > 1 ? fmt::format("{:.1f} %", (factor - 1) * 100) : tr("none seen"));
  wrapped_text(c, FontRole::Small, Colour::Muted,
               tr("Compared with between bursts. Being attached costs something there, too: least with level waits."));
}

void draw_loop_choice(const Canvas& c, Watching& watching, const attach::ProcessState& process) {
  const TextStyle style(c, FontRole::Body, Colour::Text);
  ImGui::SetNextItemWidth(-1);
  const bool open = ImGui::BeginCombo("##loop", imgui_label(process.iterations).c_str());
  if (!open) note_control(c, "attach.loop");
  if (open) {
    const RowSpacing rows(c);
    if (ImGui::Selectable(tr("found by itself"), !process.chosen)) watching.choose_loop(process.pid, std::nullopt);
    note_control(c, "attach.loop.auto");
    for (std::size_t i = 0; i < process.loops.size(); ++i) {
      const attach::LoopChoice& loop = process.loops[i];
      std::string label = fmt::format("{}   ·   {}", loop.text, base::format_duration(loop.round_ns));
      if (loop.calls != 0) label += "   ·   " + tr("{} calls", loop.calls);
      // Its figures and its place change while it is clicked.
      const attach::LoopKey& key = loop.key;
      label = imgui_label(label) + fmt::format("###{}.{}.{}.{}", key.depth, key.code, key.head, key.repeat);
      if (ImGui::Selectable(label.c_str(), process.chosen == key)) watching.choose_loop(process.pid, key);
      note_control(c, fmt::format("attach.loop.{}", i));
    }
    ImGui::EndCombo();
  }
}

void draw_iterations(const Canvas& c, Watching& watching, const attach::ProcessState& process) {
  heading(c, tr("ITERATIONS"));
  if (process.loops.empty() && process.iterations.empty()) {
    wrapped_text(c, FontRole::Body, Colour::Muted,
                 tr("No loop has been found yet. Until then, figures are per second."));
    return;
  }
  wrapped_text(c, FontRole::Small, Colour::Muted,
               process.chosen ? tr("counted by this loop, as chosen:") : tr("counted by this loop, found by itself:"));
  vertical_space(c, 4);
  draw_loop_choice(c, watching, process);
  if (process.iteration_ns != 0) {
    figure_line(c, tr("last iterations, mean"), base::format_duration(process.iteration_ns), Colour::Accent);
  }
  draw_cost(c, process);
}

std::string state_word(const attach::ProcessState& process) {
  if (process.ended) return tr("ended");
  switch (process.state) {
    case wire::State::Starting:
      return tr("starting");
    case wire::State::Watching:
      return process.recording ? tr("recording") : tr("watching");
    case wire::State::NoCupti:
      return tr("no CUPTI");
    case wire::State::CuptiBusy:
      return tr("CUPTI is taken");
    case wire::State::DriverTooOld:
      return tr("driver too old");
    case wire::State::NoRecords:
      return tr("no GPU records");
    case wire::State::Failed:
      return tr("failed");
    case wire::State::Denied:
      return tr("denied");
    case wire::State::Unsupported:
      return tr("unsupported");
  }
  return {};
}

}  // namespace

void draw_watched_program(const Canvas& c) {
  const Model& model = c.state.model;
  Watching& watching = *c.state.model.source().watching();
  const attach::AttachState state = watching.watched();
  heading(c, tr("YOUR PROGRAM"));
  wrapped_text(c, FontRole::Title, Colour::Text, program_name(watching.command()));
  vertical_space(c, 4);
  wrapped_text(c, FontRole::Small, Colour::Muted, model.title());
  vertical_space(c, 6);
  const std::string since = base::format_duration(state.running_ns);
  wrapped_text(c, FontRole::Body, Colour::Muted,
               state.ended ? tr("{}, after {}", state.end, since) : tr("running for {}", since));
  for (const attach::Remark& remark : state.remarks) {
    vertical_space(c, 8);
    wrapped_text(c, FontRole::Body, remark.problem ? Colour::Wait : Colour::Muted, remark.sentence);
  }
  vertical_space(c, 10);
  if (button(c, "attach.again", tr("Run again"), false, 0, tr("starts the same command once more (R)"))) {
    c.state.requests.source = c.state.model.restart();
  }
  if (const attach::ProcessState* process = state.first_with_gpu()) draw_iterations(c, watching, *process);
  draw_level(c, watching);
  if (!state.processes.empty()) heading(c, tr("PROCESSES"));
  const std::string* library = nullptr;  // of the process above
  for (const attach::ProcessState& process : state.processes) {
    if (!process.uses_gpu) continue;
    // A rank is name enough, and many of them shall have room.
    const std::string number = fmt::format("{} {}", tr("process"), process.pid);
    figure_line(
        c, process.rank ? process.name : fmt::format("{}  {}", process.name, process.pid), state_word(process),
        process.state == wire::State::Watching || process.state == wire::State::Starting ? Colour::Text : Colour::Wait);
    if (process.rank && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", number.c_str());
    if (!process.library.empty() && (!library || *library != process.library)) {
      // "/usr/lib/libcupti.so.13 (API 130001)"
      const std::size_t folder = process.library.rfind('/', process.library.find(" ("));
      text(c, FontRole::Small, Colour::Dim, process.library.substr(folder + 1));
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", process.library.c_str());
    }
    library = &process.library;
  }
  if (state.without_gpu != 0) {
    text(c, FontRole::Small, Colour::Dim, tr("other processes, without GPU work: {}", state.without_gpu));
  }
  vertical_space(c, 12);
}

}  // namespace lanescope::ui
