#include "base/translate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <clocale>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"

namespace lanescope::base {
namespace {

class Translate : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
    set_language(Language::English);
  }

  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(Translate, IsEnglishUntilALanguageIsSet) {
  EXPECT_EQ(language(), Language::English);
  EXPECT_STREQ(tr("Experiments"), "Experiments");
}

TEST_F(Translate, LooksUpInTheCatalogueOfTheLanguage) {
  set_language(Language::Chinese);
  EXPECT_STREQ(tr("Experiments"), "实验");
  EXPECT_STREQ(tr(std::string("Experiments")), "实验");
  EXPECT_STREQ(tr("no text of this program"), "no text of this program");
  EXPECT_STREQ(tr(""), "") << "not the catalogue's header";
  set_language(Language::English);
  EXPECT_STREQ(tr("Experiments"), "Experiments");
  EXPECT_STREQ(tr("Experiments", Language::Chinese), "实验") << "whatever language is set";
}

TEST_F(Translate, FillsInTheTranslation) {
  const std::string unknown = "xx";
  EXPECT_EQ(tr("language '{}' is unknown; allowed: {}", unknown, 12), "language 'xx' is unknown; allowed: 12");
  EXPECT_EQ(tr("{:.1f} of {} is in no catalogue", 1.25, "it"), "1.2 of it is in no catalogue");
  set_language(Language::Chinese);
  const std::string said = tr("language '{}' is unknown; allowed: {}", unknown, 12);
  EXPECT_NE(said.find("xx"), std::string::npos);
  EXPECT_EQ(said.find("unknown"), std::string::npos);
  EXPECT_EQ(tr("{:.1f} of {} is in no catalogue", 1.25, "it"), "1.2 of it is in no catalogue");
}

TEST_F(Translate, WhatItReturnedStaysWhateverIsSetLater) {
  set_language(Language::Chinese);
  const char* text = tr("Experiments");
  set_language(Language::English);
  set_language(Language::Chinese);
  EXPECT_EQ(tr("Experiments"), text);
}

TEST_F(Translate, AnyThreadMayAskWhileAnotherSwitches) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 3; ++i) {
    askers.emplace_back([&] {
      const std::set<std::string> allowed{"Experiments", "实验"};
      while (!stop) wrong += allowed.contains(tr("Experiments")) ? 0 : 1;
    });
  }
  for (int i = 0; i < 2000; ++i) set_language(i % 2 == 0 ? Language::Chinese : Language::English);
  stop = true;
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Translate, TheEnvironmentNamesTheLanguage) {
  EXPECT_EQ(preferred_language(), Language::English);
  setenv("LANG", "zh_CN.UTF-8", 1);
  EXPECT_EQ(preferred_language(), Language::Chinese);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(preferred_language(), Language::English);
  setenv("LANGUAGE", "zh", 1);
  EXPECT_EQ(preferred_language(), Language::Chinese);
  setenv("LANGUAGE", "", 1);
  EXPECT_EQ(preferred_language(), Language::English) << "an empty variable says nothing";
}

TEST_F(Translate, KeysOfLanguages) {
  EXPECT_EQ(parse_language("en"), Language::English);
  EXPECT_EQ(parse_language("zh"), Language::Chinese);
  EXPECT_EQ(language_key(Language::Chinese), "zh");
  EXPECT_THROW(parse_language("de"), UsageError);
}

TEST_F(Translate, NumbersKeepTheCLocale) {
  setenv("LC_ALL", "zh_CN.UTF-8", 1);
  set_language(preferred_language());
  EXPECT_STREQ(tr("Experiments"), "实验");
  EXPECT_STREQ(std::setlocale(LC_ALL, nullptr), "C");
}

TEST_F(Translate, AllTranslationsAreTheLettersThatAFontNeeds) {
  EXPECT_EQ(all_translations(Language::English), "");
  EXPECT_NE(all_translations(Language::Chinese).find("实验"), std::string::npos);
}

}  // namespace
}  // namespace lanescope::base
