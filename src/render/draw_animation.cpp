#include "render/draw_animation.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "io/gif.h"
#include "render/imgui_image.h"
#include "render/labels.h"
#include "render/span_renderer.h"

namespace lanescope::ui {
namespace {

using base::tr;

// What is tried, one after the other: hundredths of a second between two pictures, and a factor of their size.
struct Attempt {
  int interval;
  float scale;
};
constexpr std::array<Attempt, 4> kAttempts{{{5, 1}, {10, 1}, {10, 0.75f}, {10, 0.5f}}};
constexpr std::size_t kSamples = 12;  // pictures whose colours make the palette

int per_second(int interval) { return 100 / interval; }

// Puts `on` over `image`, from this row on.
void put(io::Image& image, const io::Image& on, int top) {
  const int rows = std::min(on.height, image.height - top), columns = std::min(on.width, image.width);
  for (int y = 0; y < rows; ++y) {
    const auto from = on.pixels.begin() + static_cast<std::ptrdiff_t>(y) * on.width * 4;
    std::copy_n(from, static_cast<std::ptrdiff_t>(columns) * 4,
                image.pixels.begin() + static_cast<std::ptrdiff_t>(top + y) * image.width * 4);
  }
}

// Draws sheets of one size.
class SheetPainter {
 public:
  SheetPainter(int width, int height, float scale, ThemeName theme, const ChineseTexts& letters)
      : painter_(width, height, scale, theme, letters) {}

  io::Image draw(const std::function<PictureSheet(const Fonts&)>& compose) {
    return painter_.draw([&](const Fonts& fonts) {
      const PictureSheet sheet = compose(fonts);
      ImDrawList& list = *ImGui::GetBackgroundDrawList();
      for (const PictureLayer& layer : sheet.layers) {
        const Rect& clip = layer.clip;
        list.PushClipRect({clip.x, clip.y}, {clip.x + clip.width, clip.y + clip.height});
        add_to_draw_list(list, renderer_, layer.batch);
        draw_labels(list, fonts, layer.batch.labels);
        list.PopClipRect();
      }
    });
  }

 private:
  SpanRenderer renderer_;
  ImGuiPainter painter_;  // what it draws refers to the renderer
};

}  // namespace

class AnimationFilm::Making {
 public:
  Making(Animation animation, std::size_t most_bytes)
      : animation_(std::move(animation)), most_bytes_(most_bytes), layout_(animation_) {
    begin();
  }

  bool draw() {
    if (too_large_) next_attempt();
    if (at_ == order_.size()) return false;
    drawn_ = picture(steps_[order_[at_]]);
    return true;
  }

  void encode() {
    const std::size_t step = order_[at_++];
    if (!writer_) {
      samples_.push_back(std::move(drawn_));
      if (at_ < order_.size()) return;
      writer_ = std::make_unique<io::GifWriter>(size_.width, size_.height, io::gif_palette(samples_),
                                                animation_text(animation_));
      samples_.clear();
      order_.clear();
      for (std::size_t i = 0; i < steps_.size(); ++i) order_.push_back(i);
      at_ = 0;
      return;
    }
    writer_->add(drawn_, steps_[step].centiseconds);
    if (at_ == order_.size()) bytes_ = writer_->finish();
    too_large_ = std::max(writer_->bytes(), bytes_.size()) > most_bytes_;
  }

  std::string take_bytes() { return std::move(bytes_); }
  const std::string& note() const { return note_; }
  int pictures_per_second() const { return per_second(attempt().interval); }
  PictureSize size() const { return size_; }

 private:
  const Attempt& attempt() const { return kAttempts[attempt_]; }

  void begin() {
    steps_ = animation_steps(attempt().interval);
    const float scale = animation_.scale * attempt().scale;
    size_ = {static_cast<int>(std::lround(AnimationLayout::kWidth * scale)),
             static_cast<int>(std::lround(static_cast<float>(layout_.height()) * scale))};
    painter_.reset();
    large_.reset();
    writer_.reset();
    bytes_.clear();
    at_ = 0;
    too_large_ = false;
    // First some pictures from all over the film, for the palette; the last of them is the result.
    order_.clear();
    for (std::size_t i = 0; i < kSamples; ++i) order_.push_back((steps_.size() - 1) * i / (kSamples - 1));
  }

  void next_attempt() {
    const PictureSize before = size_;
    if (attempt_ + 1 == kAttempts.size()) {
      throw base::FileError(
          tr("an animation of these runs does not fit in {} MB, even with {} pictures per second of "
             "{} x {} pixels; allowed: a smaller scale, or settings that draw less",
             most_bytes_ / 1'000'000, pictures_per_second(), before.width, before.height));
    }
    ++attempt_;
    begin();
    note_ = tr("to fit in {} MB, the animation has {} pictures per second of {} x {} pixels", most_bytes_ / 1'000'000,
               pictures_per_second(), size_.width, size_.height);
  }

  io::Image picture(const AnimationStep& step) {
    const float scale = animation_.scale * attempt().scale;
    if (!painter_) {
      painter_ = std::make_unique<SheetPainter>(AnimationLayout::kWidth, layout_.height(), scale, animation_.theme,
                                                animation_letters(animation_));
    }
    AnimationSheet sheet;
    io::Image image = painter_->draw([&](const Fonts& fonts) {
      sheet = layout_.sheet(step, fonts);
      return sheet.sheet;
    });
    if (!sheet.large) return image;
    if (!large_) {
      large_ = std::make_unique<SheetPainter>(static_cast<int>(sheet.large->width),
                                              static_cast<int>(sheet.large->height), scale * AnimationLayout::kLarge,
                                              animation_.theme, animation_letters(animation_));
    }
    const io::Image on = large_->draw([&](const Fonts& fonts) { return *layout_.sheet(step, fonts).large; });
    put(image, on, static_cast<int>(std::lround(sheet.large_y * scale)));
    return image;
  }

  const Animation animation_;
  const std::size_t most_bytes_;
  AnimationLayout layout_;
  std::size_t attempt_ = 0;
  std::vector<AnimationStep> steps_;
  std::vector<std::size_t> order_;  // of the steps to be drawn
  std::size_t at_ = 0;              // in it
  PictureSize size_;
  std::unique_ptr<SheetPainter> painter_, large_;
  io::Image drawn_;
  std::vector<io::Image> samples_;
  std::unique_ptr<io::GifWriter> writer_;  // null while the samples are drawn
  std::string bytes_, note_;
  bool too_large_ = false;
};

AnimationFilm::AnimationFilm(Animation animation, std::size_t most_bytes)
    : making_(std::make_unique<Making>(std::move(animation), most_bytes)) {}
AnimationFilm::~AnimationFilm() = default;

bool AnimationFilm::draw() { return making_->draw(); }
void AnimationFilm::encode() { making_->encode(); }
std::string AnimationFilm::take_bytes() { return making_->take_bytes(); }
const std::string& AnimationFilm::note() const { return making_->note(); }
int AnimationFilm::pictures_per_second() const { return making_->pictures_per_second(); }
PictureSize AnimationFilm::size() const { return making_->size(); }

}  // namespace lanescope::ui
