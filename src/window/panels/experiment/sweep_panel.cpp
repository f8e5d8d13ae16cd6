#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "base/error.h"
#include "base/translate.h"
#include "experiment/named_figure.h"
#include "experiment/own_experiments.h"
#include "io/atomic_file.h"
#include "render/draw_pictures.h"
#include "render/labels.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using experiment::SweepPoint;

constexpr ImGuiWindowFlags kCard =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;

// The first draft for a workload: the most interesting knob, around the current settings.
void draft_anew(ShellState& state) {
  SweepState& s = state.sweep;
  const workload::Settings settings = state.model.steering()->settings();
  s.drafted_for = state.model.steering()->workload().name;
  s.draft = {};
  s.problem.clear();
  const auto knob = std::ranges::max_element(settings.specs(), {}, &workload::SettingSpec::sweep_priority);
  if (knob == settings.specs().end() || knob->sweep_priority == 0) return;
  s.draft.axes[0] = {knob->key, suggested_values(*knob)};
}

void begin_sweep(ShellState& state, experiment::SweepSpec spec, const experiment::Experiment* told = nullptr) {
  SweepState& s = state.sweep;
  s.sweep.reset();
  try {
    auto sweep = std::make_unique<experiment::Sweep>(std::move(spec));
    s.texts = sweep_texts(sweep->spec(), sweep->unit(), {});
    s.texts_of = 0;
    s.sweep = std::move(sweep);
  } catch (const base::Error& error) {
    s.problem = error.what();
    return;
  }
  s.problem.clear();
  s.told = told;
  s.show_ready = false;
  s.marked.reset();
  // Pause or end the run: running both would slow both down, and a GPU can be recorded for only one run at a time.
  if (state.model.virtual_time() && !state.model.paused()) {
    state.model.set_paused(true);
    s.paused_the_run = true;
  } else if (state.model.source().exclusive()) {
    state.model.source().growth()->end();
  }
  s.sweep->start();
}

// --- the ready sweeps ------------------------------------------------------------------------------------------------

// "batch_size × iterations, against cpu:teaching"
std::string axes_text(const experiment::ReadySweep& sweep) {
  std::string text;
  for (const std::string& axis : sweep.over) text += (text.empty() ? "" : "  ×  ") + axis.substr(0, axis.find('='));
  if (!sweep.against.empty()) text += "   " + tr("compared with {}", sweep.against);
  return text;
}

void draw_ready(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  const experiment::Language language = c.state.language();
  const std::size_t columns = area.width > 700 * s ? 2 : 1;
  const float gap = 10 * s;
  const float width = (area.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float height = 62 * s;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Label head{area.x, area.y, area.width, c.theme.as_text(Colour::Dim), FontRole::SmallBold, tr("READY TO RUN"),
                   20 * s};
  draw_labels(list, c.fonts, {&head, 1});
  const float head_width = text_width(c.fonts, FontRole::SmallBold, head.text) + 16 * s;
  const Label how{area.x + head_width,
                  area.y,
                  area.width - head_width,
                  c.theme[Colour::Muted],
                  FontRole::Small,
                  tr("click one to run it as in the tutorial; its chart appears here"),
                  20 * s};
  draw_labels(list, c.fonts, {&how, 1});
  std::size_t place = 0;
  for (const experiment::Experiment* each : experiment::all_experiments()) {
    const experiment::Experiment& e = *each;
    if (!e.sweep) continue;
    const Rect r{area.x + static_cast<float>(place % columns) * (width + gap),
                 area.y + 30 * s + static_cast<float>(place / columns) * (height + gap), width, height};
    ++place;
    ImGui::SetCursorScreenPos({r.x, r.y});
    const bool clicked = press_area(c, ("##ready." + e.id).c_str(), {r.width, r.height});
    note_control(c, "sweep.ready." + e.id);
    list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height},
                       c.theme[ImGui::IsItemHovered() ? Colour::PanelHovered : Colour::PanelRaised], 7 * s);
    outline(c, r, 7, ImGui::IsItemHovered());
    const float id_width = text_width(c.fonts, FontRole::MonoSmall, e.id) + 10 * s;
    const Label labels[] = {
        {r.x + 14 * s, r.y + 9 * s, id_width, c.theme.as_text(Colour::Accent), FontRole::MonoSmall, e.id, 22 * s},
        {r.x + 14 * s + id_width, r.y + 9 * s, r.width - id_width - 24 * s, c.theme[Colour::Text], FontRole::BodyBold,
         e.title[language], 22 * s},
        {r.x + 14 * s, r.y + 34 * s, r.width - 24 * s, c.theme.as_text(Colour::Muted), FontRole::MonoSmall,
         axes_text(*e.sweep), 18 * s}};
    draw_labels(list, c.fonts, labels);
    if (!clicked) continue;
    const experiment::SweepSpec spec = experiment::ready_sweep(e);
    c.state.sweep.draft = draft_of(spec);  // the form describes what is on the chart
    begin_sweep(c.state, spec, &e);
  }
}

// --- the left side: what to vary -------------------------------------------------------------------------------------

void draw_field(const Canvas& c, const char* id, std::string& value, float width) {
  const TextStyle style(c, FontRole::Mono, Colour::Text);
  ImGui::SetNextItemWidth(width);
  ImGui::InputText(id, &value);
  note_control(c, id + 2);
}

void draw_axis(const Canvas& c, std::size_t number, const workload::Settings& settings) {
  AxisDraft& axis = c.state.sweep.draft.axes[number];
  ImGui::PushID(static_cast<int>(number));
  const float width = ImGui::GetContentRegionAvail().x;
  const auto label_of = [&](const std::string& key) -> std::string {
    if (key.empty()) return tr("nothing else");
    if (const char* label = axis_label(experiment::axis_kind(key))) return label;
    const workload::SettingSpec* spec = settings.spec(key);
    return spec ? tr(spec->label) : key;
  };
  ImGui::SetNextItemWidth(width);
  bool picked = false;
  {
    const TextStyle style(c, FontRole::Body, Colour::Text);
    const bool open = ImGui::BeginCombo("##key", label_of(axis.key).c_str());
    if (!open) note_control(c, "sweep.key." + std::to_string(number));
    if (open) {
      const RowSpacing rows(c);
      const auto offer = [&](const std::string& key) {
        if (ImGui::Selectable(label_of(key).c_str(), key == axis.key) && key != axis.key) {
          axis.key = key;
          picked = true;
        }
        note_control(c, "sweep.key." + std::to_string(number) + "." + key);
      };
      if (number > 0) offer("");
      for (const workload::SettingSpec& spec : settings.specs()) offer(spec.key);
      offer(std::string(experiment::kDeviceAxis));
      offer(std::string(experiment::kIterationsAxis));
      ImGui::EndCombo();
    }
  }
  if (picked) {
    const workload::SettingSpec* spec = settings.spec(axis.key);
    const experiment::AxisKind kind = experiment::axis_kind(axis.key);
    axis.values = spec                                       ? suggested_values(*spec)
                  : kind == experiment::AxisKind::Device     ? "sim:rtx4090, sim:h200"
                  : kind == experiment::AxisKind::Iterations ? "100, 1000, 10000"
                                                             : "";
  }
  if (!axis.key.empty()) draw_field(c, number == 0 ? "##sweep.values0" : "##sweep.values1", axis.values, width);
  ImGui::PopID();
  vertical_space(c, 6);
}

void draw_figure(const Canvas& c) {
  SweepDraft& draft = c.state.sweep.draft;
  heading(c, tr("FIGURE"));
  std::vector<experiment::FigureInfo> figures = experiment::standard_figures();
  if (const Steering* steering = c.state.model.steering()) {
    for (const workload::Figure& own : steering->figures()) {
      figures.push_back({"own." + own.key, tr(own.label.c_str()), own.unit});
    }
  }
  const auto shown = std::find_if(figures.begin(), figures.end(), [&](const auto& f) { return f.key == draft.figure; });
  const TextStyle style(c, FontRole::Body, Colour::Text);
  ImGui::SetNextItemWidth(-1);
  const bool open = ImGui::BeginCombo("##sweep.figure", (shown == figures.end() ? draft.figure : shown->label).c_str());
  if (!open) note_control(c, "sweep.figure");
  if (open) {
    const RowSpacing rows(c);
    for (const experiment::FigureInfo& figure : figures) {
      const std::string text = figure.label + ", " + experiment::unit_in_words(figure.unit) + "##" + figure.key;
      if (ImGui::Selectable(text.c_str(), figure.key == draft.figure)) draft.figure = figure.key;
      note_control(c, "sweep.figure." + figure.key);
    }
    ImGui::EndCombo();
  }
}

void draw_draft(const Canvas& c) {
  ShellState& state = c.state;
  SweepState& s = state.sweep;
  const Steering* steering = state.model.steering();
  const bool prepared = !s.draft.workload.empty();
  if (!steering && !prepared) {
    wrapped_text(c, FontRole::Body, Colour::Muted,
                 state.model.live() ? tr("Its settings cannot be changed from here. Start a run to vary its knobs.")
                                    : tr("A file is shown. Start a run to vary its knobs."));
    return;
  }
  if (!prepared && s.drafted_for != steering->workload().name) draft_anew(state);
  const std::string workload = prepared ? s.draft.workload : steering->workload().name;
  const workload::Settings settings = prepared ? workload::default_settings(workload, {}) : steering->settings();
  heading(c, tr("VARY A KNOB OF {}", workload).c_str());
  draw_axis(c, 0, settings);
  text(c, FontRole::Small, Colour::Muted, tr("and"));
  draw_axis(c, 1, settings);
  draw_figure(c);
  vertical_space(c, 8);
  text(c, FontRole::Small, Colour::Muted, tr("compare with (setting=value, or device=cpu)"));
  draw_field(c, "##sweep.against", s.draft.against, -1);
  text(c, FontRole::Small, Colour::Muted, tr("iterations per run"));
  if (!s.draft.own_iterations) s.draft.iterations = std::to_string(enough_iterations(s.draft));
  const std::string before = s.draft.iterations;
  draw_field(c, "##sweep.iterations", s.draft.iterations, 120 * c.scale);
  s.draft.own_iterations |= s.draft.iterations != before;
  vertical_space(c, 12);
  const bool running = s.sweep && s.sweep->running();
  if (running) {
    if (button(c, "sweep.cancel", tr("Stop"), true)) s.sweep->cancel();
  } else if (button(c, "sweep.start", tr("Run the sweep"), true)) {
    try {
      const session::SessionOptions now = steering ? state.model.options_now() : session::SessionOptions();
      begin_sweep(state, spec_of(s.draft, workload, now.device, now.assignments), prepared ? s.told : nullptr);
    } catch (const base::Error& error) {
      s.problem = error.what();
    }
  }
  if (prepared && steering && !running) {
    ImGui::SameLine();
    if (button(c, "sweep.own", tr("Knobs of this run"))) draft_anew(state);
  }
  if (!s.problem.empty()) {
    vertical_space(c, 6);
    wrapped_text(c, FontRole::Small, Colour::Wait, s.problem);
  }
}

// --- the right side: the chart ---------------------------------------------------------------------------------------

void draw_progress(const Canvas& c, const Rect& bar) {
  const experiment::Sweep& sweep = *c.state.sweep.sweep;
  const float done =
      static_cast<float>(sweep.done()) / static_cast<float>(std::max<std::size_t>(1, sweep.spec().points()));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({bar.x, bar.y}, {bar.x + bar.width, bar.y + bar.height}, c.theme[Colour::Faint], bar.height / 2);
  if (done > 0) {
    list.AddRectFilled({bar.x, bar.y}, {bar.x + bar.width * done, bar.y + bar.height}, c.theme[Colour::Accent],
                       bar.height / 2);
  }
}

std::string point_text(const experiment::Sweep& sweep, std::size_t number, const SweepPoint& point,
                       const SweepTexts& texts) {
  std::string text;
  const std::vector<std::size_t> place = sweep.spec().place(number);
  for (std::size_t axis = 0; axis < point.at.size(); ++axis) {
    text += sweep.spec().axes[axis].key + " " + texts.values[axis][place[axis]] + "   ";
  }
  if (!point.error.empty()) return text + point.error;
  if (!point.value) return text + (point.done ? tr("no such figure in this run") : tr("not run yet"));
  text += "→  " + sweep_value_text(*point.value, texts.unit);
  if (const auto time = experiment::figure_value("iteration_us", point.measured)) {
    text += "   ·   " + tr("{} per iteration", sweep_value_text(*time, "µs"));
  }
  for (const char* name : {"gpu_busy_percent", "syncs_per_iteration"}) {
    if (const auto value = experiment::figure_value(name, point.measured)) {
      const experiment::FigureInfo info = experiment::figure_info(name);
      text += "   ·   " + info.label + " " + sweep_value_text(*value, info.unit);
    }
  }
  return text;
}

void save_picture(ShellState& state, const std::vector<SweepPoint>& points) {
  const experiment::Sweep& sweep = *state.sweep.sweep;
  const std::filesystem::path path = new_picture_path(state.preferences, "sweep", ".png");
  const SweepPicture picture{sweep.spec(), points, sweep.unit(), sweep_title(state.sweep), state.preferences.theme, 2};
  try {
    io::write_png(path, draw_sweep_picture(picture), sweep_picture_text(picture));
    state.show_toast(std::string(tr("Picture saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state.show_toast(error.what(), true);
  }
}

void save_csv(ShellState& state, const std::vector<SweepPoint>& points) {
  const std::filesystem::path path = new_picture_path(state.preferences, "sweep", ".csv");
  try {
    io::write_text_file(path, experiment::sweep_csv(state.sweep.sweep->spec(), points));
    state.show_toast(std::string(tr("Table saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state.show_toast(error.what(), true);
  }
}

void draw_result(const Canvas& c, const Rect& area) {
  ShellState& state = c.state;
  SweepState& s = state.sweep;
  const float scale = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (!s.sweep || s.show_ready) return draw_ready(c, area);
  const std::vector<SweepPoint> points = s.sweep->points();
  if (s.texts_of != s.sweep->done()) {
    s.texts_of = s.sweep->done();
    s.texts = sweep_texts(s.sweep->spec(), s.sweep->unit(), points);
  }
  const experiment::SweepSpec& spec = s.sweep->spec();
  const bool varied = std::ranges::any_of(spec.axes, [](const experiment::Axis& axis) {
    return experiment::axis_kind(axis.key) == experiment::AxisKind::Iterations;
  });
  const std::string each =
      varied ? "" : tr("{} iterations per run", base::format_count(static_cast<std::int64_t>(spec.iterations)));
  const float each_width = text_width(c.fonts, FontRole::Body, each) + 16 * scale;
  const Label titles[] = {{area.x, area.y, area.width - each_width, c.theme[Colour::Text], FontRole::Title,
                           fit_text(c.fonts, FontRole::Title, sweep_title(s), area.width - each_width), 26 * scale},
                          {area.x, area.y, area.width, c.theme.as_text(Colour::Muted), FontRole::Body, each, 26 * scale,
                           LabelAlign::Right}};
  draw_labels(list, c.fonts, titles);
  draw_progress(c, {area.x, area.y + 34 * scale, area.width, 4 * scale});
  const Rect chart{area.x, area.y + 50 * scale, area.width, area.height - 110 * scale};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  s.marked = draw_sweep_chart(list, c.fonts, c.theme, scale, {s.sweep->spec(), points, s.texts, s.marked}, chart,
                              mouse.x, mouse.y);
  state.places["sweep.chart"] = chart;
  const std::string says = s.marked             ? point_text(*s.sweep, *s.marked, points[*s.marked], s.texts)
                           : s.sweep->running() ? tr("{} of {} runs", s.sweep->done(), points.size())
                                                : std::string(tr("Point at a value to see its run."));
  const Label line{area.x,         chart.y + chart.height + 4 * scale,
                   area.width,     c.theme[Colour::Muted],
                   FontRole::Body, fit_text(c.fonts, FontRole::Body, says, area.width),
                   22 * scale};
  draw_labels(list, c.fonts, {&line, 1});
  ImGui::SetCursorScreenPos({area.x, area.y + area.height - 28 * scale});
  if (button(c, "sweep.csv", tr("Save as CSV"))) save_csv(state, points);
  ImGui::SameLine();
  if (button(c, "sweep.picture", tr("Save the picture"))) save_picture(state, points);
  ImGui::SameLine();
  if (button(c, "sweep.others", tr("Prepared sweeps"))) s.show_ready = true;
}

}  // namespace

void draw_sweep(const Canvas& c) {
  ShellState& state = c.state;
  SweepState& s = state.sweep;
  const float scale = c.scale;
  if (s.paused_the_run && s.sweep && !s.sweep->running()) {
    s.paused_the_run = false;
    state.model.set_paused(false);
  }
  if (!s.open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const Rect card{20 * scale, 16 * scale, display.x - 40 * scale, display.y - 32 * scale};
  const float left = std::min(320 * scale, card.width * 0.34f);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##sweep", nullptr, kCard | ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({0, 0}, display, with_alpha(c.theme[Colour::Ground], 0.8f));
  list.AddRectFilled({card.x, card.y}, {card.x + card.width, card.y + card.height}, c.theme[Colour::Panel], 10 * scale);
  list.AddRect({card.x, card.y}, {card.x + card.width, card.y + card.height}, c.theme[Colour::Line], 10 * scale);
  ImGui::SetCursorScreenPos({card.x + 20 * scale, card.y + 16 * scale});
  ImGui::BeginChild("##sweep.left", {left, card.height - 32 * scale});
  text(c, FontRole::Title, Colour::Text, tr("Sweep"));
  note_place(c, "sweep");
  wrapped_text(c, FontRole::Body, Colour::Muted,
               tr("The same run repeated, with different values of one or two knobs."));
  draw_draft(c);
  vertical_space(c, 14);
  if (button(c, "close_sweep", std::string(tr("Close")) + " (Esc)")) s.open = false;
  ImGui::EndChild();
  const float x = card.x + 20 * scale + left + 40 * scale;
  list.AddRectFilled({x - 21 * scale, card.y + 1}, {x - 20 * scale, card.y + card.height - 1}, c.theme[Colour::Line]);
  draw_result(c, {x, card.y + 16 * scale, card.x + card.width - 20 * scale - x, card.height - 32 * scale});
  ImGui::End();
}

}  // namespace lanescope::ui
