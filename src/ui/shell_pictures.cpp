#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "ui/panels/panels.h"
#include "ui/picture.h"
#include "ui/shell.h"

namespace lanescope::ui {
namespace {

using base::tr;

// The stretch in view as a picture's part.
PicturePart part_in_view(const ShellState& state) {
  PicturePart part;
  part.trace = &state.model.trace();
  part.from_ns = state.view.axis().begin_ns();
  part.to_ns = std::min(state.view.axis().end_ns(), std::max(state.model.live_edge(), part.from_ns + 1));
  part.summary =
      state.selection.range && state.range_figures.summary ? *state.range_figures.summary : state.model.recent();
  part.facts = state.model.facts();
  return part;
}

}  // namespace

bool Shell::perform_pictures(Action action) {
  switch (action) {
    case Action::Screenshot:
      screenshot_ = true;
      if (state_.tour == TourStep::PressS) {
        state_.tour = TourStep::Off;
        state_.preferences.tour_done = true;
      }
      return true;
    case Action::TimelinePicture2x:
      save_timeline_picture(2);
      return true;
    case Action::TimelinePicture4x:
      save_timeline_picture(4);
      return true;
    case Action::SaveTrace:
      save_trace(false);
      return true;
    case Action::SaveTraceCompressed:
      save_trace(true);
      return true;
    default:
      return false;
  }
}

std::filesystem::path Shell::new_file(const char* what, const char* extension) const {
  return new_picture_path(state_.preferences, what, extension);
}

void Shell::save_screenshot(const io::Image& image) {
  screenshot_ = false;
  const std::filesystem::path path = new_file("window", ".png");
  PictureRequest facts;
  facts.parts.push_back(part_in_view(state_));
  try {
    io::write_png(path, image, picture_text(facts));
    state_.show_toast(std::string(tr("Picture saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state_.show_toast(error.what(), true);
  }
}

void Shell::save_timeline_picture(float scale) {
  PictureRequest request;
  request.parts.push_back(part_in_view(state_));
  request.theme = state_.preferences.theme;
  request.scale = scale;
  request.headline = state_.model.title();
  const std::filesystem::path path = new_file("timeline", ".png");
  try {
    io::write_png(path, draw_picture(request), picture_text(request));
    state_.show_toast(std::string(tr("Picture saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state_.show_toast(error.what(), true);
  }
}

void Shell::save_trace(bool compressed) {
  if (state_.saving.valid()) return;
  const std::filesystem::path path = new_file("trace", compressed ? ".json.gz" : ".json");
  state_.show_toast(std::string(tr("Saving the trace")) + ": " + path.string());
  state_.saving = std::async(std::launch::async, [path, facts = state_.model.facts(), &trace = state_.model.trace()] {
    io::write_chrome_trace(path, trace, facts);
    return std::string(tr("Trace saved")) + ": " + path.string();
  });
}

}  // namespace lanescope::ui
