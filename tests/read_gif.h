// Reads the animations that the program writes, as a viewer shows them.
#pragma once

#include <gif_lib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/png.h"

namespace lanescope::test {

struct Gif {
  int width = 0, height = 0;
  bool for_ever = false;
  std::string comment;
  std::vector<io::Image> shown;   ///< the whole picture after each image
  std::vector<int> centiseconds;  ///< how long each is shown
  struct Box {
    int left, top, width, height;
    bool operator==(const Box&) const = default;
  };
  std::vector<Box> boxes;       ///< what each image covers
  std::vector<int> own_pixels;  ///< how many pixels each image sets
};

/// Throws base::FileError.
inline Gif read_gif(std::string_view bytes) {
  const auto check = [](bool good, const char* what) {
    if (!good) throw base::FileError(std::string("not a readable GIF: ") + what);
  };
  int error = 0;
  std::string_view rest = bytes;
  GifFileType* file = DGifOpen(
      &rest,
      [](GifFileType* f, GifByteType* to, int size) {
        auto& left = *static_cast<std::string_view*>(f->UserData);
        const std::size_t count = std::min(left.size(), static_cast<std::size_t>(size));
        std::copy_n(left.begin(), count, to);
        left.remove_prefix(count);
        return static_cast<int>(count);
      },
      &error);
  check(file != nullptr, "the header");
  Gif gif;
  const bool read = DGifSlurp(file) == GIF_OK;
  gif.width = file->SWidth;
  gif.height = file->SHeight;
  io::Image canvas{gif.width, gif.height, std::vector<std::uint8_t>(std::size_t(gif.width) * gif.height * 4)};
  const auto extensions = [&](int count, const ExtensionBlock* blocks) {
    for (int e = 0; e < count; ++e) {
      const std::string_view data(reinterpret_cast<const char*>(blocks[e].Bytes),
                                  static_cast<std::size_t>(blocks[e].ByteCount));
      if (blocks[e].Function == COMMENT_EXT_FUNC_CODE) gif.comment += data;
      if (data == "NETSCAPE2.0" && e + 1 < count && blocks[e + 1].ByteCount == 3) {
        gif.for_ever = blocks[e + 1].Bytes[1] == 0 && blocks[e + 1].Bytes[2] == 0;
      }
    }
  };
  for (int i = 0; read && i < file->ImageCount; ++i) {
    const SavedImage& image = file->SavedImages[i];
    extensions(image.ExtensionBlockCount, image.ExtensionBlocks);
    GraphicsControlBlock control{};
    control.TransparentColor = NO_TRANSPARENT_COLOR;
    DGifSavedExtensionToGCB(file, i, &control);
    const GifImageDesc& box = image.ImageDesc;
    int own = 0;
    for (int y = 0; y < box.Height; ++y) {
      for (int x = 0; x < box.Width; ++x) {
        const int index = image.RasterBits[y * box.Width + x];
        if (index == control.TransparentColor || index >= file->SColorMap->ColorCount) continue;
        const GifColorType& c = file->SColorMap->Colors[index];
        std::uint8_t* to = canvas.pixels.data() + (std::size_t(box.Top + y) * gif.width + box.Left + x) * 4;
        to[0] = c.Red;
        to[1] = c.Green;
        to[2] = c.Blue;
        to[3] = 255;
        ++own;
      }
    }
    gif.shown.push_back(canvas);
    gif.centiseconds.push_back(control.DelayTime);
    gif.boxes.push_back({box.Left, box.Top, box.Width, box.Height});
    gif.own_pixels.push_back(own);
  }
  const bool local = read && std::any_of(file->SavedImages, file->SavedImages + file->ImageCount,
                                         [](const SavedImage& i) { return i.ImageDesc.ColorMap != nullptr; });
  DGifCloseFile(file, &error);
  check(read, "an image");
  check(!local, "an image with colours of its own");
  return gif;
}

}  // namespace lanescope::test
