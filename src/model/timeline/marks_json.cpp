#include "model/timeline/marks_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"

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
