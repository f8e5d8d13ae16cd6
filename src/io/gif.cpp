#include "io/gif.h"

#include <gif_lib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::io {
namespace {

using Colour = std::uint32_t;  // R, G, B, starting with the lowest byte

constexpr int kMaxSide = 65'535;
constexpr std::size_t kMostColours = 255;  // and one that stands for "as before"
constexpr int kMostDelay = 65'535;

[[noreturn]] void fail(const std::string& why) { throw base::FileError("GIF: " + why); }

Colour colour_at(const Image& image, std::size_t pixel) {
  const std::uint8_t* p = image.pixels.data() + pixel * 4;
  return static_cast<Colour>(p[0]) | static_cast<Colour>(p[1]) << 8 | static_cast<Colour>(p[2]) << 16;
}

std::array<std::uint8_t, 3> parts(Colour c) {
  return {static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c >> 8), static_cast<std::uint8_t>(c >> 16)};
}

int distance(const std::array<std::uint8_t, 3>& a, const std::array<std::uint8_t, 3>& b) {
  int sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

struct Counted {
  std::array<std::uint8_t, 3> colour{};
  double weight = 0;
  int distance = std::numeric_limits<int>::max();  // to the nearest colour taken so far
};

// Most frequent first.
std::vector<Counted> counted(std::span<const Image> images) {
  std::unordered_map<Colour, std::uint64_t> counts;
  for (const Image& image : images) {
    const std::size_t pixels = image.pixels.size() / 4;
    for (std::size_t i = 0; i < pixels;) {
      const Colour colour = colour_at(image, i);
      const std::size_t begin = i;
      while (i < pixels && colour_at(image, i) == colour) ++i;
      counts[colour] += i - begin;
    }
  }
  std::vector<std::pair<Colour, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<Counted> colours;
  for (const auto& [colour, count] : sorted) {
    // A colour with few pixels counts for more than its share: a thin line is seen as well as an area.
    colours.push_back({parts(colour), std::sqrt(static_cast<double>(count))});
  }
  return colours;
}

struct Box {
  int left = 0, top = 0, width = 0, height = 0;
};

struct Pending {
  Box box;
  std::vector<GifByteType> pixels;   // of the box
  std::vector<GifByteType> changes;  // the same, with those that have not changed left out; empty: all are new
  int centiseconds = 0;
};

}  // namespace

GifPalette gif_palette(std::span<const Image> images) {
  std::vector<Counted> colours = counted(images);
  GifPalette palette;
  std::size_t next = 0;
  while (palette.size() < std::min(kMostColours, colours.size())) {
    palette.push_back(colours[next].colour);
    double best = -1;
    const std::array<std::uint8_t, 3> taken = palette.back();
    for (std::size_t i = 0; i < colours.size(); ++i) {
      Counted& c = colours[i];
      c.distance = std::min(c.distance, distance(c.colour, taken));
      if (c.weight * c.distance > best) {
        best = c.weight * c.distance;
        next = i;
      }
    }
  }
  return palette;
}

class GifWriter::Stream {
 public:
  Stream(int width, int height, GifPalette palette, const std::string& comment)
      : width_(width), height_(height), palette_(std::move(palette)) {
    if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide || palette_.empty() ||
        palette_.size() > kMostColours) {
      fail(base::tr("a picture must have 1 to 65535 pixels in each direction, and 1 to 255 colours"));
    }
    const int all = 1 << GifBitSize(static_cast<int>(palette_.size()) + 1);
    std::vector<GifColorType> colours(static_cast<std::size_t>(all));
    for (std::size_t i = 0; i < palette_.size(); ++i) colours[i] = {palette_[i][0], palette_[i][1], palette_[i][2]};
    int error = 0;
    file_ = EGifOpen(&bytes_, append, &error);
    ColorMapObject* map = GifMakeMapObject(all, colours.data());
    if (!file_ || !map) {
      GifFreeMapObject(map);
      close();
      fail(base::tr("not enough memory"));
    }
    EGifSetGifVersion(file_, true);
    const int wrote = EGifPutScreenDesc(file_, width, height, 8, 0, map);
    GifFreeMapObject(map);
    try {
      check(wrote);
      write_loop();
      if (!comment.empty()) check(EGifPutComment(file_, comment.c_str()));
    } catch (...) {
      close();
      throw;
    }
  }
  ~Stream() { close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void add(const Image& image, int centiseconds) {
    const auto pixels = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    if (image.width != width_ || image.height != height_ || image.pixels.size() != pixels * 4) {
      fail(base::tr("all pictures of an animation must have the same size"));
    }
    std::vector<GifByteType> shown(pixels);
    Colour last = colour_at(image, 0);
    GifByteType index = index_of(last);
    for (std::size_t i = 0; i < pixels; ++i) {
      if (const Colour colour = colour_at(image, i); colour != last) index = index_of(last = colour);
      shown[i] = index;
    }
    const Box box = shown_.empty() ? Box{0, 0, width_, height_} : changed(shown);
    if (box.width == 0) {
      pending_.centiseconds += centiseconds;
      return;
    }
    write_pending();
    pending_ = cut(shown, box);
    pending_.centiseconds = centiseconds;
    shown_ = std::move(shown);
    ++frames_;
  }

  std::string finish() {
    write_pending();
    int error = 0;
    GifFileType* file = std::exchange(file_, nullptr);
    if (EGifCloseFile(file, &error) != GIF_OK) fail(GifErrorString(error));
    return std::move(bytes_);
  }

  int frames() const { return frames_; }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  static int append(GifFileType* file, const GifByteType* data, int size) {
    static_cast<std::string*>(file->UserData)
        ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    return size;
  }

  void check(int done) const {
    if (done == GIF_OK) return;
    const char* why = GifErrorString(file_->Error);
    fail(why ? why : base::tr("cannot write"));
  }

  void close() {
    int ignored = 0;
    if (file_) EGifCloseFile(std::exchange(file_, nullptr), &ignored);
  }

  // The extension that all browsers know: 0 repetitions is for ever.
  void write_loop() {
    constexpr std::array<GifByteType, 3> kForEver{1, 0, 0};
    check(EGifPutExtensionLeader(file_, APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(file_, 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(file_, static_cast<int>(kForEver.size()), kForEver.data()));
    check(EGifPutExtensionTrailer(file_));
  }

  GifByteType unchanged() const { return static_cast<GifByteType>(palette_.size()); }

  GifByteType index_of(Colour colour) {
    const auto [known, is_new] = indices_.try_emplace(colour);
    if (is_new) {
      const auto wanted = parts(colour);
      const auto nearest = std::ranges::min_element(
          palette_, [&](const auto& a, const auto& b) { return distance(a, wanted) < distance(b, wanted); });
      known->second = static_cast<GifByteType>(nearest - palette_.begin());
    }
    return known->second;
  }

  // The smallest box around what differs from the last image; empty if nothing does.
  Box changed(const std::vector<GifByteType>& shown) const {
    const auto width = static_cast<std::size_t>(width_);
    int left = width_, right = -1, top = height_, bottom = -1;
    for (int y = 0; y < height_; ++y) {
      const std::size_t row = static_cast<std::size_t>(y) * width;
      for (int x = 0; x < width_; ++x) {
        const std::size_t i = row + static_cast<std::size_t>(x);
        if (shown[i] == shown_[i]) continue;
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = y;
      }
    }
    return right < 0 ? Box{} : Box{left, top, right - left + 1, bottom - top + 1};
  }

  Pending cut(const std::vector<GifByteType>& shown, const Box& box) const {
    Pending cut{box, {}, {}, 0};
    for (int y = box.top; y < box.top + box.height; ++y) {
      for (int x = box.left; x < box.left + box.width; ++x) {
        const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
        cut.pixels.push_back(shown[i]);
        if (!shown_.empty()) cut.changes.push_back(shown[i] == shown_[i] ? unchanged() : shown[i]);
      }
    }
    return cut;
  }

  void write_pending() {
    if (pending_.pixels.empty()) return;
    const std::size_t begin = bytes_.size();
    write(pending_.pixels, NO_TRANSPARENT_COLOR);
    if (!pending_.changes.empty()) {
      // Leaving out what has not changed is shorter for some pictures and longer for others: keep the shorter one.
      std::string whole = bytes_.substr(begin);
      bytes_.resize(begin);
      write(pending_.changes, unchanged());
      if (bytes_.size() - begin > whole.size()) bytes_.replace(begin, std::string::npos, whole);
    }
    pending_ = {};
  }

  void write(std::vector<GifByteType>& pixels, int transparent) {
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = std::clamp(pending_.centiseconds, 0, kMostDelay);
    control.TransparentColor = transparent;
    std::array<GifByteType, 4> extension{};
    const std::size_t size = EGifGCBToExtension(&control, extension.data());
    check(EGifPutExtension(file_, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(size), extension.data()));
    const Box& box = pending_.box;
    check(EGifPutImageDesc(file_, box.left, box.top, box.width, box.height, false, nullptr));
    for (int y = 0; y < box.height; ++y) {
      const auto row = static_cast<std::size_t>(y) * static_cast<std::size_t>(box.width);
      check(EGifPutLine(file_, pixels.data() + row, box.width));
    }
  }

  int width_, height_, frames_ = 0;
  GifPalette palette_;
  std::string bytes_;  // what the library has written
  GifFileType* file_ = nullptr;
  std::unordered_map<Colour, GifByteType> indices_;
  std::vector<GifByteType> shown_;  // the last image, as indices
  Pending pending_;                 // the last image is written once it is known how long it is shown
};

GifWriter::GifWriter(int width, int height, GifPalette palette, const std::string& comment)
    : stream_(std::make_unique<Stream>(width, height, std::move(palette), comment)) {}
GifWriter::~GifWriter() = default;

void GifWriter::add(const Image& image, int centiseconds) { stream_->add(image, centiseconds); }
int GifWriter::frames() const { return stream_->frames(); }
std::size_t GifWriter::bytes() const { return stream_->bytes(); }
std::string GifWriter::finish() { return stream_->finish(); }

}  // namespace lanescope::io
