#include "base/translate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::base {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::uint32_t turned(std::uint32_t n) { return n >> 24 | (n >> 8 & 0xff00) | (n << 8 & 0xff0000) | n << 24; }

// Header (7 numbers), table of originals, table of translations (length, place), texts. Pairs are sorted by original.
std::string catalogue(const Pairs& pairs, bool other_byte_order = false) {
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
  if (other_byte_order) {
    for (std::uint32_t& n : head) n = turned(n);
  }
  return std::string(reinterpret_cast<const char*>(head.data()), head.size() * sizeof(std::uint32_t)) + texts;
}

const Pairs kPairs{{"", "Content-Type: text/plain; charset=UTF-8\n"},
                   {"Batch size", "批大小"},
                   {"Log interval", "日志间隔"},
                   {"µs", "微秒"}};

void put(std::string& bytes, std::size_t at, std::uint32_t value) { std::memcpy(bytes.data() + at, &value, 4); }

TEST(MessageCatalogue, FindsEveryTextAndNoOther) {
  for (const bool other_byte_order : {false, true}) {
    const std::string bytes = catalogue(kPairs, other_byte_order);
    const auto read = MessageCatalogue::read(bytes);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->size(), 4u);
    for (const auto& [original, translation] : kPairs) EXPECT_STREQ(read->find(original), translation.c_str());
    for (const char* other : {"A", "Batch", "Batch size ", "Log interval!", "z", "\xff"}) {
      EXPECT_EQ(read->find(other), nullptr) << other;
    }
  }
}

TEST(MessageCatalogue, OfPluralFormsTheFirstIsTaken) {
  const std::string bytes = catalogue({{std::string("{} run\0{} runs", 13), std::string("{} 次\0{} 回", 13)}});
  const auto read = MessageCatalogue::read(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_STREQ(read->find("{} run"), "{} 次");
}

TEST(MessageCatalogue, OneWithoutTextsIsOne) {
  const std::string bytes = catalogue({});
  const auto read = MessageCatalogue::read(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->find("Batch size"), nullptr);
  EXPECT_EQ(MessageCatalogue().find("Batch size"), nullptr);
}

TEST(MessageCatalogue, RefusesWhatIsNone) {
  const std::string good = catalogue(kPairs);
  EXPECT_FALSE(MessageCatalogue::read(""));
  EXPECT_FALSE(MessageCatalogue::read("msgid \"\" of a text file, not a binary one"));
  // Cut anywhere: the last text's zero is the last byte.
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(MessageCatalogue::read(std::string_view(good).substr(0, length))) << length;
  }
  const auto refused = [&](std::size_t at, std::uint32_t value) {
    std::string bytes = good;
    put(bytes, at, value);
    return !MessageCatalogue::read(bytes).has_value();
  };
  constexpr std::uint32_t kHuge = 0xffffffff;
  EXPECT_TRUE(refused(0, 0x12345678)) << "magic";
  EXPECT_TRUE(refused(4, 2u << 16)) << "revision";
  for (const std::uint32_t count : {kHuge, 0x20000000u, 1000u}) EXPECT_TRUE(refused(8, count)) << "count";
  for (const std::uint32_t table : {kHuge, kHuge - 7, static_cast<std::uint32_t>(good.size()) - 4}) {
    EXPECT_TRUE(refused(12, table)) << "originals at " << table;
    EXPECT_TRUE(refused(16, table)) << "translations at " << table;
  }
  // The first original's length and place, then the first translation's.
  for (const std::size_t entry : {28u, 28u + 8 * 4}) {
    for (const std::uint32_t value : {kHuge, static_cast<std::uint32_t>(good.size())}) {
      EXPECT_TRUE(refused(entry, value)) << "length " << value;
      EXPECT_TRUE(refused(entry + 4, value)) << "place " << value;
    }
  }
  EXPECT_TRUE(refused(28 + 8, 3)) << "no zero behind the text";
}

TEST(MessageCatalogue, RefusesTextsThatAreNotSorted) {
  EXPECT_FALSE(MessageCatalogue::read(catalogue({{"b", "1"}, {"a", "2"}})));
  EXPECT_FALSE(MessageCatalogue::read(catalogue({{"a", "1"}, {"a", "2"}})));
}

// Arbitrary bytes are rejected, or every text lies within them.
TEST(MessageCatalogue, NoBytesLeadOutside) {
  std::mt19937 random(7);
  const std::string good = catalogue(kPairs);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      if (random() % 2 == 0) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      } else {
        put(bytes, random() % 23 * 4, static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 300));
      }
    }
    const std::vector<char> exact(bytes.begin(), bytes.end());  // so that a sanitizer detects reads past the end
    const auto read = MessageCatalogue::read({exact.data(), exact.size()});
    if (!read) continue;
    ++accepted;
    std::size_t letters = 0;
    for (std::uint32_t i = 0; i < read->size(); ++i) {
      letters += read->original(i).size() + std::strlen(read->translation(i));
      EXPECT_LE(read->original(i).data() + read->original(i).size(), exact.data() + exact.size());
      EXPECT_GE(read->original(i).data(), exact.data());
    }
    for (const auto& [original, translation] : kPairs) letters += read->find(original) != nullptr;
    EXPECT_LT(letters, 100'000u);
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace lanescope::base
