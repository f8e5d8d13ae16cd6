#include "picture/font_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/platform/paths.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 5;  // below a font folder; also ends cycles of symbolic links

struct Family {
  std::vector<std::string_view> regular, semi_bold, bold;  // the first existing file of each is used
};

const std::array<Family, 3>& families() {
  static const std::array<Family, 3> kFamilies{{
      {{"Inter-Regular.otf", "Inter-Regular.ttf"},
       {"Inter-SemiBold.otf", "Inter-SemiBold.ttf", "Inter-Medium.otf", "Inter-Medium.ttf"},
       {"Inter-Bold.otf", "Inter-Bold.ttf"}},
      {{"Roboto-Regular.ttf"}, {"Roboto-Medium.ttf", "Roboto-Bold.ttf"}, {"Roboto-Bold.ttf"}},
      {{"DejaVuSans.ttf"}, {"DejaVuSans-Bold.ttf"}, {"DejaVuSans-Bold.ttf"}},
  }};
  return kFamilies;
}

constexpr std::array<std::string_view, 4> kMono{"JetBrainsMono-Regular.ttf", "JetBrainsMono-Regular.otf",
                                                "JetBrainsMonoNL-Regular.ttf", "DejaVuSansMono.ttf"};
constexpr std::string_view kSymbols = "DejaVuSans.ttf";
constexpr std::array<std::string_view, 5> kChinese{"NotoSansCJK-Regular.ttc", "NotoSansSC-Regular.otf",
                                                   "wqy-microhei.ttc", "wqy-zenhei.ttc", "DroidSansFallbackFull.ttf"};

using Found = std::map<std::string, fs::path, std::less<>>;  // an empty path: wanted, not found yet

Found wanted_names() {
  Found wanted;
  for (const Family& family : families()) {
    for (const auto* names : {&family.regular, &family.semi_bold, &family.bold}) {
      for (std::string_view name : *names) wanted.emplace(name, fs::path());
    }
  }
  for (std::string_view name : kMono) wanted.emplace(name, fs::path());
  wanted.emplace(kSymbols, fs::path());
  for (std::string_view name : kChinese) wanted.emplace(name, fs::path());
  return wanted;
}

template <typename Names>
fs::path first_of(const Found& found, const Names& names) {
  for (std::string_view name : names) {
    const auto it = found.find(name);
    if (it != found.end() && !it->second.empty()) return it->second;
  }
  return {};
}

// Of files with the same name, the one that lies highest: a folder lists its files in no order of its own.
void look_through(const fs::path& folder, Found& found) {
  std::vector<std::pair<int, fs::path>> hits;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied | fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator it(folder, options, error), end; !error && it != end; it.increment(error)) {
    if (it.depth() >= kDeepest) it.disable_recursion_pending();
    if (found.contains(it->path().filename().string())) hits.emplace_back(it.depth(), it->path());
  }
  std::sort(hits.begin(), hits.end());
  for (const auto& [depth, path] : hits) {
    fs::path& first = found[path.filename().string()];
    if (first.empty()) first = path;
  }
}

}  // namespace

std::vector<fs::path> font_folders() { return base::font_folders(); }

FontFiles find_font_files(const std::vector<fs::path>& folders) {
  Found found = wanted_names();
  for (const fs::path& folder : folders) look_through(folder, found);

  FontFiles files;
  for (const Family& family : families()) {
    files.regular = first_of(found, family.regular);
    if (files.regular.empty()) continue;
    files.semi_bold = first_of(found, family.semi_bold);
    files.bold = first_of(found, family.bold);
    if (files.semi_bold.empty()) files.semi_bold = files.bold.empty() ? files.regular : files.bold;
    if (files.bold.empty()) files.bold = files.semi_bold;
    break;
  }
  files.mono = first_of(found, kMono);
  files.chinese = first_of(found, kChinese);
  files.symbols = first_of(found, std::array<std::string_view, 1>{kSymbols});
  return files;
}

const FontFiles& system_font_files() {
  static const FontFiles kFiles = find_font_files(font_folders());
  return kFiles;
}

bool has_chinese_font() { return !system_font_files().chinese.empty(); }

}  // namespace lanescope::ui
