#include "base/translate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::base {
namespace {

// A binary gettext catalogue: header, table of originals, table of translations, texts. Pairs are sorted by original.
std::string catalogue(const std::vector<std::pair<std::string, std::string>>& pairs) {
  const auto count = static_cast<std::uint32_t>(pairs.size());
  std::vector<std::uint32_t> head{0x950412de, 0, count, 28, 28 + 8 * count, 0, 28 + 16 * count};
  std::string texts;
  std::vector<std::uint32_t> originals, translations;
  const auto add = [&](const std::string& text, std::vector<std::uint32_t>& table) {
    table.push_back(static_cast<std::uint32_t>(text.size()));
    table.push_back(28 + 16 * count + static_cast<std::uint32_t>(texts.size()));
    texts += text + '\0';
  };
  for (const auto& [original, translation] : pairs) {
    add(original, originals);
    add(translation, translations);
  }
  head.insert(head.end(), originals.begin(), originals.end());
  head.insert(head.end(), translations.begin(), translations.end());
  return std::string(reinterpret_cast<const char*>(head.data()), head.size() * sizeof(std::uint32_t)) + texts;
}

class Translate : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "LANESCOPE_LOCALE_DIR"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
    folder_ = std::filesystem::path(testing::TempDir()) / ("lanescope-locale-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "xx" / "LC_MESSAGES");
    std::ofstream(folder_ / "xx" / "LC_MESSAGES" / "lanescope.mo", std::ios::binary)
        << catalogue({{"", "Content-Type: text/plain; charset=UTF-8\n"}, {"Log interval", "Protokollabstand µ"}});
    setenv("LANESCOPE_LOCALE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
    std::setlocale(LC_ALL, "C");
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(Translate, FollowsTheLanguageOfTheEnvironment) {
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("LANGUAGE", "xx", 1);
  set_up_translation();
  EXPECT_STREQ(tr("Log interval"), "Protokollabstand µ");
  EXPECT_STREQ(tr("Batch size"), "Batch size");
  EXPECT_STREQ(tr(""), "");
}

TEST_F(Translate, ALocaleThatIsNotInstalledStillChoosesTheLanguage) {
  setenv("LANG", "xx_XX.UTF-8", 1);
  set_up_translation();
  EXPECT_STREQ(tr("Log interval"), "Protokollabstand µ");
}

TEST_F(Translate, WithoutALanguageTheTextIsItself) {
  setenv("LC_ALL", "C", 1);
  set_up_translation();
  EXPECT_STREQ(tr("Log interval"), "Log interval");
}

TEST_F(Translate, NumbersKeepTheCLocale) {
  setenv("LC_ALL", "C.UTF-8", 1);
  set_up_translation();
  EXPECT_STREQ(std::setlocale(LC_NUMERIC, nullptr), "C");
  EXPECT_STREQ(std::setlocale(LC_CTYPE, nullptr), "C");
}

}  // namespace
}  // namespace lanescope::base
