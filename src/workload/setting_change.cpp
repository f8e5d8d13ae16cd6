#include "workload/setting_change.h"

#include <cctype>
#include <map>

#include "base/translate.h"
#include "workload/workload.h"

namespace lanescope::workload {
namespace {

using Markers = std::span<const trace::Event>;
using Labels = std::map<std::string, std::string, std::less<>>;

const Labels& labels() {
  static const Labels all = [] {
    Labels found;
    for (const std::string& workload : workload_names()) {
      const Settings settings = default_settings(workload, {});
      for (const SettingSpec& spec : settings.specs()) found.try_emplace(spec.key, spec.label);
    }
    return found;
  }();
  return all;
}

bool has_change(const trace::Event& marker) {
  return trace::is_setting_change(marker) && trace::change_of(marker).key != 0;
}

bool together(const trace::Event& a, const trace::Event& b) {
  return has_change(a) && has_change(b) && a.start_ns == b.start_ns &&
         trace::change_of(a).version == trace::change_of(b).version;
}

std::string text_of(std::string_view label, std::string_view before, std::string_view now) {
  return std::string(label) + " " + std::string(before) + " → " + std::string(now);
}

// A label in mid-sentence: in English, in lower case.
std::string in_a_line(std::string label) {
  for (char& c : label) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return label;
}

std::string translated(std::string_view key) {
  const std::string label(setting_label(key));
  return base::language() == base::Language::English ? in_a_line(label) : base::tr(label);
}

}  // namespace

std::string_view setting_label(std::string_view key) {
  const auto found = labels().find(key);
  return found == labels().end() ? key : std::string_view(found->second);
}

std::string change_text(const SettingSpec& spec, std::string_view before, std::string_view now) {
  return text_of(in_a_line(spec.label), before, now);
}

std::string marker_text(const base::NameTable& names, Markers markers) {
  if (markers.empty()) return {};
  if (!has_change(markers.front())) return base::tr(std::string(names.text(markers.front().name)));
  std::size_t first = 1, last = 1;  // how many settings changed together with the first one, and with the last one
  while (first < markers.size() && together(markers[first], markers.front())) ++first;
  while (last < markers.size() && together(markers[markers.size() - 1 - last], markers.back())) ++last;
  trace::SettingChange change = trace::change_of(markers.front());
  if (first == 1 && last == 1 && has_change(markers.back())) {
    const trace::SettingChange newest = trace::change_of(markers.back());
    if (newest.key == change.key) change.now = newest.now;
  }
  std::string text = text_of(translated(names.text(change.key)), names.text(change.before), names.text(change.now));
  for (const trace::Event& other : markers.subspan(1, first - 1)) {
    const trace::SettingChange also = trace::change_of(other);
    text += ", " + text_of(translated(names.text(also.key)), names.text(also.before), names.text(also.now));
  }
  return text;
}

}  // namespace lanescope::workload
