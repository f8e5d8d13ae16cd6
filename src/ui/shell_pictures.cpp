// What goes out: pictures and traces. What takes long is written beside the drawing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "io/atomic_file.h"
#include "ui/marks/marks.h"
#include "ui/picture.h"
#include "ui/shell.h"

namespace lanescope::ui {
namespace {

using base::tr;
namespace fs = std::filesystem;

const char* file_word(PictureSubject subject) {
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

std::string saved_text(const fs::path& path) { return std::string(tr("Picture saved")) + ": " + path.string(); }

// A picture that has been drawn and still has to become bytes, which needs no OpenGL and may take a second.
struct Drawn {
  io::Image image;
  std::string svg;  ///< instead, where it is not empty
  std::map<std::string, std::string> text;

  void write(const fs::path& path) const {
    if (svg.empty()) return io::write_png(path, image, text);
    io::write_text_file(path, svg);
  }
};

// What the window shows, for its picture's text.
std::map<std::string, std::string> window_text(const ShellState& state) {
  PictureChoices choices;
  return picture_text(picture_request(state, choices, picture_moment(state)));
}

Drawn drawn_as(ShellState& state, const PictureChoices& choices, const PictureMoment& moment, PictureFormat format) {
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

void write_beside(PictureState& pictures, const fs::path& path, Drawn drawn) {
  pictures.writing.push_back({path, std::async(std::launch::async, [path, drawn = std::move(drawn)] {
                                drawn.write(path);
                                return saved_text(path);
                              })});
}

// A name that is neither there nor about to be.
fs::path free_name(const ShellState& state, const char* what, const char* extension) {
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

// "~/a", "a" in the picture folder, "a" without an ending.
fs::path typed_path(const ShellState& state) {
  const PictureState& pictures = state.pictures;
  std::string typed = pictures.path;
  if (typed.find_first_not_of(' ') == std::string::npos) throw base::UsageError(tr("Save as: type a file name"));
  const char* home = std::getenv("HOME");
  if (typed.starts_with("~/") && home) typed = home + typed.substr(1);
  fs::path path = fs::path(typed);
  if (path.is_relative()) path = picture_folder(state.preferences) / path;
  if (!path.has_extension()) path += picture_extension(pictures.choices.format);
  return path;
}

void copy(ShellState& state, const PictureChoices& choices, const PictureMoment& moment) {
  Drawn drawn = drawn_as(state, choices, moment, PictureFormat::Png);
  PictureState& pictures = state.pictures;
  const fs::path instead = free_name(state, file_word(choices.subject), ".png");
  pictures.writing.push_back(
      {instead, std::async(std::launch::async, [&pictures, instead, drawn = std::move(drawn)] {
         try {
           pictures.clipboard.set_png(io::png_bytes(drawn.image, drawn.text));
         } catch (const base::Error& error) {
           drawn.write(instead);
           return fmt::format(fmt::runtime(tr("{}; the picture was saved to a file instead: {}")), error.what(),
                              instead.string());
         }
         return fmt::format(fmt::runtime(tr("Picture copied: {} x {} pixels")), drawn.image.width, drawn.image.height);
       })});
}

}  // namespace

bool Shell::perform_pictures(Action action) {
  PictureState& pictures = state_.pictures;
  const auto guarded = [&](const auto& f) {
    try {
      f();
    } catch (const std::exception& error) {
      state_.show_toast(error.what(), true);
    }
  };
  const auto save = [&](PictureSubject subject, float scale) {
    guarded([&] {
      PictureChoices choices;
      choices.subject = subject;
      choices.scale = scale;
      Drawn drawn = drawn_as(state_, choices, picture_moment(state_), PictureFormat::Png);
      write_beside(pictures, free_name(state_, file_word(subject), ".png"), std::move(drawn));
    });
  };
  switch (action) {
    case Action::Screenshot:
      screenshot_ = true;
      if (state_.tour == TourStep::PressS) {
        state_.tour = TourStep::Off;
        state_.preferences.tour_done = true;
      }
      return true;
    case Action::TimelinePicture2x:
      save(PictureSubject::Timeline, 2);
      return true;
    case Action::TimelinePicture4x:
      save(PictureSubject::Timeline, 4);
      return true;
    case Action::SelectionPicture:
      save(PictureSubject::Selection, 2);
      return true;
    case Action::ComparisonPicture:
      save(PictureSubject::Comparison, 2);
      return true;
    case Action::PicturePanel:
      open_only(state_.picture_panel_open);
      // Of what a person looks at.
      if (state_.compare.open && state_.compare.b()) {
        pictures.choices.subject = PictureSubject::Comparison;
      } else if (pictures.choices.subject == PictureSubject::Comparison) {
        pictures.choices.subject = PictureSubject::Timeline;
      }
      return true;
    case Action::CopyPicture:
      guarded([&] {
        PictureChoices seen;
        if (state_.compare.open && state_.compare.b()) seen.subject = PictureSubject::Comparison;
        copy(state_, state_.picture_panel_open ? pictures.choices : seen,
             pictures.moment.value_or(picture_moment(state_)));
      });
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

// After a frame: what the panel asked for, its preview, and what has been written meanwhile.
void Shell::work_on_pictures() {
  PictureState& pictures = state_.pictures;
  const auto guarded = [&](const auto& f) {
    try {
      f();
    } catch (const std::exception& error) {
      state_.show_toast(error.what(), true);
    }
  };
  for (std::size_t i = 0; i < pictures.writing.size();) {
    PictureState::Writing& writing = pictures.writing[i];
    if (writing.done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      ++i;
      continue;
    }
    guarded([&] { state_.show_toast(writing.done.get()); });
    pictures.writing.erase(pictures.writing.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!state_.picture_panel_open) {
    pictures.moment.reset();
    pictures.preview.of.reset();
    pictures.preview.texture.clear();
    pictures.wanted.reset();
    return;
  }
  if (!pictures.moment || pictures.moment->generation != state_.model.generation()) {
    pictures.moment = picture_moment(state_);
  }
  if (pictures.wanted) guarded([&] { carry_out_picture(*std::exchange(pictures.wanted, std::nullopt)); });
  update_preview(state_);
}

void Shell::carry_out_picture(PictureDeed deed) {
  PictureState& pictures = state_.pictures;
  const PictureChoices& choices = pictures.choices;
  if (deed == PictureDeed::Copy) return copy(state_, choices, *pictures.moment);
  const bool as = deed == PictureDeed::SaveAs;
  const fs::path path =
      as ? typed_path(state_) : free_name(state_, file_word(choices.subject), picture_extension(choices.format));
  const PictureFormat format = picture_format(path);
  std::error_code ignored;
  if (as && fs::exists(path, ignored) && pictures.replace != path.string()) {
    pictures.replace = path.string();
    return state_.show_toast(
        fmt::format(fmt::runtime(tr("{} already exists; Save as again replaces it")), path.string()), true);
  }
  write_beside(pictures, path, drawn_as(state_, choices, *pictures.moment, format));
  pictures.replace.clear();
  pictures.written = path;
}

std::filesystem::path Shell::new_file(const char* what, const char* extension) const {
  return free_name(state_, what, extension);
}

void Shell::save_screenshot(const io::Image& image) {
  screenshot_ = false;
  write_beside(state_.pictures, new_file("window", ".png"), {image, {}, window_text(state_)});
}

void Shell::save_trace(bool compressed) {
  if (state_.saving.valid()) return;
  const std::filesystem::path path = new_file("trace", compressed ? ".json.gz" : ".json");
  state_.show_toast(std::string(tr("Saving the trace")) + ": " + path.string());
  io::RunFacts shown = state_.model.facts();
  shown.marks = marks_to_json(state_.marks);
  state_.saving = std::async(std::launch::async, [path, facts = std::move(shown), &trace = state_.model.trace()] {
    io::write_chrome_trace(path, trace, facts);
    return std::string(tr("Trace saved")) + ": " + path.string();
  });
}

}  // namespace lanescope::ui
