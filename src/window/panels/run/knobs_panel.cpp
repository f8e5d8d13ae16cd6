#include <fmt/format.h>
#include <imgui.h>

#include "base/translate.h"
#include "device/catalogue.h"
#include "inspect/figure_text.h"
#include "model/experiment/active_experiment.h"
#include "render/labels.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

// A drop-down list with the panel's width; returns the picked item.
template <typename Items, typename Id, typename Text>
std::optional<std::string> drop_down(const Canvas& c, const char* id, const std::string& shown, const Items& items,
                                     Id id_of, Text text_of) {
  std::optional<std::string> picked;
  const TextStyle style(c, FontRole::Body, Colour::Text);
  ImGui::SetNextItemWidth(-1);
  const bool open = ImGui::BeginCombo(id, shown.c_str());
  if (!open) note_control(c, id + 2);  // without the "##"
  if (open) {
    const RowSpacing rows(c);
    for (const auto& item : items) {
      if (ImGui::Selectable(text_of(item).c_str(), false)) picked = id_of(item);
      note_control(c, std::string(id + 2) + "." + id_of(item));
    }
    ImGui::EndCombo();
  }
  return picked;
}

void draw_plain_workload(const Canvas& c) {
  const workload::WorkloadInfo& info = c.state.model.steering()->workload();
  heading(c, tr("WORKLOAD"));
  draw_gallery_button(c);
  vertical_space(c, 12);
  wrapped_text(c, FontRole::Title, Colour::Text, tr(info.title));
  vertical_space(c, 6);
  wrapped_text(c, FontRole::Body, Colour::Muted, tr(info.summary));
  vertical_space(c, 12);
  draw_workload_choice(c);
}

// What the tutorial published, and this run's own figure in the same terms.
void draw_knob_published(const Canvas& c) {
  const Model& model = c.state.model;
  const workload::WorkloadInfo& info = model.steering()->workload();
  if (info.published.empty()) return;
  heading(c, tr("PUBLISHED BY THE TUTORIAL"));
  for (const auto& [name, value] : info.published) figure_line(c, tr(name), tr(value));
  const analysis::Summary& recent = model.recent();
  if (recent.iteration.count > 0) {
    figure_line(c, tr("here, per iteration"), pace_text(recent.pace), Colour::Accent);
    text(c, FontRole::Small, Colour::Dim, basis_text(recent.pace.basis));
  }
}

// For a source whose settings cannot be changed.
void draw_facts(const Canvas& c) {
  const Model& model = c.state.model;
  const SourceWords words = model.source().words();
  heading(c, words.heading.c_str());
  wrapped_text(c, FontRole::Title, Colour::Text, tr(model.title()));
  vertical_space(c, 6);
  wrapped_text(c, FontRole::Body, Colour::Muted, words.sentence);
  vertical_space(c, 10);
  if (const io::OpenedTrace* opened = model.source().opened()) {
    figure_line(c, tr("events shown"), base::format_count(static_cast<std::int64_t>(opened->events_read)));
    figure_line(c, tr("events skipped"), base::format_count(static_cast<std::int64_t>(opened->events_skipped)));
    for (const auto& [category, count] : opened->skipped_by_category) {
      figure_line(c, "   " + category, base::format_count(static_cast<std::int64_t>(count)), Colour::Muted);
    }
  }
  const io::RunFacts facts = model.facts();
  if (!facts.workload.empty()) figure_line(c, tr("workload"), facts.workload);
  if (!facts.program.empty()) figure_line(c, tr("program"), facts.program);
  if (!facts.iterations.empty()) {
    wrapped_text(c, FontRole::Body, Colour::Text, tr("iterations: {}", facts.iterations));
    vertical_space(c, 4);
  }
  if (!facts.device_name.empty())
    wrapped_text(c, FontRole::Body, Colour::Muted, device::name_in_words(facts.device_name));
  if (device::assumes_pytorch(facts.device))
    wrapped_text(c, FontRole::Small, Colour::Muted, tr("PyTorch's costs assumed"));
  if (facts.settings.empty()) return;
  heading(c, tr("SETTINGS"));
  for (const auto& [key, value] : facts.settings) figure_line(c, key, value);
}

}  // namespace

void draw_workload_choice(const Canvas& c) {
  ShellState& state = c.state;
  const auto names = workload::workload_names();
  const auto same = [](const std::string& name) { return name; };
  if (const auto picked =
          drop_down(c, "##workload", state.model.steering()->workload().name, names, same,
                    [](const std::string& name) { return name + "  ·  " + tr(workload::workload_info(name).title); })) {
    state.requests.run = state.model.options_now();
    state.requests.run->workload = *picked;
    state.requests.run->assignments.clear();  // the old workload's settings do not apply to the new one
    state.experiment.active.reset();
  }
}

void draw_knob(const Canvas& c, const workload::Settings& settings, const workload::SettingSpec& spec) {
  ImGui::PushID(spec.key.c_str());
  const workload::NoEffect* none = settings.no_effect(spec);
  if (const auto turned = knob(c, spec, settings.value(spec.key), none ? tr(none->reason) : nullptr)) {
    if (const std::string refused = c.state.model.set(spec.key, *turned); !refused.empty())
      c.state.show_toast(refused, true);
  }
  ImGui::PopID();
}

void draw_knobs(const Canvas& c) {
  ShellState& state = c.state;
  if (state.model.source().watching()) return draw_watched_program(c);
  if (!state.model.steering()) return draw_facts(c);
  if (state.experiment.active) return draw_experiment(c);
  draw_plain_workload(c);
  heading(c, tr("KNOBS"));
  const workload::Settings settings = state.model.steering()->settings();
  for (const workload::SettingSpec& spec : settings.specs()) draw_knob(c, settings, spec);
  draw_knob_published(c);
  draw_own_figures(c);
  vertical_space(c, 12);
}

}  // namespace lanescope::ui
