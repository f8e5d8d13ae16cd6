#include "shell/write_pictures.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/platform/desktop.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "base/user_folders.h"
#include "io/atomic_file.h"
#include "render/draw_pictures.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"
#include "timeline/marks.h"

namespace lanescope::ui {

using base::tr;
namespace fs = std::filesystem;

namespace {

std::string saved_text(const fs::path& path) { return std::string(tr("Picture saved")) + ": " + path.string(); }

void guarded(ShellState& state, const auto& f) {
  try {
    f();
  } catch (const std::exception& error) {
    state.show_toast(error.what(), true);
  }
}

void carry_out(ShellState& state, PictureDeed deed) {
  PictureState& pictures = state.pictures;
  const PictureChoices& choices = pictures.choices;
  if (deed == PictureDeed::Copy) return copy_picture(state, choices, *pictures.moment);
  const bool as = deed == PictureDeed::SaveAs;
  const fs::path path =
      as ? typed_picture_path(state)
         : free_picture_name(state, picture_subject_word(choices.subject), picture_extension(choices.format));
  const PictureFormat format = picture_format(path);
  std::error_code ignored;
  if (as && fs::exists(path, ignored) && pictures.replace != path.string()) {
    pictures.replace = path.string();
    return state.show_toast(tr("{} already exists; Save as again replaces it", path.string()), true);
  }
  write_beside(pictures, path, draw_as(state, choices, *pictures.moment, format));
  pictures.replace.clear();
  pictures.written = path;
}

void save(ShellState& state, PictureSubject subject, float scale) {
  guarded(state, [&] {
    PictureChoices choices;
    choices.subject = subject;
    choices.scale = scale;
    DrawnPicture drawn = draw_as(state, choices, picture_moment(state), PictureFormat::Png);
    write_beside(state.pictures, free_picture_name(state, picture_subject_word(subject), ".png"), std::move(drawn));
  });
}

void screenshot(ShellState& state) { state.requests.screenshot = true; }

bool sees_a_and_b(const ShellState& state) { return state.comparison.state.open && state.comparison.state.b(); }

void toggle_panel(ShellState& state) {
  toggle_overlay(state, Overlay::Picture);
  // Default to what the user is looking at.
  PictureSubject& subject = state.pictures.choices.subject;
  if (sees_a_and_b(state)) {
    subject = PictureSubject::Comparison;
  } else if (subject == PictureSubject::Comparison) {
    subject = PictureSubject::Timeline;
  }
}

void copy_what_is_seen(ShellState& state) {
  guarded(state, [&] {
    PictureChoices seen;
    if (sees_a_and_b(state)) seen.subject = PictureSubject::Comparison;
    copy_picture(state, state.overlays.open == Overlay::Picture ? state.pictures.choices : seen,
                 state.pictures.moment.value_or(picture_moment(state)));
  });
}

void copy_table(ShellState& state) {
  const CompareState& compare = state.comparison.state;
  ImGui::SetClipboardText(markdown(*compare.a(), *compare.b()).c_str());
  state.show_toast(tr("Table copied as Markdown"));
}

std::string picture_nothing_selected(const ShellState& state) {
  return state.selection.empty() ? tr("nothing is selected") : "";
}

std::string no_a_and_b(const ShellState& state) {
  return state.comparison.state.b() ? "" : tr("there are no A and B yet");
}

std::string no_table(const ShellState& state) {
  return state.comparison.state.b() ? "" : tr("No table yet: pin a run as A, then turn a knob");
}

}  // namespace

void DrawnPicture::write(const fs::path& path) const {
  if (svg.empty()) return io::write_png(path, image, text);
  io::write_text_file(path, svg);
}

std::map<std::string, std::string> window_text(const ShellState& state) {
  PictureChoices choices;
  return picture_text(picture_request(state, choices, picture_moment(state)));
}

const char* picture_subject_word(PictureSubject subject) {
  switch (subject) {
    case PictureSubject::Window:
      return "window";
    case PictureSubject::Timeline:
      return "timeline";
    case PictureSubject::Comparison:
      return "comparison";
    default:
      return "selection";
  }
}

DrawnPicture draw_as(ShellState& state, const PictureChoices& choices, const PictureMoment& moment,
                     PictureFormat format) {
  if (choices.subject == PictureSubject::Window) {
    if (format == PictureFormat::Svg) {
      throw base::UsageError(tr("a picture of the window is a PNG; the timeline and the selection can be SVG, too"));
    }
    const ThemeName theme = choices.theme.value_or(state.preferences.theme);
    return {state.pictures.paint_window(choices.scale, theme), {}, window_text(state)};
  }
  if (choices.subject == PictureSubject::Comparison) {
    const ComparePicture picture = comparison_picture(state, choices);
    if (format == PictureFormat::Svg) return {{}, draw_compare_svg(picture), {}};
    return {draw_compare_picture(picture), {}, compare_picture_text(picture)};
  }
  const PictureRequest request = picture_request(state, choices, moment);
  if (format == PictureFormat::Svg) return {{}, draw_picture_svg(request), {}};
  return {draw_picture(request), {}, picture_text(request)};
}

void write_beside(PictureState& pictures, const fs::path& path, DrawnPicture drawn) {
  pictures.writing.push_back({path, {}});
  pictures.writing.back().done.start([path, drawn = std::move(drawn)] {
    drawn.write(path);
    return saved_text(path);
  });
}

fs::path free_picture_name(const ShellState& state, const char* what, const char* extension) {
  const fs::path first = new_picture_path(state.preferences, what, extension);
  fs::path path = first;
  const auto taken = [&] {
    std::error_code ignored;
    return fs::exists(path, ignored) ||
           std::ranges::any_of(state.pictures.writing, [&](const auto& w) { return w.path == path; });
  };
  for (int n = 2; taken(); ++n)
    path = first.parent_path() / fmt::format("{}-{}{}", first.stem().string(), n, extension);
  return path;
}

fs::path typed_picture_path(const ShellState& state) {
  const PictureState& pictures = state.pictures;
  std::string typed = pictures.path;
  if (typed.find_first_not_of(' ') == std::string::npos) throw base::UsageError(tr("Save as: type a file name"));
  if (typed.starts_with("~/")) typed = base::home_folder().string() + typed.substr(1);
  fs::path path = typed;
  if (path.is_relative()) path = picture_folder(state.preferences) / path;
  if (!path.has_extension()) path += picture_extension(pictures.choices.format);
  return path;
}

void copy_picture(ShellState& state, const PictureChoices& choices, const PictureMoment& moment) {
  DrawnPicture drawn = draw_as(state, choices, moment, PictureFormat::Png);
  PictureState& pictures = state.pictures;
  const fs::path instead = free_picture_name(state, picture_subject_word(choices.subject), ".png");
  pictures.writing.push_back({instead, {}});
  pictures.writing.back().done.start([instead, drawn = std::move(drawn)] {
    try {
      base::copy_png(io::png_bytes(drawn.image, drawn.text));
    } catch (const base::Error& error) {
      drawn.write(instead);
      return tr("{}; the picture was saved to a file instead: {}", error.what(), instead.string());
    }
    return tr("Picture copied: {} x {} pixels", drawn.image.width, drawn.image.height);
  });
}

// After a frame: carries out the panel's request, updates its preview, and reports finished files.
void work_on_pictures(ShellState& state) {
  PictureState& pictures = state.pictures;
  for (std::size_t i = 0; i < pictures.writing.size();) {
    PictureState::Writing& writing = pictures.writing[i];
    if (!writing.done.ready()) {
      ++i;
      continue;
    }
    guarded(state, [&] {
      if (const auto said = writing.done.take()) state.show_toast(*said);
    });
    pictures.writing.erase(pictures.writing.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (state.overlays.open != Overlay::Picture) {
    pictures.moment.reset();
    pictures.preview.of.reset();
    pictures.preview.texture.clear();
    pictures.wanted.reset();
    return;
  }
  if (!pictures.moment || pictures.moment->generation != state.model.generation()) {
    pictures.moment = picture_moment(state);
  }
  if (pictures.wanted) guarded(state, [&] { carry_out(state, *std::exchange(pictures.wanted, std::nullopt)); });
  update_preview(state);
}

std::vector<ActionInfo> picture_actions() {
  return {
      {Action::Screenshot, ActionGroup::Out, "screenshot", N_("picture of the window"), {{key::F12}}, screenshot},
      {Action::TimelinePicture2x,
       ActionGroup::Out,
       "timeline-picture-2x",
       N_("picture of the timeline, 2x"),
       {},
       [](ShellState& s) { save(s, PictureSubject::Timeline, 2); }},
      {Action::TimelinePicture4x,
       ActionGroup::Out,
       "timeline-picture-4x",
       N_("picture of the timeline, 4x"),
       {},
       [](ShellState& s) { save(s, PictureSubject::Timeline, 4); }},
      {Action::SelectionPicture,
       ActionGroup::Out,
       "selection-picture",
       N_("picture of the selection, 2x"),
       {},
       [](ShellState& s) { save(s, PictureSubject::Selection, 2); },
       picture_nothing_selected},
      {Action::PicturePanel,
       ActionGroup::Out,
       "picture-panel",
       N_("picture: content, format, scale, caption"),
       {{key::S, kCtrl}},
       toggle_panel},
      {Action::CopyPicture,
       ActionGroup::Out,
       "copy-picture",
       N_("copy a picture of the timeline"),
       {},
       copy_what_is_seen},
      {Action::ComparisonPicture,
       ActionGroup::Out,
       "comparison-picture",
       N_("picture of A and B with their figures, 2x"),
       {},
       [](ShellState& s) { save(s, PictureSubject::Comparison, 2); },
       no_a_and_b},
      {Action::CopyComparison,
       ActionGroup::Out,
       "copy-comparison",
       N_("copy the figures of A and B (Markdown)"),
       {},
       copy_table,
       no_table},
  };
}

}  // namespace lanescope::ui
