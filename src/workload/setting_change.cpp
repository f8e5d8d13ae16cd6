#include "workload/setting_change.h"

#include <cctype>
#include <map>
#include <optional>

#include "base/translate.h"
#include "workload/workload.h"

namespace lanescope::workload {
namespace {

using Markers = std::span<const trace::Event>;
using Specs = std::map<std::string, SettingSpec, std::less<>>;

const SettingSpec* spec_of(std::string_view key) {
  static const Specs all = [] {
    Specs found;
    for (const std::string& workload : workload_names()) {
      const Settings settings = default_settings(workload, {});
      for (const SettingSpec& spec : settings.specs()) found.try_emplace(spec.key, spec);
    }
    return found;
  }();
  const auto found = all.find(key);
  return found == all.end() ? nullptr : &found->second;
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

// A label in mid-sentence: in English its first letter is small, unless it begins an abbreviation.
std::string in_a_line(std::string label) {
  const auto upper = [&](std::size_t i) {
    return i < label.size() && std::isupper(static_cast<unsigned char>(label[i])) != 0;
  };
  if (upper(0) && !upper(1)) label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
  return label;
}

std::string translated(std::string_view key) {
  const std::string label(setting_label(key));
  return base::language() == base::Language::English ? in_a_line(label) : base::tr(label);
}

// "log interval 1 → never", as the knob shows it; with a value that it had in between "1 → never → 1".
std::string in_words(const base::NameTable& names, const trace::SettingChange& change,
                     std::optional<base::NameId> between = {}) {
  const SettingSpec* spec = spec_of(names.text(change.key));
  const auto value = [&](base::NameId id) {
    const std::string_view text = names.text(id);
    return spec && spec->zero_is_never && text == "0" ? std::string_view(base::tr("never")) : text;
  };
  std::string before(value(change.before));
  if (between) before += " → " + std::string(value(*between));
  return text_of(translated(names.text(change.key)), before, value(change.now));
}

}  // namespace

std::string_view setting_label(std::string_view key) {
  const SettingSpec* spec = spec_of(key);
  return spec ? std::string_view(spec->label) : key;
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
  std::optional<base::NameId> between;
  if (first == 1 && last == 1 && has_change(markers.back())) {
    const trace::SettingChange newest = trace::change_of(markers.back());
    if (newest.key == change.key) {
      if (newest.now == change.before) between = newest.before;  // turned back to where it began
      change.now = newest.now;
    }
  }
  std::string text = in_words(names, change, between);
  for (const trace::Event& other : markers.subspan(1, first - 1)) {
    text += ", " + in_words(names, trace::change_of(other));
  }
  return text;
}

}  // namespace lanescope::workload
