// The user's marks on a trace: rulers, bookmarks, notes and pinned tooltips. All refer to times of the trace, so they
// keep their place when the view moves. Rulers, bookmarks and notes are saved with the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "timeline/timeline.h"

namespace lanescope::ui {

/// A ruler laid by the user. (The time axis at the top is also called a ruler.)
struct Measure {
  std::uint32_t id = 0;
  Nanoseconds from = 0, to = 0;  ///< from <= to
  std::string lane;              ///< Timeline::key_of() of the lane it lies on; empty: below the time axis

  bool operator==(const Measure&) const = default;
};

/// A time to return to; with a text, a note.
struct Bookmark {
  std::uint32_t id = 0;
  Nanoseconds at = 0;
  double span_ns = 0;  ///< of the view that it restores
  std::string lane;    ///< Timeline::key_of(); empty: not tied to a lane
  std::string text;    ///< of a note, one line; empty for a bookmark

  bool is_note() const { return !text.empty(); }
  bool operator==(const Bookmark&) const = default;
};

/// A pinned tooltip: its event, and its position beside it.
struct PinnedTooltip {
  std::uint32_t id = 0;
  TimelineHit hit;
  Nanoseconds at = 0;    ///< target of its leader line
  float dx = 0, dy = 0;  ///< from the target to its upper left corner, in pixels at scale 1
};

class Marks {
 public:
  std::vector<Measure> rulers;      ///< in order of creation
  std::vector<Bookmark> bookmarks;  ///< by time
  std::vector<PinnedTooltip> pinned;

  std::optional<Measure> open;           ///< a ruler whose second end follows the mouse
  std::optional<std::uint32_t> editing;  ///< the note being edited
  std::string edit_text;
  bool edit_begins = false;            ///< its text field takes the keyboard focus
  std::optional<std::uint32_t> shown;  ///< the bookmark visited last
  std::uint64_t generation = 0;        ///< the run they belong to

  std::uint32_t add_ruler(Nanoseconds from, Nanoseconds to, std::string lane);
  std::uint32_t add_bookmark(Bookmark bookmark);  ///< assigns its id
  void remove(std::uint32_t id);                  ///< of any kind
  Measure* ruler(std::uint32_t id);
  Bookmark* bookmark(std::uint32_t id);
  /// The next bookmark or note after `t`, or the last one before it.
  const Bookmark* after(Nanoseconds t) const;
  const Bookmark* before(Nanoseconds t) const;
  std::uint32_t take_id() { return next_id_++; }
  std::size_t count() const { return rulers.size() + bookmarks.size(); }
  /// Incremented when a ruler, a bookmark or a note changes and must be saved.
  std::uint64_t version() const { return version_; }
  void changed() { ++version_; }

 private:
  std::uint32_t next_id_ = 1;
  std::uint64_t version_ = 0;
};

/// The duration and the corresponding rate: "268.4 us  ·  3,726 /s".
std::string measure_text(Nanoseconds duration);

}  // namespace lanescope::ui
