// Pictures and saved traces.
#include "desk/action_checks.h"
#include "shell/selecting.h"

namespace lanescope::ui_test {

using ui::Action;

namespace {

void empty_folder(Desk& desk) {
  for (const auto& path : desk.saved()) std::filesystem::remove(path);
  desk.state().preferences.picture_folder = desk.pictures().string();
}

std::function<bool(Desk&)> saved_as(std::string word, std::string ending) {
  return [word = "lanescope-" + std::move(word), ending = std::move(ending)](Desk& desk) {
    for (const auto& path : desk.saved()) {
      const std::string name = path.filename().string();
      if (name.starts_with(word) && name.ends_with(ending)) return true;
    }
    return false;
  };
}

void select_an_iteration(Desk& desk) {
  empty_folder(desk);
  const auto& last = desk.state().model.analysis().records().back();
  ui::select_range(desk.state(), last.start_ns, last.end_ns);
}

void close_overlay(Desk& desk) { desk.state().overlays.open.reset(); }

}  // namespace

std::vector<ActionCheck> out_checks() {
  return {
      {Action::Screenshot, empty_folder, saved_as("window", ".png")},
      {Action::TimelinePicture2x, empty_folder, saved_as("timeline", ".png")},
      {Action::TimelinePicture4x, empty_folder, saved_as("timeline", ".png")},
      {Action::SelectionPicture, select_an_iteration, saved_as("selection", ".png")},
      {Action::PicturePanel,
       {},
       [](Desk& desk) { return desk.has_place("picture.save") && !desk.state().pictures.preview.texture.empty(); }},
      // Without a display there is no clipboard for it: see tests/window.
      {Action::CopyPicture, empty_folder, saved_as("timeline", ".png")},
      {Action::CopyDetails,
       [](Desk& desk) {
         ui::ShellState& state = desk.state();
         const auto& last = state.model.analysis().records().back();
         ui::select_range(state, last.start_ns, last.end_ns);
         state.toast.reset();
       },
       [](Desk& desk) { return desk.state().toast && desk.state().toast->text.starts_with("copied: "); }},
      {Action::OpenTrace, close_overlay, [](Desk& desk) { return desk.has_place("files.confirm"); }},
      {Action::SaveTraceAs, close_overlay,
       [](Desk& desk) { return desk.has_place("files.confirm") && desk.state().files.field.typed.ends_with(".json"); }},
      {Action::SaveSelection,
       [](Desk& desk) {
         close_overlay(desk);
         select_an_iteration(desk);
       },
       [](Desk& desk) { return desk.has_place("files.confirm") && desk.state().files.field.typed.ends_with(".json"); }},
      {Action::SaveExperiment, close_overlay,
       [](Desk& desk) { return desk.has_place("files.confirm") && desk.state().files.field.typed.ends_with(".toml"); }},
      {Action::SaveTrace, empty_folder, saved_as("trace", ".json")},
      {Action::SaveTraceCompressed, empty_folder, saved_as("trace", ".json.gz")},
  };
}

}  // namespace lanescope::ui_test
