#include "io/gif.h"

#include <gmock/gmock.h>

#include <random>

#include "read_gif.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using test::Gif;
using test::read_gif;
using testing::ElementsAre;
using testing::HasSubstr;
using Rgb = std::array<std::uint8_t, 3>;

constexpr Rgb kBlack{0, 0, 0}, kRed{200, 10, 10}, kGreen{10, 200, 10}, kBlue{10, 10, 200};

Image plain(int width, int height, Rgb colour) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i)
    image.pixels.insert(image.pixels.end(), {colour[0], colour[1], colour[2], 255});
  return image;
}

void fill(Image& image, int left, int top, int width, int height, Rgb colour) {
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) {
      std::copy(colour.begin(), colour.end(), image.pixels.begin() + (y * image.width + x) * 4);
    }
  }
}

Rgb at(const Image& image, int x, int y) {
  const std::uint8_t* p = image.pixels.data() + (y * image.width + x) * 4;
  return {p[0], p[1], p[2]};
}

std::string gif_of(const std::vector<Image>& images, const std::vector<int>& centiseconds,
                   const std::string& comment = {}) {
  GifWriter writer(images[0].width, images[0].height, gif_palette(images), comment);
  for (std::size_t i = 0; i < images.size(); ++i) writer.add(images[i], centiseconds[i]);
  return writer.finish();
}

TEST(GifTest, EveryPictureAndItsTimeComeBack) {
  std::vector<Image> images;
  for (int i = 0; i < 5; ++i) {
    images.push_back(plain(41, 23, kBlack));
    fill(images.back(), 3 + 4 * i, 5, 9, 7, kRed);
    fill(images.back(), 30, 2 + i, 4, 4, kBlue);
  }
  const Gif gif = read_gif(gif_of(images, {40, 5, 5, 6, 220}, "two µs"));
  EXPECT_EQ(gif.width, 41);
  EXPECT_EQ(gif.height, 23);
  EXPECT_TRUE(gif.for_ever);
  EXPECT_EQ(gif.comment, "two µs");
  EXPECT_THAT(gif.centiseconds, ElementsAre(40, 5, 5, 6, 220));
  ASSERT_EQ(gif.shown.size(), images.size());
  for (std::size_t i = 0; i < images.size(); ++i) EXPECT_EQ(gif.shown[i].pixels, images[i].pixels) << i;
}

// The square of 10 x 10 at (20, 10) moves by 5 to the right: what changes is 15 x 10 at (20, 10).
TEST(GifTest, OnlyWhatChangesIsStored) {
  std::vector<Image> images(3, plain(100, 60, kGreen));
  fill(images[0], 20, 10, 10, 10, kRed);
  fill(images[1], 25, 10, 10, 10, kRed);
  images[2] = images[1];
  fill(images[2], 0, 59, 1, 1, kBlue);  // one pixel in a corner
  const Gif gif = read_gif(gif_of(images, {5, 5, 5}));
  EXPECT_THAT(gif.boxes, ElementsAre(Gif::Box{0, 0, 100, 60}, Gif::Box{20, 10, 15, 10}, Gif::Box{0, 59, 1, 1}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(gif.shown[i].pixels, images[i].pixels) << i;
}

// Two pixels at opposite corners of noise: all of it is in their box, and only the two need to be stored.
TEST(GifTest, InABoxWhatHasNotChangedIsLeftOutWhereThatIsShorter) {
  std::mt19937 random(7);
  Image noise = plain(64, 64, kBlack);
  const std::array<Rgb, 4> colours{kBlack, kRed, kGreen, kBlue};
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) fill(noise, x, y, 1, 1, colours[random() % 4]);
  }
  fill(noise, 0, 0, 1, 1, kRed);
  fill(noise, 63, 63, 1, 1, kRed);
  Image next = noise;
  fill(next, 0, 0, 1, 1, kBlue);
  fill(next, 63, 63, 1, 1, kBlue);
  const std::string both = gif_of({noise, next}, {5, 5}), one = gif_of({noise}, {5});
  EXPECT_LT(both.size() - one.size(), 200u) << "64 x 64 pixels of noise in four colours take 1,024 bytes";
  const Gif gif = read_gif(both);
  EXPECT_THAT(gif.own_pixels, ElementsAre(4096, 2));
  EXPECT_EQ(gif.shown[1].pixels, next.pixels);
  // Everything changes: nothing is left out.
  EXPECT_THAT(read_gif(gif_of({noise, plain(64, 64, {1, 2, 3})}, {5, 5})).own_pixels, ElementsAre(4096, 4096));
}

TEST(GifTest, APictureLikeTheOneBeforeOnlyLengthensIt) {
  const Image a = plain(8, 8, kRed), b = plain(8, 8, kBlue);
  GifWriter writer(8, 8, gif_palette(std::array{a, b}));
  for (const Image* image : {&a, &a, &b, &b, &b, &a}) writer.add(*image, 10);
  EXPECT_EQ(writer.frames(), 3);
  EXPECT_THAT(read_gif(writer.finish()).centiseconds, ElementsAre(20, 30, 10));
}

TEST(GifTest, FewColoursAreExactAndOfManyTheFrequentOnesAre) {
  // 256 greys, one pixel of each, beside large areas of three colours and a single pixel of a fourth.
  Image image = plain(256, 40, kBlue);
  fill(image, 0, 0, 256, 10, kGreen);
  fill(image, 0, 10, 128, 10, kRed);
  for (int x = 0; x < 256; ++x) {
    const auto grey = static_cast<std::uint8_t>(x);
    fill(image, x, 39, 1, 1, {grey, grey, grey});
  }
  fill(image, 7, 30, 1, 1, {255, 255, 0});
  const GifPalette palette = gif_palette({&image, 1});
  EXPECT_EQ(palette.size(), 255u);
  const Gif gif = read_gif(gif_of({image}, {5}));
  EXPECT_EQ(at(gif.shown[0], 100, 5), kGreen);
  EXPECT_EQ(at(gif.shown[0], 100, 15), kRed);
  EXPECT_EQ(at(gif.shown[0], 100, 35), kBlue);
  EXPECT_EQ(at(gif.shown[0], 7, 30), (Rgb{255, 255, 0}));
  // 260 colours for 255 places: five greys are drawn as a neighbour, which differs by 1.
  for (int x = 0; x < 256; ++x) EXPECT_NEAR(at(gif.shown[0], x, 39)[1], x, 1) << x;

  const Image two = plain(3, 3, kRed);
  EXPECT_THAT(gif_palette({&two, 1}), ElementsAre(kRed));
}

TEST(GifTest, AColourThatThePaletteLacksIsTheNearestOfIt) {
  GifWriter writer(2, 1, {kBlack, kRed});
  Image image = plain(2, 1, {190, 30, 30});
  fill(image, 1, 0, 1, 1, {20, 5, 5});
  writer.add(image, 5);
  const Gif gif = read_gif(writer.finish());
  EXPECT_EQ(at(gif.shown[0], 0, 0), kRed);
  EXPECT_EQ(at(gif.shown[0], 1, 0), kBlack);
}

TEST(GifTest, TheSamePicturesGiveTheSameBytes) {
  std::mt19937 random(3);
  std::vector<Image> images(3, plain(50, 50, kBlack));
  for (Image& image : images) {
    for (std::uint8_t& byte : image.pixels) byte = static_cast<std::uint8_t>(random());
  }
  EXPECT_EQ(gif_of(images, {5, 5, 5}, "c"), gif_of(images, {5, 5, 5}, "c"));
}

TEST(GifTest, ALongAnimationCountsItsBytes) {
  GifWriter writer(30, 30, {kBlack, kRed});
  std::size_t last = writer.bytes();
  for (int i = 0; i < 3; ++i) {
    Image image = plain(30, 30, kBlack);
    fill(image, i, i, 5, 5, kRed);
    writer.add(image, 5);
    EXPECT_EQ(writer.bytes() > last, i > 0) << "each image is written when the next one comes";
    last = writer.bytes();
  }
  EXPECT_GT(writer.finish().size(), last);
}

TEST(GifTest, WhatCannotBeWrittenIsOneLine) {
  EXPECT_THAT(error_of([] { GifWriter(0, 5, {kRed}); }), HasSubstr("1 to 65535"));
  EXPECT_THAT(error_of([] { GifWriter(5, 70'000, {kRed}); }), HasSubstr("1 to 65535"));
  EXPECT_THAT(error_of([] { GifWriter(5, 5, {}); }), HasSubstr("1 to 255 colours"));
  EXPECT_THAT(error_of([] { GifWriter(5, 5, GifPalette(256)); }), HasSubstr("1 to 255 colours"));
  EXPECT_THAT(error_of([] {
                GifWriter writer(5, 5, {kRed});
                writer.add(plain(5, 6, kRed), 5);
              }),
              HasSubstr("same size"));
}

}  // namespace
}  // namespace lanescope::io
