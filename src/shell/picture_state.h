// The window's state for pictures: the panel's choices, its preview, and the files being written.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/background_job.h"
#include "picture/compare_picture.h"
#include "picture/picture.h"
#include "render/imgui_image.h"

namespace lanescope::ui {

struct ShellState;

enum class PictureSubject : std::uint8_t { Window, Timeline, Selection, Comparison /* A and B */ };

struct PictureChoices {
  PictureSubject subject = PictureSubject::Timeline;
  PictureFormat format = PictureFormat::Png;
  float scale = 2;
  std::optional<ThemeName> theme;  ///< empty: as shown
  bool caption = true;

  bool operator==(const PictureChoices&) const = default;
};

/// What was in view when the panel was opened: it stays while the run continues.
struct PictureMoment {
  Nanoseconds from = 0, to = 0, label_origin = 0;
  std::uint64_t generation = 0;

  bool operator==(const PictureMoment&) const = default;
};

/// What the preview depends on.
struct PreviewKey {
  PictureChoices choices;
  PictureMoment moment;
  std::optional<EventRef> event;
  std::optional<Nanoseconds> bubble;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> range;
  std::vector<trace::LaneId> lanes;
  bool figures = false;  ///< whether the figures of the range are known
  std::uint64_t layout = 0, marks = 0;
  std::vector<std::array<float, 3>> pins;  ///< number and place of each
  std::size_t found = 0, averaged = 0;
  std::uint64_t compared = 0;  ///< version of A and B; next: their alignment and view
  bool by_time = false;
  std::pair<Nanoseconds, Nanoseconds> compared_view{};
  ThemeName theme = ThemeName::Dark;
  Colouring colouring;
  std::vector<trace::GpuNumber> bands;    ///< of several GPUs
  std::optional<std::size_t> collective;  ///< selected

  bool operator==(const PreviewKey&) const = default;
};

struct PicturePreview {
  std::optional<PreviewKey> of;
  ImageTexture texture;
  PictureSize size;     ///< of the picture, at the chosen scale
  float scale = 0;      ///< for which `size` was computed
  std::string problem;  ///< why there is no preview
};

enum class PictureDeed : std::uint8_t { Save, SaveAs, Copy };

struct PictureState {
  PictureChoices choices;
  std::string path;               ///< for Save as, as typed so far
  std::string replace;            ///< an existing file; asking again replaces it
  std::filesystem::path written;  ///< the last file that was saved
  std::optional<PictureMoment> moment;
  PicturePreview preview;
  std::optional<PictureDeed> wanted;  ///< carried out after the frame
  /// Draws the whole window again, scaled by this factor and in this theme; set by the window.
  std::function<io::Image(float scale, ThemeName theme)> paint_window;

  struct Writing {
    std::filesystem::path path;             ///< empty: the clipboard
    base::BackgroundJob<std::string> done;  ///< returns the toast's text
  };
  std::vector<Writing> writing;
  base::BackgroundJob<std::string> saving;  ///< a trace or table that is being written; returns the toast's text
  std::filesystem::path saved_trace;        ///< the trace of `saving`, to be remembered; else empty

  bool busy(bool panel_open) const { return wanted || !writing.empty() || (panel_open && !preview.of); }
};

/// The time range of a picture: for an event or a bubble, with its surroundings and related events; for a selected
/// range, just that range.
std::pair<Nanoseconds, Nanoseconds> picture_range(const Selection& selection, const CausePath& path,
                                                  std::pair<Nanoseconds, Nanoseconds> extent);
/// The time range in view.
PictureMoment picture_moment(const ShellState& state);
/// The timeline as on the screen. Throws base::UsageError if the selection is requested and nothing is selected.
PictureRequest picture_request(const ShellState& state, const PictureChoices& choices, const PictureMoment& moment);
/// A and B as in their view. Throws base::UsageError if one is missing.
ComparePicture comparison_picture(const ShellState& state, const PictureChoices& choices);
PreviewKey preview_key(const ShellState& state);
/// Brings the panel's preview up to date. Needs the GL context, outside a frame.
void update_preview(ShellState& state);

}  // namespace lanescope::ui
