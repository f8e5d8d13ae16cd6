#include "timeline/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/time_limits.h"
#include "base/translate.h"
#include "inspect/destination.h"

namespace lanescope::ui {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMost = 10'000;       // of each kind in a file; nobody makes more by hand
constexpr std::size_t kLongestText = 4096;  // bytes per note

[[noreturn]] void refuse(const std::string& place, const char* allowed) {
  throw base::UsageError(fmt::format("marks: {}: {}", place, base::tr(allowed)));
}

Nanoseconds time_in(const nlohmann::json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  const bool whole = found != object.end() && found->is_number_integer();
  // As a double, because a number of the file may be beyond Nanoseconds.
  if (!whole || std::abs(found->get<double>()) > static_cast<double>(base::kFarthest)) {
    refuse(place + "." + key, N_("must be a whole number of nanoseconds, at most 73 years"));
  }
  return found->get<Nanoseconds>();
}

std::string text_in(const nlohmann::json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) refuse(place + "." + key, N_("must be a text"));
  std::string text = found->get<std::string>();
  if (text.size() > kLongestText) refuse(place + "." + key, N_("must not be longer than 4,096 bytes"));
  return text;
}

template <typename F>
void for_each_in(const nlohmann::json& all, const char* key, F f) {
  const auto found = all.find(key);
  if (found == all.end()) return;
  if (!found->is_array() || found->size() > kMost) refuse(key, N_("must be a list of at most 10,000"));
  for (std::size_t i = 0; i < found->size(); ++i) {
    const std::string place = fmt::format("{}[{}]", key, i);
    if (!(*found)[i].is_object()) refuse(place, N_("must be an object"));
    f((*found)[i], place);
  }
}

}  // namespace

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

std::string marks_to_json(const Marks& marks) {
  if (marks.count() == 0) return {};
  nlohmann::json json{{"version", kVersion}};
  for (const Measure& m : marks.rulers) json["rulers"].push_back({{"from", m.from}, {"to", m.to}, {"lane", m.lane}});
  for (const Bookmark& b : marks.bookmarks) {
    json["bookmarks"].push_back({{"at", b.at}, {"span", b.span_ns}, {"lane", b.lane}, {"text", b.text}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Marks marks_from_json(std::string_view text) {
  Marks marks;
  if (text.empty()) return marks;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) refuse("text", N_("must be a JSON object"));
  for_each_in(json, "rulers", [&](const nlohmann::json& r, const std::string& place) {
    marks.add_ruler(time_in(r, "from", place), time_in(r, "to", place), text_in(r, "lane", place));
  });
  for_each_in(json, "bookmarks", [&](const nlohmann::json& b, const std::string& place) {
    Bookmark bookmark;
    bookmark.at = time_in(b, "at", place);
    const auto span = b.find("span");
    if (span != b.end() && !span->is_number()) refuse(place + ".span", N_("must be a number of nanoseconds"));
    if (span != b.end()) bookmark.span_ns = std::clamp(span->get<double>(), 0.0, static_cast<double>(base::kFarthest));
    bookmark.lane = text_in(b, "lane", place);
    bookmark.text = text_in(b, "text", place);
    marks.add_bookmark(std::move(bookmark));
  });
  return marks;
}

}  // namespace lanescope::ui
