#include "shell/preferences.h"

#include <fmt/chrono.h>
#include <spdlog/spdlog.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "base/user_folders.h"
#include "io/atomic_file.h"

namespace lanescope::ui {
namespace {

using base::home_folder;
using base::tr;

constexpr std::size_t kRecent = 12;

template <class... Arguments>
void warn(const char* text, const Arguments&... arguments) {
  spdlog::warn(fmt::format(fmt::runtime(base::tr(text)), arguments...));
}

std::vector<std::string> strings_of(const toml::node& node) {
  std::vector<std::string> texts;
  if (const auto one = node.value<std::string>()) texts.push_back(*one);
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) texts.push_back(item.value_or(std::string("?")));
  }
  return texts;
}

std::string action_names() {
  std::string names;
  for (const ActionInfo& a : standard_actions()) names += (names.empty() ? "" : ", ") + std::string(a.name);
  return names;
}

// Warns about and skips what it does not understand; reads the rest.
Bindings read_bindings(const toml::table& table, const std::string& file) {
  Bindings bindings;
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    const auto actions = standard_actions();
    const auto found = std::find_if(actions.begin(), actions.end(), [&](const auto& a) { return key == a.name; });
    if (found == actions.end()) {
      warn(N_("{}: [keys] {}: no such action (allowed: {})"), file, key, action_names());
      continue;
    }
    if (!node.is_string() && !node.is_array()) {
      warn(N_("{}: [keys] {}: not a key (allowed: \"Ctrl+S\", [\"Ctrl+S\", \"F12\"], [])"), file, key);
      continue;
    }
    std::vector<KeyChord> chords;
    bool understood = false;
    for (const std::string& text : strings_of(node)) {
      const std::optional<KeyChord> chord = parse_chord(text);
      if (!chord) {
        warn(N_("{}: [keys] {}: no such key '{}' (allowed: {})"), file, key, text, allowed_keys());
        continue;
      }
      understood = true;
      const std::optional<Action> other = bindings.taken_by(*chord, found->action);
      if (other && bindings.own(*other)) {
        warn(N_("{}: [keys] {}: {} is the key of {} already (allowed: a key of its own)"), file, key, text,
             info(*other).name);
        continue;
      }
      if (std::find(chords.begin(), chords.end(), *chord) == chords.end()) chords.push_back(*chord);
    }
    const bool none_wanted = node.is_array() && node.as_array()->empty();
    if (understood || none_wanted) bindings.set(found->action, std::move(chords));
  }
  return bindings;
}

toml::table bindings_table(const Bindings& bindings) {
  toml::table table;
  for (const auto& [action, keys] : bindings.all_own()) {
    toml::array chords;
    for (const KeyChord& chord : keys) chords.push_back(chord_name(chord));
    if (keys.size() == 1) {
      table.insert(info(action).name, chord_name(keys.front()));
    } else {
      table.insert(info(action).name, std::move(chords));
    }
  }
  return table;
}

constexpr std::array kSources = {"iteration", "name", "wait"};  // in the order of TriggerSource

TriggerSettings read_trigger(const toml::table& table, const std::string& file) {
  TriggerSettings trigger;
  const std::string source = table["on"].value_or(std::string(kSources.front()));
  const auto found = std::find(kSources.begin(), kSources.end(), source);
  if (found == kSources.end()) {
    warn(N_("{}: [trigger] on: no such trigger '{}' (allowed: iteration, name, wait)"), file, source);
  } else {
    trigger.source = static_cast<TriggerSource>(found - kSources.begin());
  }
  trigger.name = table["name"].value_or(trigger.name);
  const auto time = [&](const char* key, std::int64_t least, std::int64_t standard) {
    return std::clamp(table[key].value_or(standard), least, 10 * base::kSecond);
  };
  trigger.wait_over_ns = time("wait_over_ns", 1, trigger.wait_over_ns);
  trigger.hold_off_ns = time("hold_off_ns", 0, trigger.hold_off_ns);
  return trigger;
}

toml::table trigger_table(const TriggerSettings& trigger) {
  return toml::table{{"on", std::string(kSources[static_cast<std::size_t>(trigger.source)])},
                     {"name", trigger.name},
                     {"wait_over_ns", trigger.wait_over_ns},
                     {"hold_off_ns", trigger.hold_off_ns}};
}

// Entries without a command, or without paths, are left out.
std::vector<AttachedProgram> read_attached(const toml::array& list) {
  std::vector<AttachedProgram> programs;
  for (const toml::node& node : list) {
    const toml::table* table = node.as_table();
    if (!table || programs.size() == kAttachedPrograms) continue;
    AttachedProgram program;
    program.command = (*table)["command"].value_or(std::string());
    program.folder = (*table)["folder"].value_or(std::string());
    program.environment = (*table)["environment"].value_or(std::string());
    program.level = (*table)["level"].value_or(program.level);
    if (!program.command.empty()) programs.push_back(std::move(program));
  }
  return programs;
}

std::vector<MovedSources> read_moved(const toml::array& list) {
  std::vector<MovedSources> all;
  for (const toml::node& node : list) {
    const toml::table* table = node.as_table();
    if (!table || all.size() == kMovedSources) continue;
    MovedSources moved{(*table)["from"].value_or(std::string()), (*table)["to"].value_or(std::string())};
    if (!moved.from.empty() && !moved.to.empty()) all.push_back(std::move(moved));
  }
  return all;
}

ThemeName theme_of(const toml::table& table, const std::string& file) {
  const std::string name = table["theme"].value_or(std::string("dark"));
  try {
    return parse_theme(name);
  } catch (const base::UsageError& error) {
    warn("{}: theme: {}", file, error.what());
    return ThemeName::Dark;
  }
}

ColourBy colour_by_of(const toml::table& table, const char* key, ColourBy standard, const std::string& file) {
  const std::string name = table[key].value_or(std::string(colour_by_key(standard)));
  const std::optional<ColourBy> by = parse_colour_by(name);
  if (!by) {
    warn(N_("{}: {}: no such colouring '{}' (allowed: kind, name, duration, stream, thread)"), file, key, name);
  }
  return by.value_or(standard);
}

// A file with a mistake in it is somebody's work: the next save must not overwrite it. Empty: it could not be renamed.
std::filesystem::path keep_aside(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::filesystem::path aside;
  for (int n = 1; n == 1 || std::filesystem::exists(aside, error); ++n) {
    aside = path.parent_path() / fmt::format("{}.broken{}{}", path.stem().string(), n == 1 ? "" : fmt::format("-{}", n),
                                             path.extension().string());
  }
  std::filesystem::rename(path, aside, error);
  return error ? std::filesystem::path() : aside;
}

}  // namespace

std::filesystem::path preferences_path() { return base::settings_folder() / "settings.toml"; }

Preferences load_preferences(const std::filesystem::path& path, std::string* broken) {
  Preferences p;
  std::ifstream in(path);
  if (!in) return p;
  try {
    const toml::table table = toml::parse(in, path.string());
    p.theme = theme_of(table, path.string());
    const float font_scale = table["font_scale"].value_or(p.font_scale);
    if (!std::isnan(font_scale)) p.font_scale = std::clamp(font_scale, 0.7f, 2.5f);
    if (const auto language = table["language"].value<std::string>()) {
      p.language = *language == "zh" ? base::Language::Chinese : base::Language::English;
    }
    p.colour_by = colour_by_of(table, "colour_by", p.colour_by, path.string());
    p.colour_traces_by = colour_by_of(table, "colour_traces_by", p.colour_traces_by, path.string());
    if (const toml::node* files = table.get("recent_files")) p.recent_files = strings_of(*files);
    if (p.recent_files.size() > kRecentFiles) p.recent_files.resize(kRecentFiles);
    p.animation = table["animation"].value_or(p.animation);
    p.tour_done = table["tour_done"].value_or(p.tour_done);
    p.window_width = std::clamp(table["window_width"].value_or(p.window_width), 640, 16384);
    p.window_height = std::clamp(table["window_height"].value_or(p.window_height), 480, 16384);
    if (const double gb = table["memory_gb"].value_or(p.memory_gb); gb > 0) {
      p.memory_gb = std::clamp(gb, kLeastMemoryGb, kMostMemoryGb);
    }
    p.picture_folder = table["picture_folder"].value_or(p.picture_folder);
    const float share = table["timeline_share"].value_or(p.timeline_share);
    p.code_view = table["code_view"].value_or(p.code_view);
    if (share > 0) p.timeline_share = std::clamp(share, 0.1f, 0.95f);
    const float cpu = table["cpu_share"].value_or(p.cpu_share);
    if (cpu > 0) p.cpu_share = std::clamp(cpu, 0.01f, 0.99f);
    if (const toml::table* keys = table["keys"].as_table()) p.bindings = read_bindings(*keys, path.string());
    if (const toml::table* trigger = table["trigger"].as_table()) p.trigger = read_trigger(*trigger, path.string());
    if (const toml::node* recent = table.get("recent")) p.recent = strings_of(*recent);
    if (p.recent.size() > kRecent) p.recent.resize(kRecent);
    if (const toml::node* plots = table.get("plots")) p.plots = strings_of(*plots);
    if (const toml::array* attached = table["attached"].as_array()) p.attached = read_attached(*attached);
    if (const toml::array* moved = table["moved_sources"].as_array()) p.moved_sources = read_moved(*moved);
  } catch (const toml::parse_error& error) {
    in.close();
    const std::filesystem::path aside = keep_aside(path);
    const std::string problem = aside.empty() ? tr("{}: {}; using defaults", path.string(), error.description())
                                              : tr("{}: {}; using defaults, and it is kept as {}", path.string(),
                                                   error.description(), aside.filename().string());
    spdlog::warn(problem);
    if (broken) *broken = problem;
  }
  return p;
}

void save_preferences(const std::filesystem::path& path, const Preferences& p) {
  toml::table table{{"theme", std::string(theme_key(p.theme))},
                    {"font_scale", p.font_scale},
                    {"language", std::string(base::language_key(p.language))},
                    {"colour_by", std::string(colour_by_key(p.colour_by))},
                    {"colour_traces_by", std::string(colour_by_key(p.colour_traces_by))},
                    {"animation", p.animation},
                    {"tour_done", p.tour_done},
                    {"window_width", p.window_width},
                    {"window_height", p.window_height},
                    {"memory_gb", p.memory_gb},
                    {"picture_folder", p.picture_folder},
                    {"timeline_share", p.timeline_share},
                    {"cpu_share", p.cpu_share},
                    {"code_view", p.code_view}};
  if (p.bindings.any_own()) table.insert("keys", bindings_table(p.bindings));
  if (p.trigger != TriggerSettings{}) table.insert("trigger", trigger_table(p.trigger));
  toml::array recent;
  for (const std::string& name : p.recent) recent.push_back(name);
  if (!recent.empty()) table.insert("recent", std::move(recent));
  toml::array files;
  for (const std::string& file : p.recent_files) files.push_back(file);
  if (!files.empty()) table.insert("recent_files", std::move(files));
  toml::array plots;
  for (const std::string& plot : p.plots) plots.push_back(plot);
  if (!plots.empty()) table.insert("plots", std::move(plots));
  toml::array attached;
  for (const AttachedProgram& a : p.attached) {
    attached.push_back(
        toml::table{{"command", a.command}, {"folder", a.folder}, {"environment", a.environment}, {"level", a.level}});
  }
  if (!attached.empty()) table.insert("attached", std::move(attached));
  toml::array moved;
  for (const MovedSources& m : p.moved_sources) moved.push_back(toml::table{{"from", m.from}, {"to", m.to}});
  if (!moved.empty()) table.insert("moved_sources", std::move(moved));
  std::ostringstream text;
  text << table << '\n';
  try {
    std::filesystem::create_directories(path.parent_path());
    io::write_text_file(path, text.str());
  } catch (const std::exception& error) {
    warn(N_("settings are not remembered: {}"), error.what());
  }
}

std::string short_path(const std::filesystem::path& path) {
  const std::filesystem::path inside = path.lexically_relative(home_folder());
  const bool outside = inside.empty() || *inside.begin() == ".." || home_folder() == "/";
  return outside ? path.string() : inside == "." ? "~" : "~/" + inside.string();
}

std::filesystem::path picture_folder(const Preferences& preferences) {
  if (!preferences.picture_folder.empty()) return preferences.picture_folder;
  if (const std::string folder = base::environment("XDG_PICTURES_DIR"); folder.starts_with('/')) return folder;
  std::error_code ignored;
  return std::filesystem::is_directory(home_folder() / "Pictures", ignored) ? home_folder() / "Pictures"
                                                                            : home_folder();
}

std::filesystem::path new_picture_path(const Preferences& preferences, const char* what, const char* extension) {
  const std::time_t now = std::time(nullptr);
  const std::string stem = fmt::format("lanescope-{}-{:%Y%m%d-%H%M%S}", what, fmt::localtime(now));
  const std::filesystem::path folder = picture_folder(preferences);
  std::filesystem::path path = folder / (stem + extension);
  std::error_code ignored;
  for (int n = 2; std::filesystem::exists(path, ignored); ++n)
    path = folder / fmt::format("{}-{}{}", stem, n, extension);
  return path;
}

}  // namespace lanescope::ui
