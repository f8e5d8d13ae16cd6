// What a person leaves on a trace: rulers that measure, bookmarks, notes, tooltips that stay. All are bound to times of
// the trace, so they stay where they belong when the view moves. Rulers, bookmarks and notes travel with the saved
// trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "ui/timeline.h"

namespace lanescope::ui {

/// A ruler that a person laid down and that stays. ("Ruler" alone is the time axis at the top.)
struct Measure {
  std::uint32_t id = 0;
  Nanoseconds from = 0, to = 0;  ///< from <= to
  std::string lane;              ///< Timeline::key_of() where it lies; empty: under the time axis

  bool operator==(const Measure&) const = default;
};

/// A moment to come back to, and with a text a note.
struct Bookmark {
  std::uint32_t id = 0;
  Nanoseconds at = 0;
  double span_ns = 0;  ///< of the view that it brings back
  std::string lane;    ///< Timeline::key_of(), or empty: of the whole moment
  std::string text;    ///< of a note, one line; empty: a bookmark only

  bool is_note() const { return !text.empty(); }
  bool operator==(const Bookmark&) const = default;
};

/// A tooltip that was kept: the event it is of, and where it stands beside it.
struct PinnedTooltip {
  std::uint32_t id = 0;
  TimelineHit hit;
  Nanoseconds at = 0;    ///< what its leading line points at
  float dx = 0, dy = 0;  ///< from there to its upper left corner, in pixels at scale 1
};

class Marks {
 public:
  std::vector<Measure> rulers;      ///< in the order in which they were laid down
  std::vector<Bookmark> bookmarks;  ///< by time
  std::vector<PinnedTooltip> pinned;

  std::optional<Measure> open;           ///< a ruler whose second end follows the mouse
  std::optional<std::uint32_t> editing;  ///< the note whose text is being typed
  std::string edit_text;
  bool edit_begins = false;            ///< its text field takes the keyboard
  std::optional<std::uint32_t> shown;  ///< the bookmark that was gone to last
  std::uint64_t generation = 0;        ///< the run that they are of

  std::uint32_t add_ruler(Nanoseconds from, Nanoseconds to, std::string lane);
  std::uint32_t add_bookmark(Bookmark bookmark);  ///< its id is given
  void remove(std::uint32_t id);                  ///< whatever it is
  Measure* ruler(std::uint32_t id);
  Bookmark* bookmark(std::uint32_t id);
  /// The next bookmark or note after `t`, or the last one before it.
  const Bookmark* after(Nanoseconds t) const;
  const Bookmark* before(Nanoseconds t) const;
  std::uint32_t take_id() { return next_id_++; }
  std::size_t count() const { return rulers.size() + bookmarks.size(); }
  /// Changes when a ruler, a bookmark or a note does: time to save.
  std::uint64_t version() const { return version_; }
  void changed() { ++version_; }

 private:
  std::uint32_t next_id_ = 1;
  std::uint64_t version_ = 0;
};

/// "268.4 us  ·  3,726 /s": how long, and how often that fits into a second.
std::string measure_text(Nanoseconds duration);

/// Rulers, bookmarks and notes as JSON text (for io::RunFacts::marks), empty when there are none; and back. What cannot
/// be read throws base::UsageError that names the place.
std::string marks_to_json(const Marks& marks);
Marks marks_from_json(std::string_view json);

}  // namespace lanescope::ui
