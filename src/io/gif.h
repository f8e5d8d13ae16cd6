// Animated GIFs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/png.h"

namespace lanescope::io {

/// Colours as R, G, B: 1 to 255 of them.
using GifPalette = std::vector<std::array<std::uint8_t, 3>>;

/// The colours that stand for those of these images: all of them if they are few, else the frequent ones exactly, and
/// of the others those that are farthest from the nearest one so far. The same for the same images.
GifPalette gif_palette(std::span<const Image> images);

/// An animation that repeats for ever. Every image but the first is stored as what has changed since the one before.
class GifWriter {
 public:
  /// `comment`: UTF-8, for programs that show it; may be empty. Throws base::FileError if the size is not 1 to 65535
  /// pixels in each direction, or the palette has no colours or too many.
  GifWriter(int width, int height, GifPalette palette, const std::string& comment = {});
  ~GifWriter();
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  /// Shows the image for that long (GIF counts hundredths of a second), in the nearest colours of the palette; its
  /// alpha is ignored. An image that looks like the one before only lengthens it. Throws base::FileError if it has
  /// another size.
  void add(const Image& image, int centiseconds);
  int frames() const;         ///< images so far that differ from the one before
  std::size_t bytes() const;  ///< so far, without the last image
  /// The whole file. Call it once, after at least one image. Throws base::FileError.
  std::string finish();

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace lanescope::io
