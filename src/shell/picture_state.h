// What the window keeps for its pictures: the panel's choices, its preview, and what is being written.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/background_job.h"
#include "model/clipboard.h"
#include "picture/compare_picture.h"
#include "picture/picture.h"
#include "render/image_texture.h"

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

/// What a person saw when they asked for the panel: it stays while a run goes on behind it.
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
  bool figures = false;  ///< of the range, known by now
  std::uint64_t layout = 0, marks = 0;
  std::vector<std::array<float, 3>> pins;  ///< number and place of each
  std::size_t found = 0, averaged = 0;
  std::uint64_t compared = 0;  ///< A and B, and what is seen of them
  bool by_time = false;
  std::pair<Nanoseconds, Nanoseconds> compared_view{};
  ThemeName theme = ThemeName::Dark;

  bool operator==(const PreviewKey&) const = default;
};

struct PicturePreview {
  std::optional<PreviewKey> of;
  ImageTexture texture;
  PictureSize size;     ///< of the picture, at the chosen scale
  float scale = 0;      ///< for which `size` was worked out
  std::string problem;  ///< why there is none
};

enum class PictureDeed : std::uint8_t { Save, SaveAs, Copy };

struct PictureState {
  PictureChoices choices;
  std::string path;               ///< of Save as, as it is being typed
  std::string replace;            ///< a file that is there already; asked for once more, it is replaced
  std::filesystem::path written;  ///< the file that was saved last
  std::optional<PictureMoment> moment;
  PicturePreview preview;
  std::optional<PictureDeed> wanted;  ///< done after the frame
  /// Draws the whole window once more, so much larger than on the screen and in a theme; the window sets it.
  std::function<io::Image(float scale, ThemeName theme)> paint_window;

  Clipboard clipboard;
  struct Writing {
    std::filesystem::path path;             ///< empty: the clipboard
    base::BackgroundJob<std::string> done;  ///< gives the toast's text
  };
  std::vector<Writing> writing;             ///< after the clipboard, which it uses
  base::BackgroundJob<std::string> saving;  ///< a trace that is being written; gives the toast's text

  bool busy(bool panel_open) const { return wanted || !writing.empty() || (panel_open && !preview.of); }
};

/// The stretch of an event or a bubble with its surroundings, and with what belongs to it; of a selected range just
/// that.
std::pair<Nanoseconds, Nanoseconds> picture_range(const Selection& selection, const CausePath& path,
                                                  std::pair<Nanoseconds, Nanoseconds> extent);
/// The stretch in view.
PictureMoment picture_moment(const ShellState& state);
/// The timeline as it is on the screen. Throws base::UsageError when the selection is asked for and there is none.
PictureRequest picture_request(const ShellState& state, const PictureChoices& choices, const PictureMoment& moment);
/// A and B as they are in their view. Throws base::UsageError when there are not both.
ComparePicture comparison_picture(const ShellState& state, const PictureChoices& choices);
PreviewKey preview_key(const ShellState& state);
/// Brings the panel's preview up to date. Needs the GL context, outside a frame.
void update_preview(ShellState& state);

}  // namespace lanescope::ui
