#include "model/source/recorded.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "base/error.h"
#include "base/translate.h"
#include "lanescope_captures.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr std::string_view kIndex = "captures.toml";
constexpr std::string_view kEnding = ".json.gz";

toml::table read_index(std::span<const captures::File> files) {
  const auto index = std::find_if(files.begin(), files.end(), [](const captures::File& f) { return f.path == kIndex; });
  if (index == files.end()) return {};
  try {
    return toml::parse(index->text, kIndex);
  } catch (const toml::parse_error&) {
    return {};  // the captures are still listed, under their names
  }
}

// "h200--linear-mse--log-1" becomes "h200, linear-mse, log-1".
std::string title_of(std::string name) {
  for (std::size_t at = 0; (at = name.find("--", at)) != std::string::npos; at += 2) name.replace(at, 2, ", ");
  return name;
}

}  // namespace

std::vector<RecordedCapture> captures_among(std::span<const captures::File> files) {
  const toml::table index = read_index(files);
  std::vector<RecordedCapture> captures;
  for (const captures::File& file : files) {
    if (!file.path.ends_with(kEnding)) continue;
    RecordedCapture capture;
    capture.name = file.path.substr(0, file.path.size() - kEnding.size());
    const auto entry = index[capture.name];
    capture.title = entry["title"].value_or(title_of(capture.name));
    capture.summary = entry["summary"].value_or(std::string());
    capture.bytes = file.text;
    captures.push_back(std::move(capture));
  }
  std::sort(captures.begin(), captures.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return captures;
}

const std::vector<RecordedCapture>& recorded_captures() {
  static const std::vector<RecordedCapture> captures = captures_among(lanescope::captures::files());
  return captures;
}

const RecordedCapture& capture_named(std::span<const RecordedCapture> captures, std::string_view name) {
  std::string allowed;
  for (const RecordedCapture& capture : captures) {
    if (capture.name == name) return capture;
    allowed += fmt::format("{}{}{}", allowed.empty() ? "" : ", ", kRecordedPrefix, capture.name);
  }
  if (allowed.empty()) {
    throw base::UsageError(tr("'{}{}' is unknown; this program includes no recorded runs", kRecordedPrefix, name));
  }
  throw base::UsageError(tr("'{}{}' is unknown; allowed: {}", kRecordedPrefix, name, allowed));
}

std::optional<std::string> recorded_name(const std::vector<std::filesystem::path>& files) {
  if (files.size() != 1 || !files.front().string().starts_with(kRecordedPrefix)) return std::nullopt;
  return files.front().string().substr(kRecordedPrefix.size());
}

}  // namespace lanescope::ui
