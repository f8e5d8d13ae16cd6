#include "render/fonts.h"

#include <ft2build.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include FT_ADVANCES_H
#include FT_FREETYPE_H

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/huge_pages.h"
#include "base/plain_text.h"
#include "base/platform/files.h"
#include "picture/font_files.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::array<ImWchar, 5> kFigures{0x0020, 0x0039, 0x0078, 0x0078, 0};  // of a factor: "1.44x"

// The characters the program uses: Latin with its extension (translations), Greek, punctuation, arrows, mathematics,
// and a few shapes as icons.
constexpr std::array<ImWchar, 25> kGlyphs{0x0020, 0x017f, 0x0391, 0x03c9, 0x2010, 0x2026, 0x2030, 0x203a, 0x2070,
                                          0x2079, 0x2190, 0x2199, 0x21ba, 0x21bb, 0x2202, 0x222b, 0x2248, 0x2248,
                                          0x2260, 0x2265, 0x25a0, 0x25cf, 0x2713, 0x2717, 0};
// Taken from DejaVu Sans if the text font lacks them.
constexpr std::array<ImWchar, 13> kSymbols{0x2190, 0x2199, 0x21ba, 0x21bb, 0x2202, 0x222b, 0x2248,
                                           0x2265, 0x25a0, 0x25cf, 0x2713, 0x2717, 0};

constexpr std::uintmax_t kLargestFont = 256 << 20;

struct FontData {
  base::MappedPages bytes;
  std::size_t size = 0;
};

/// A font's file, read once: all roles and all atlases share it. Empty if it cannot be read.
const FontData& font_data(const fs::path& path) {
  static std::mutex mutex;
  static std::map<fs::path, FontData> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(path);
  FontData& data = found->second;
  if (!is_new || path.empty()) return data;
  const base::File file(base::open_file(path, "rb"));
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!file || error || size == 0 || size > kLargestFont) return data;
  data.bytes = base::map_pages(static_cast<std::size_t>(size));
  data.size = std::fread(data.bytes.get(), 1, static_cast<std::size_t>(size), file.get());
  return data;
}

/// A font file opened with FreeType, for data that ImGui's atlas does not keep.
class Face {
 public:
  /// From memory: FreeType reads a few bytes at a time, thousands of times. The bytes must outlive it.
  explicit Face(const FontData& data) {
    if (data.size == 0 || FT_Init_FreeType(&library_) != 0) return;
    const auto* const bytes = reinterpret_cast<const FT_Byte*>(data.bytes.get());
    if (FT_New_Memory_Face(library_, bytes, static_cast<FT_Long>(data.size), 0, &face_) != 0) face_ = nullptr;
  }
  ~Face() {
    if (face_ != nullptr) FT_Done_Face(face_);
    if (library_ != nullptr) FT_Done_FreeType(library_);
  }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  bool ok() const { return face_ != nullptr && face_->units_per_EM > 0; }

  /// ImGui takes a line height as size; this is the line height of one em.
  float line_height_per_em() const {
    const int units = face_->ascender - face_->descender;
    return units > 0 ? static_cast<float>(units) / static_cast<float>(face_->units_per_EM) : 1.2f;
  }

  /// The unhinted advance of a character as a fraction of the em; negative if the font lacks the character.
  float advance_per_em(unsigned character) const {
    const FT_UInt index = FT_Get_Char_Index(face_, character);
    FT_Fixed advance = 0;
    if (index == 0 || FT_Get_Advance(face_, index, FT_LOAD_NO_SCALE, &advance) != 0) return -1;
    return static_cast<float>(advance) / static_cast<float>(face_->units_per_EM);
  }

 private:
  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

#if IMGUI_VERSION_NUM < 19200
/// ImGui's FreeType builder rounds every advance up, which spaces text too widely. Rounds to nearest instead.
void round_advances(ImFont& font, const Face& face, float em_px) {
  if (!face.ok()) return;
  for (ImFontGlyph& glyph : font.Glyphs) {
    const float advance = face.advance_per_em(glyph.Codepoint);
    if (advance < 0) continue;
    glyph.AdvanceX = std::round(advance * em_px);
    const int index = static_cast<int>(glyph.Codepoint);
    if (index < font.IndexAdvanceX.Size) font.IndexAdvanceX[index] = glyph.AdvanceX;
  }
}
#endif

#if IMGUI_VERSION_NUM < 19200
/// There is only one weight of Chinese characters, so fonts of the same size share them, which halves what must be
/// rasterised and stored.
void share_glyphs(const ImFont& from, ImFont& to, const std::vector<ImWchar>& ranges) {
  const float down = std::round(to.Ascent) - std::round(from.Ascent);
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2) {
    for (ImWchar c = ranges[i]; c <= ranges[i + 1]; ++c) {
      const ImFontGlyph* g = from.FindGlyphNoFallback(c);
      if (g == nullptr) continue;
      to.AddGlyph(nullptr, c, g->X0, g->Y0 + down, g->X1, g->Y1 + down, g->U0, g->V0, g->U1, g->V1, g->AdvanceX);
    }
  }
  to.BuildLookupTable();
}
#endif

/// The Chinese characters of a text as ranges for an atlas: each as a pair of equal numbers, sorted, unique, terminated
/// by 0.
std::vector<ImWchar> glyph_ranges_of(const std::string& text) {
  std::vector<ImWchar> found;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = base::next_code_point(text, i);
    if (base::is_wide(c) && c <= 0xffff) found.push_back(static_cast<ImWchar>(c));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<ImWchar> ranges;
  for (const ImWchar c : found) {
    if (!ranges.empty() && ranges.back() + 1 == c) {
      ranges.back() = c;
    } else {
      ranges.insert(ranges.end(), {c, c});
    }
  }
  ranges.push_back(0);
  return ranges;
}

/// The index of the Simplified Chinese face in a collection.
int chinese_face(const fs::path& path) { return path.filename() == "NotoSansCJK-Regular.ttc" ? 2 : 0; }

/// The bytes stay ours.
ImFont* add_file(ImFontAtlas& atlas, const FontData& data, float line_height, ImFontConfig config,
                 const ImWchar* ranges) {
  config.FontDataOwnedByAtlas = IMGUI_VERSION_NUM < 19200;  // which would otherwise copy them
  ImFont* font =
      atlas.AddFontFromMemoryTTF(data.bytes.get(), static_cast<int>(data.size), line_height, &config, ranges);
#if IMGUI_VERSION_NUM < 19200
  atlas.ConfigData.back().FontDataOwnedByAtlas = false;
#endif
  return font;
}

/// Adds the font of one role; `em_px` receives its actual size in the atlas. `chinese` must exist until the atlas is
/// built.
ImFont* add_font(ImFontAtlas& atlas, const fs::path& path, float wanted_em_px, const std::vector<ImWchar>& chinese,
                 const ImWchar* ranges, float& em_px) {
  ImFontConfig config;
  config.OversampleH = 1;
  config.PixelSnapH = true;
  // Hinting snaps stems to pixels: good for small letters, a distortion of large ones.
#if IMGUI_VERSION_NUM >= 19200
  config.FontLoaderFlags =
      wanted_em_px < 22 ? ImGuiFreeTypeLoaderFlags_LightHinting : ImGuiFreeTypeLoaderFlags_NoHinting;
#else
  config.FontBuilderFlags =
      wanted_em_px < 22 ? ImGuiFreeTypeBuilderFlags_LightHinting : ImGuiFreeTypeBuilderFlags_NoHinting;
#endif
  ImFont* font = nullptr;
  const Face face(font_data(path));
  if (face.ok()) {
    const float line = std::max(1.0f, std::round(wanted_em_px * face.line_height_per_em()));
    em_px = line / face.line_height_per_em();
    font = add_file(atlas, font_data(path), line, config, ranges);
  }
  if (font == nullptr) {
    ImFontConfig builtin;
    builtin.SizePixels = std::max(1.0f, std::round(wanted_em_px));
    em_px = builtin.SizePixels;
    return atlas.AddFontDefault(&builtin);
  }
  const fs::path& symbols = system_font_files().symbols;
  const Face symbol_face(font_data(symbols));
  if (symbols != path && symbol_face.ok()) {
    config.MergeMode = true;
    add_file(atlas, font_data(symbols), std::round(em_px * symbol_face.line_height_per_em()), config, kSymbols.data());
  }
  const fs::path& file = system_font_files().chinese;
#if IMGUI_VERSION_NUM >= 19200  // loads a glyph when it is drawn: any name in a trace can be read
  const bool wanted = true;
#else
  const bool wanted = chinese.size() > 1;
#endif
  if (wanted && !file.empty()) {
    const Face face_of_chinese(font_data(file));
    if (!face_of_chinese.ok()) return font;
    config.MergeMode = true;
    config.FontNo = static_cast<decltype(config.FontNo)>(chinese_face(file));  // ImS8 since 1.92
    add_file(atlas, font_data(file), std::round(em_px * face_of_chinese.line_height_per_em()), config, chinese.data());
  }
  return font;
}

}  // namespace

ImFont* Fonts::operator[](FontRole role) const {
  const std::array<ImFont*, kFontRoleCount> fonts{body, body_bold,  small,   small_bold, title,
                                                  mono, mono_small, verdict, lead,       factor};
  return fonts[static_cast<std::size_t>(role)];
}

float Fonts::ascent(FontRole role) const {
#if IMGUI_VERSION_NUM >= 19200
  return (*this)[role]->GetFontBaked(size(role))->Ascent;
#else
  const ImFont& font = *(*this)[role];
  return font.Ascent * size(role) / font.FontSize;
#endif
}

void MissingLetters::note([[maybe_unused]] const ImFont& font, [[maybe_unused]] std::string_view text) {
#if IMGUI_VERSION_NUM < 19200
  constexpr unsigned char kFirstOfThreeBytes = 0xE0;  // no character of fewer is wide
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < kFirstOfThreeBytes) {
      ++i;
      continue;
    }
    const char32_t c = base::next_code_point(text, i);
    if (c >= noted_.size() || noted_[c] || !base::is_wide(c)) continue;
    if (font.FindGlyphNoFallback(static_cast<ImWchar>(c)) != nullptr) continue;
    noted_.set(c);
    base::append_utf8(text_, c);
  }
#endif
}

void Fonts::note(FontRole role, std::string_view text) const {
  if (missing) missing->note(*(*this)[role], text);
}

float Fonts::width(FontRole role, std::string_view text) const {
  note(role, text);
  return (*this)[role]->CalcTextSizeA(size(role), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

std::string_view Fonts::within(FontRole role, std::string_view text, float max_width) const {
  note(role, text);
  const char* cut = text.data();
  (*this)[role]->CalcTextSizeA(size(role), max_width, 0, text.data(), text.data() + text.size(), &cut);
  return text.substr(0, static_cast<std::size_t>(cut - text.data()));
}

Fonts load_fonts(ImFontAtlas& atlas, float pixel_scale, float density, const ChineseTexts& chinese) {
  const FontFiles& files = system_font_files();
#if IMGUI_VERSION_NUM >= 19210
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
#elif IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.TexDesiredWidth = pixel_scale > 1.5f ? 4096 : 2048;
#endif
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;

  struct Wanted {
    FontRole role;
    ImFont* Fonts::*font;
    const fs::path& path;
  };
  const std::array<Wanted, kFontRoleCount> wanted{{{FontRole::Body, &Fonts::body, files.regular},
                                                   {FontRole::BodyBold, &Fonts::body_bold, files.semi_bold},
                                                   {FontRole::Small, &Fonts::small, files.regular},
                                                   {FontRole::SmallBold, &Fonts::small_bold, files.semi_bold},
                                                   {FontRole::Title, &Fonts::title, files.bold},
                                                   {FontRole::Mono, &Fonts::mono, files.mono},
                                                   {FontRole::MonoSmall, &Fonts::mono_small, files.mono},
                                                   {FontRole::Verdict, &Fonts::verdict, files.bold},
                                                   {FontRole::Lead, &Fonts::lead, files.regular},
                                                   {FontRole::Factor, &Fonts::factor, files.bold}}};
  const std::vector<ImWchar> body = glyph_ranges_of(chinese.body), small = glyph_ranges_of(chinese.small),
                             title = glyph_ranges_of(chinese.title), mono = glyph_ranges_of(chinese.mono),
                             verdict = glyph_ranges_of(chinese.verdict), lead = glyph_ranges_of(chinese.lead), none{0};
  const auto letters = [&](FontRole role) -> const std::vector<ImWchar>& {
    switch (role) {
      case FontRole::Body:
        return body;
      case FontRole::Small:
        return small;
      case FontRole::Title:
        return title;
      case FontRole::Verdict:
        return verdict;
      case FontRole::Lead:
        return lead;
#if IMGUI_VERSION_NUM >= 19200  // which loads glyphs on demand
      case FontRole::BodyBold:
        return body;
      case FontRole::SmallBold:
        return small;
      default:
        return mono;
#else
      default:
        return none;
#endif
    }
  };
  Fonts fonts;
  std::array<float, kFontRoleCount> em_px{};
  for (const Wanted& w : wanted) {
    const auto index = static_cast<std::size_t>(w.role);
    fonts.*w.font = add_font(atlas, w.path, em_size(w.role) * pixel_scale, letters(w.role),
                             w.role == FontRole::Factor ? kFigures.data() : kGlyphs.data(), em_px[index]);
  }
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
  for (const Wanted& w : wanted) {
    round_advances(*(fonts.*w.font), Face(font_data(w.path)), em_px[static_cast<std::size_t>(w.role)]);
  }
  if (body.size() > 1) share_glyphs(*fonts.body, *fonts.body_bold, body);
  if (small.size() > 1) share_glyphs(*fonts.small, *fonts.small_bold, small);
  if (mono.size() > 1) {
    share_glyphs(*fonts.body, *fonts.mono, mono);
    share_glyphs(*fonts.small, *fonts.mono_small, mono);
  }
#endif
  for (const Wanted& w : wanted) {
#if IMGUI_VERSION_NUM >= 19200
    const float line = (fonts.*w.font)->LegacySize;
#else
    const float line = (fonts.*w.font)->FontSize;  // known after the atlas was built
#endif
    fonts.line_height[static_cast<std::size_t>(w.role)] = line / density;
  }
  return fonts;
}

void set_text_density(float density) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::GetStyle().FontScaleMain = 1 / density;
#else
  ImGui::GetIO().FontGlobalScale = 1 / density;
#endif
}

}  // namespace lanescope::ui
