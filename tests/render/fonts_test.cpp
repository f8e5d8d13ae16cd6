#include "render/fonts.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "picture/font_files.h"
#include "picture/words.h"
#include "render/labels.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

class FontFolders : public testing::Test {
 protected:
  ~FontFolders() override { fs::remove_all(root_); }
  fs::path add(const std::string& path) {
    const fs::path full = root_ / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << "x";
    return full;
  }
  fs::path root_ = fs::temp_directory_path() / ("lanescope-fonts-" + std::to_string(getpid()));
};

TEST_F(FontFolders, PreferInterThenRobotoThenDejaVu) {
  const fs::path dejavu = add("a/truetype/dejavu/DejaVuSans.ttf"), mono = add("a/truetype/dejavu/DejaVuSansMono.ttf");
  FontFiles files = find_font_files({root_ / "a"});
  EXPECT_EQ(files.regular, dejavu);
  EXPECT_EQ(files.bold, dejavu);  // its own bold is not there
  EXPECT_EQ(files.mono, mono);
  EXPECT_EQ(files.symbols, dejavu);

  const fs::path roboto = add("b/x/y/Roboto-Regular.ttf"), medium = add("b/x/y/Roboto-Medium.ttf");
  files = find_font_files({root_ / "a", root_ / "b"});
  EXPECT_EQ(files.regular, roboto);
  EXPECT_EQ(files.semi_bold, medium);
  EXPECT_EQ(files.bold, medium);

  const fs::path inter = add("a/Inter-Regular.otf"), bold = add("a/Inter-Bold.otf");
  const fs::path jetbrains = add("b/JetBrainsMono-Regular.ttf");
  files = find_font_files({root_ / "a", root_ / "b"});
  EXPECT_EQ(files.regular, inter);
  EXPECT_EQ(files.semi_bold, bold);
  EXPECT_EQ(files.mono, jetbrains);
}

TEST_F(FontFolders, TheFirstFolderWinsAndOddOnesDoNoHarm) {
  add("second/Inter-Regular.otf");
  const fs::path own = add("first/Inter-Regular.otf");
  fs::create_directory_symlink(root_, root_ / "first/ring");
  add("first/1/2/3/4/5/6/7/DejaVuSansMono.ttf");  // deeper than anything real
  const FontFiles files = find_font_files({root_ / "missing", root_ / "first", root_ / "second"});
  EXPECT_EQ(files.regular, own);
  EXPECT_EQ(files.mono, fs::path());
  EXPECT_EQ(find_font_files({}).regular, fs::path());
  EXPECT_EQ(files.chinese, fs::path());
  add("second/wqy-zenhei.ttc");
  const fs::path chinese = add("first/wqy-microhei.ttc");
  EXPECT_EQ(find_font_files({root_ / "first", root_ / "second"}).chinese, chinese);
}

TEST(FontFoldersOfTheSystem, FollowTheEnvironment) {
  const std::string data_before = std::getenv("XDG_DATA_HOME") == nullptr ? "" : std::getenv("XDG_DATA_HOME");
  setenv("XDG_DATA_HOME", "/somewhere/data", 1);
  EXPECT_EQ(font_folders().front(), fs::path("/somewhere/data/fonts"));
  // The user's and the system's come before those in the program's own folder.
  const std::vector<fs::path> folders = font_folders();
  EXPECT_EQ(*(folders.end() - 2), fs::path("/usr/share/fonts"));
  EXPECT_EQ(folders.back(), fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share/lanescope/fonts");
  if (data_before.empty()) {
    unsetenv("XDG_DATA_HOME");
  } else {
    setenv("XDG_DATA_HOME", data_before.c_str(), 1);
  }
}

/// Fonts in an atlas of an ImGui context, built, without OpenGL.
class LoadedFonts : public testing::Test {
 protected:
  LoadedFonts() : context_(ImGui::CreateContext()) {
    ImGui::GetIO().IniFilename = nullptr;
    fonts_ = load_fonts(*ImGui::GetIO().Fonts, 1);
  }
  ~LoadedFonts() override { ImGui::DestroyContext(context_); }
  ImGuiContext* context_;
  Fonts fonts_;
};

TEST_F(LoadedFonts, EveryRoleHasOneOfItsSize) {
  for (std::size_t i = 0; i < kFontRoleCount; ++i) {
    const auto role = static_cast<FontRole>(i);
    ASSERT_NE(fonts_[role], nullptr);
    // A line is between one and one and a half letter sizes high in every font in use.
    EXPECT_GE(fonts_.size(role), em_size(role));
    EXPECT_LE(fonts_.size(role), em_size(role) * 1.5f);
  }
  EXPECT_EQ(fonts_[FontRole::Verdict], fonts_.verdict);
  EXPECT_EQ(fonts_[FontRole::SmallBold], fonts_.small_bold);
}

TEST_F(LoadedFonts, DensityLeavesTheLogicalSize) {
  ImFontAtlas atlas;
  const Fonts dense = load_fonts(atlas, 2, 2);
  for (std::size_t i = 0; i < kFontRoleCount; ++i) {
    const auto role = static_cast<FontRole>(i);
    EXPECT_NEAR(dense.size(role), fonts_.size(role), 0.51f);
    const float ratio =
        text_width(dense, role, "cudaStreamSynchronize") / text_width(fonts_, role, "cudaStreamSynchronize");
    EXPECT_NEAR(ratio, 1, 0.08);  // advances are whole pixels at each density
  }
  ImFontAtlas large;
  EXPECT_NEAR(load_fonts(large, 2, 1).size(FontRole::Body), 2 * fonts_.size(FontRole::Body), 1.01f);
}

#if IMGUI_VERSION_NUM < 19200
TEST_F(LoadedFonts, HaveTheSignsThatAreUsed) {
  if (find_font_files(font_folders()).regular.empty()) GTEST_SKIP() << "no font of ours on this system";
  for (int sign : {0x2192, 0x2190, 0x2191, 0x2193, 0x00b7, 0x2026, 0x2013, 0x2014, 0x00d7, 0x2264, 0x2265, 0x2248,
                   0x00b5, 0x00e4, 0x03bb, 0x25cf, 0x25b6}) {
    EXPECT_NE(fonts_.body->FindGlyphNoFallback(static_cast<ImWchar>(sign)), nullptr) << std::hex << sign;
    EXPECT_NE(fonts_.small->FindGlyphNoFallback(static_cast<ImWchar>(sign)), nullptr) << std::hex << sign;
  }
  EXPECT_NE(fonts_.mono->FindGlyphNoFallback(0x00b5), nullptr);
}
#endif

#if IMGUI_VERSION_NUM < 19200
TEST_F(LoadedFonts, HaveTheChineseLettersThatAreAskedForWhereTheyAreDrawn) {
  if (!has_chinese_font()) GTEST_SKIP() << "no font with Chinese letters; install " << kChineseFontPackage;
  EXPECT_EQ(fonts_.body->FindGlyphNoFallback(0x8bfb), nullptr);  // 读
  ImFontAtlas atlas;
  const Fonts fonts = load_fonts(atlas, 1, 1, {"读取，", "读", ""});
  EXPECT_NE(fonts.body->FindGlyphNoFallback(0x8bfb), nullptr);
  EXPECT_NE(fonts.body_bold->FindGlyphNoFallback(0xff0c), nullptr);  // ，
  EXPECT_EQ(fonts.small->FindGlyphNoFallback(0xff0c), nullptr);
  EXPECT_NE(fonts.small->FindGlyphNoFallback(0x8bfb), nullptr);
  EXPECT_EQ(fonts.title->FindGlyphNoFallback(0x8bfb), nullptr);
  EXPECT_EQ(fonts.mono->FindGlyphNoFallback(0x8bfb), nullptr);
  // As wide as the letter is high, without a higher line.
  EXPECT_NEAR(text_width(fonts, FontRole::Body, "读"), em_size(FontRole::Body), 1.01f);
  EXPECT_FLOAT_EQ(fonts.size(FontRole::Body), fonts_.size(FontRole::Body));
}

// All characters of all experiments, and no more: a texture with every Chinese character would be a hundred times as
// large.
TEST_F(LoadedFonts, TheChineseTextsTakeLittleRoom) {
  if (!has_chinese_font()) GTEST_SKIP() << "no font with Chinese letters; install " << kChineseFontPackage;
  const auto height = [](const ChineseTexts& texts) {
    ImFontAtlas atlas;
    load_fonts(atlas, 1, 1, texts);
    return atlas.TexHeight;
  };
  const int english = height(chinese_texts(experiment::Language::English));
  const int chinese = height(chinese_texts(experiment::Language::Chinese));
  RecordProperty("english", english);
  RecordProperty("chinese", chinese);
  EXPECT_LE(english, height({}) + 64);
  EXPECT_LE(chinese, english + 1024);  // the texture is 2048 wide
}
#endif

TEST_F(LoadedFonts, FiguresOfTheMonospacedFontHaveOneWidth) {
  const float width = text_width(fonts_, FontRole::Mono, "0000");
  EXPECT_GT(width, 0);
  for (const char* figures : {"1111", "4444", "8.8 ", "9999"}) {
    EXPECT_FLOAT_EQ(text_width(fonts_, FontRole::Mono, figures), width);
  }
}

TEST_F(LoadedFonts, TextIsCutToFit) {
  const std::string_view text = "linear_forward";
  const float whole = text_width(fonts_, FontRole::Small, text);
  EXPECT_EQ(fit_text(fonts_, FontRole::Small, text, whole), text);
  const std::string cut = fit_text(fonts_, FontRole::Small, text, whole * 0.7f);
  EXPECT_TRUE(cut.ends_with("\u2026")) << cut;
  EXPECT_TRUE(cut.starts_with("line")) << cut;
  EXPECT_LE(text_width(fonts_, FontRole::Small, cut), whole * 0.7f + 0.01f);
  EXPECT_EQ(fit_text(fonts_, FontRole::Small, text, 12), "");
  EXPECT_EQ(fit_text(fonts_, FontRole::Small, text, -5), "");
  EXPECT_EQ(fit_text(fonts_, FontRole::Small, "", 50), "");
  // Cut between characters, never inside a two-byte character.
  const std::string umlauts = fit_text(fonts_, FontRole::Small, "ääääääääää", whole * 0.5f);
  EXPECT_EQ((umlauts.size() - 3) % 2, 0u) << umlauts;
}

}  // namespace
}  // namespace lanescope::ui
