// The reader of JSON agrees with another library on what is JSON and what it says, wherever the pieces of the file end.
#include "io/json_reader.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "scratch.h"

namespace lanescope::io {
namespace {

using Json = nlohmann::json;

/// Builds a document from what the reader passes.
class JsonBuilder {
 public:
  bool opened(bool object) {
    open_.push_back(object ? Json::object() : Json::array());
    keys_.emplace_back();
    return false;
  }
  void closed(bool) {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    put(std::move(done));
  }
  void key(std::string_view name) { keys_.back() = name; }
  void value(const Scalar& value) {
    switch (value.type) {
      case Scalar::Type::None:
        return put(nullptr);
      case Scalar::Type::Boolean:
        return put(value.integer != 0);
      case Scalar::Type::Integer:
        return put(value.integer);
      case Scalar::Type::Real:
        return put(*value.as_real());
      case Scalar::Type::Text:
        return put(std::string(value.text));
    }
  }
  Json result;

 private:
  void put(Json value) {
    if (open_.empty()) {
      result = std::move(value);
    } else if (open_.back().is_object()) {
      open_.back()[keys_.back()] = std::move(value);
    } else {
      open_.back().push_back(std::move(value));
    }
  }
  std::vector<Json> open_;
  std::vector<std::string> keys_;
};

std::optional<Json> read_json(std::string_view text) {
  try {
    ByteSource source(text, "text");
    JsonReader reader(source);
    JsonBuilder builder;
    reader.walk(builder);
    reader.expect_end();
    return builder.result;
  } catch (const base::FileError&) {
    return std::nullopt;
  }
}

std::optional<Json> by_another_library(std::string_view text) {
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? std::nullopt : std::optional(std::move(parsed));
}

TEST(JsonReader, AgreesOnSingleValues) {
  for (const char* text : {"0",
                           "-0",
                           "7",
                           "-12",
                           "123456789",
                           "1234567890",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "9223372036854775808",
                           "18446744073709551616",
                           "1.5",
                           "-0.25",
                           "1712195495505543.140",
                           "1e3",
                           "1E+2",
                           "1e-400",
                           "1e999",
                           "-1e999",
                           "0.1e-7",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "--1",
                           "+1",
                           "0x1",
                           "1 2",
                           "true",
                           "false",
                           "null",
                           "tru",
                           "nul",
                           "truex",
                           "TRUE",
                           "\"\"",
                           "\"a\"",
                           "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                           "\"\\u00e9\\u4e2d\"",
                           "\"\\ud83d\\ude00\"",
                           "\"\\ud83d\"",
                           "\"\\ude00\"",
                           "\"\\ud83dx\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\x\"",
                           "\"\\",
                           "\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\xc3\xa9\"",
                           "\"\xc3\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "[]",
                           "{}",
                           "[ ]",
                           "{ }",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{\"a\":1}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\" 1}",
                           "{\"a\":}",
                           "{1:2}",
                           "[}",
                           "{]",
                           "[1}",
                           "]",
                           " ",
                           "\n\t\r [ 1 , \n 2 ] \n",
                           "\xEF\xBB\xBF[1]",
                           "[1]x",
                           "[\"\",[],{},[[]],{\"a\":{\"b\":[1,{\"c\":null}]}}]"}) {
    EXPECT_EQ(read_json(text), by_another_library(text)) << text;
  }
}

// Long ones cross the ends of the pieces in which a file is read.
TEST(JsonReader, AgreesOnLongDocumentsAndTheirDamage) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  std::string text = "[";
  while (text.size() < 2'000'000) {
    switch (below(6)) {
      case 0:
        text += std::to_string(static_cast<std::int64_t>(random()) * static_cast<std::int64_t>(random()));
        break;
      case 1:
        text += std::to_string(random()) + "." + std::to_string(random());
        break;
      case 2:
        text += "\"" + std::string(below(40), 'x') + (below(2) == 0 ? "\\n\\u00fc" : "é") + "\"";
        break;
      case 3:
        text += "{\"key\" :" + std::string(below(20), ' ') + "[true,false , null]}";
        break;
      case 4:
        text += "\"" + std::string(below(100'000), 'y') + "\"";
        break;
      default:
        text += "{\n    \"a\": {}, \"b\": [],\r\n\t\"c\": -1e5}";
    }
    text += ",\n";
  }
  text += "0]";
  EXPECT_TRUE(read_json(text) == by_another_library(text));
  for (int round = 0; round < 40; ++round) {
    std::string damaged = text;
    const std::size_t at = below(damaged.size());
    damaged[at] = "\"\\{}[],:0x\x01\xff "[below(13)];
    EXPECT_TRUE(read_json(damaged) == by_another_library(damaged)) << "at " << at;
  }
}

TEST(JsonReader, TextsStayUntilTheyAreReleased) {
  std::string text = "[\"first\"";
  for (int i = 0; i < 300'000; ++i) text += ",\"text\"";
  text += "]";
  ByteSource source(text, "text");
  JsonReader reader(source, Threads::Two);
  ASSERT_EQ(reader.peek(), '[');
  ASSERT_TRUE(reader.open(false));
  ASSERT_EQ(reader.peek(), '"');
  const std::string_view first = reader.text();
  while (reader.another(false)) {
    reader.peek();
    ASSERT_EQ(reader.text(), "text");
  }
  EXPECT_EQ(first, "first");
}

TEST(JsonReader, TimesAreExact) {
  const auto time = [](std::string_view text) {
    ByteSource source(text, "text");
    return JsonReader(source).scalar().as_time().ns;
  };
  EXPECT_EQ(time("1712195495505543.140"), 1'712'195'495'505'543'140);
  EXPECT_EQ(time("1.5"), 1'500);
  EXPECT_EQ(time("-1.0005"), -1'001);
  EXPECT_EQ(time("12"), 12'000);
  EXPECT_EQ(time("1.5e3"), 1'500'000);
  EXPECT_EQ(time("\"2.25\""), 2'250);
  EXPECT_EQ(time("9223372036854775807.000"), std::nullopt);
}

}  // namespace
}  // namespace lanescope::io
