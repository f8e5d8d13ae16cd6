#include "io/png.h"

#include <gmock/gmock.h>

#include <random>

#include "read_png.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using PngTest = Scratch;
using test::read_png;
using testing::HasSubstr;
using testing::StartsWith;

Image gradient(int width, int height) {
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const int value : {x, y, x * y, 255 - x}) image.pixels.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return image;
}

TEST_F(PngTest, PixelsAndTextComeBack) {
  const Image image = gradient(37, 21);
  const std::map<std::string, std::string> text = {{"Experiment", "linear-mse"},
                                                   {"Duration", "268 µs"},      // Latin-1
                                                   {"Change", "1 → 100 日本"},  // Unicode
                                                   {"Two lines", "a\nb"},
                                                   {"Empty", ""}};
  write_png(file("a.png"), image, text);
  std::map<std::string, std::string> back;
  const Image read = read_png(file("a.png"), &back);
  EXPECT_EQ(read.width, 37);
  EXPECT_EQ(read.height, 21);
  EXPECT_EQ(read.pixels, image.pixels);
  EXPECT_EQ(back, text);

  const std::string bytes = read_bytes(file("a.png"));
  EXPECT_THAT(bytes, HasSubstr(std::string("tEXtDuration\0"
                                           "268 \xb5s",
                                           19)));
  EXPECT_THAT(bytes, HasSubstr(std::string("iTXtChange\0", 11)));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(PngTest, TheSamePictureGivesTheSameBytes) {
  write_png(file("a.png"), gradient(64, 64), {{"k", "v"}});
  write_png(file("b.png"), gradient(64, 64), {{"k", "v"}});
  EXPECT_EQ(read_bytes(file("a.png")), read_bytes(file("b.png")));
  const std::vector<std::uint8_t> bytes = png_bytes(gradient(64, 64), {{"k", "v"}});
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), read_bytes(file("a.png")));
  EXPECT_THAT(error_of([&] { png_bytes(Image{0, 0, {}}, {}); }), HasSubstr("picture"));
}

TEST_F(PngTest, OddTextIsMadeFit) {
  const std::string long_key(200, 'k');
  write_png(file("a.png"), gradient(1, 1),
            {{"", "no key"}, {long_key, "long"}, {"bad", "\xff\xfe"}, {"zero", std::string("a\0b", 3)}});
  std::map<std::string, std::string> back;
  read_png(file("a.png"), &back);
  EXPECT_EQ(back["Comment"], "no key");
  EXPECT_EQ(back[long_key.substr(0, 79)], "long");
  EXPECT_EQ(back["bad"], "\uFFFD\uFFFD");
  EXPECT_EQ(back["zero"], "a");
}

TEST_F(PngTest, RefusesAnImpossiblePicture) {
  EXPECT_THAT(error_of([&] { write_png(file("a.png"), Image{0, 0, {}}, {}); }), StartsWith(file("a.png").string()));
  EXPECT_THAT(error_of([&] { write_png(file("a.png"), Image{2, 2, {1, 2, 3}}, {}); }), HasSubstr("four bytes"));
  EXPECT_THAT(error_of([&] { write_png(file("a.png"), Image{-1, 5, {}}, {}); }), HasSubstr("picture"));
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(PngTest, WriteErrorsSayPathAndWhy) {
  EXPECT_THAT(error_of([&] { write_png("/dev/full", gradient(300, 300), {}); }),
              testing::AllOf(StartsWith("/dev/full: "), HasSubstr("No space left on device")));
  EXPECT_THAT(error_of([&] { write_png(file("no") / "a.png", gradient(1, 1), {}); }), HasSubstr("No such file"));
}

TEST_F(PngTest, ReadErrorsSayPathAndWhy) {
  EXPECT_THAT(error_of([&] { read_png(file("none.png")); }), HasSubstr("No such file"));
  EXPECT_THAT(error_of([&] { read_png(folder_); }), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of([&] { read_png(write("empty.png", "")); }), HasSubstr("not a readable PNG"));
  EXPECT_THAT(error_of([&] { read_png(write("text.png", "this is no picture at all")); }), HasSubstr("Not a PNG file"));
}

TEST_F(PngTest, EveryTruncationIsAnError) {
  write_png(file("a.png"), gradient(16, 16), {{"key", "value"}});
  const std::string whole = read_bytes(file("a.png"));
  for (std::size_t size = 0; size < whole.size() - 12; ++size) {  // without the last chunk, IEND, it is still complete
    EXPECT_NE(error_of([&] { read_png(write("cut.png", whole.substr(0, size))); }), "") << size;
  }
}

TEST_F(PngTest, AHugePictureInAFewBytesIsRefused) {
  write_png(file("a.png"), gradient(16, 16), {});
  std::string bytes = read_bytes(file("a.png"));
  // IHDR: 30,000 x 4,000 pixels, with the chunk's CRC calculated by zlib's crc32 of "IHDR" and its 13 bytes.
  bytes.replace(16, 8, std::string("\x00\x00\x75\x30\x00\x00\x0f\xa0", 8));
  bytes.replace(29, 4, "\x33\x59\x61\x9c");
  EXPECT_THAT(error_of([&] { read_png(write("huge.png", bytes)); }), HasSubstr("too short"));
}

TEST_F(PngTest, HostileBytesNeverCrash) {
  write_png(file("a.png"), gradient(16, 16), {{"key", "value"}, {"unicode", "→"}});
  const std::string whole = read_bytes(file("a.png"));
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = whole;
    for (unsigned n = 1 + random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    std::map<std::string, std::string> text;
    refused += error_of([&] { read_png(write("hostile.png", bytes), &text); }).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace lanescope::io
