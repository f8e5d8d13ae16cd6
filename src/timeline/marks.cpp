#include "timeline/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "inspect/destination.h"

namespace lanescope::ui {

std::uint32_t Marks::add_ruler(Nanoseconds from, Nanoseconds to, std::string lane) {
  rulers.push_back({next_id_, std::min(from, to), std::max(from, to), std::move(lane)});
  changed();
  return next_id_++;
}

std::uint32_t Marks::add_bookmark(Bookmark bookmark) {
  bookmark.id = next_id_;
  const auto place = std::upper_bound(bookmarks.begin(), bookmarks.end(), bookmark.at,
                                      [](Nanoseconds t, const Bookmark& b) { return t < b.at; });
  bookmarks.insert(place, std::move(bookmark));
  changed();
  return next_id_++;
}

void Marks::remove(std::uint32_t id) {
  const auto is_it = [id](const auto& mark) { return mark.id == id; };
  std::erase_if(pinned, is_it);
  if (std::erase_if(rulers, is_it) + std::erase_if(bookmarks, is_it) > 0) changed();
  if (editing == id) editing.reset();
  if (shown == id) shown.reset();
}

Measure* Marks::ruler(std::uint32_t id) {
  const auto found = std::find_if(rulers.begin(), rulers.end(), [id](const Measure& m) { return m.id == id; });
  return found == rulers.end() ? nullptr : &*found;
}

Bookmark* Marks::bookmark(std::uint32_t id) {
  const auto found = std::find_if(bookmarks.begin(), bookmarks.end(), [id](const Bookmark& b) { return b.id == id; });
  return found == bookmarks.end() ? nullptr : &*found;
}

const Bookmark* Marks::after(Nanoseconds t) const {
  const auto found = std::upper_bound(bookmarks.begin(), bookmarks.end(), t,
                                      [](Nanoseconds at, const Bookmark& b) { return at < b.at; });
  return found == bookmarks.end() ? nullptr : &*found;
}

const Bookmark* Marks::before(Nanoseconds t) const {
  const auto found = std::lower_bound(bookmarks.begin(), bookmarks.end(), t,
                                      [](const Bookmark& b, Nanoseconds at) { return b.at < at; });
  return found == bookmarks.begin() ? nullptr : &*std::prev(found);
}

std::string measure_text(Nanoseconds duration) {
  std::string text = time_in_full(duration);
  if (duration <= 0) return text;
  const double rate = 1e9 / static_cast<double>(duration);
  const std::string often = rate >= 1'000'000 ? fmt::format("{:.2f} M", rate / 1e6)
                            : rate >= 100     ? base::format_count(std::llround(rate))
                                              : fmt::format("{:.3g}", rate);
  return text + "  ·  " + often + base::tr(" /s");
}

}  // namespace lanescope::ui
