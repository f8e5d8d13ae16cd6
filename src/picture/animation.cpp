#include "picture/animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/translate.h"
#include "base/version.h"
#include "inspect/difference.h"
#include "inspect/figure_text.h"
#include "io/run_figures.h"
#include "picture/badge.h"
#include "picture/compare_bands.h"
#include "picture/words.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kMargin = 16, kBadgeHeight = 26, kFoot = 28;
constexpr float kTitleRow = 46, kKnobRow = 34, kSayingRow = 24, kBelowHead = 6;
constexpr float kLeastLanes = 296, kMostLanes = 640;  // with the ruler; between them, the picture is as high as needed
constexpr std::array<float, 6> kFactors{1.6f, 1.4f, 1.25f, 1.1f, 1, 0.85f};

// The slower run's iteration is that long. The lanes pass in whole logical pixels, so that nothing on them trembles.
constexpr double kIterationPx = 300;
constexpr int kMovedPx = 600;
constexpr int kMoving = 250, kStill = 40, kLit = 50, kTurning = 110, kResult = 220;  // hundredths of a second
constexpr int kLitAfter = 60;

bool simulated(const Animation& a) { return a.before->facts.simulated || a.after->facts.simulated; }

std::string knob_text(const Animation& animation, AnimationPart part) {
  const std::vector<KnobChange> changes = knob_changes(*animation.before, *animation.after);
  std::string text;
  for (const KnobChange& change : changes) {
    if (!text.empty()) text += ", ";
    if (!change.name.empty()) text += change.name + " ";
    const bool both = part == AnimationPart::Turn || part == AnimationPart::Result;
    text += both ? change.a + " → " + change.b : part == AnimationPart::Before ? change.a : change.b;
  }
  return text.empty() ? tr("the same settings") : text;
}

std::string length_text(const RunSnapshot& run) {
  if (run.whole) return base::format_duration(std::llround(run.mean_ns()));
  if (!run.summary.pace.known()) return why_unknown(run.summary.pace);
  return tr("{} per iteration", pace_text(run.summary.pace));
}

// Its GPU lanes are of several streams, whose names need headings.
bool several_streams(const trace::Trace& trace) {
  std::set<std::pair<std::int32_t, std::int32_t>> streams;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::LaneInfo& info = trace.lane(static_cast<trace::LaneId>(l)).info();
    if (trace::is_gpu_lane(info.kind)) streams.emplace(info.device, info.stream);
  }
  return streams.size() > 1;
}

// The largest of these roles in which the text fits.
FontRole fitting(const TextMeasure& fonts, const std::string& text, float width,
                 std::initializer_list<FontRole> roles) {
  FontRole last = FontRole::Small;
  for (const FontRole role : roles) {
    last = role;
    if (text_width(fonts, role, text) <= width) break;
  }
  return last;
}

}  // namespace

std::vector<AnimationStep> animation_steps(int interval) {
  std::vector<AnimationStep> steps;
  const int count = kMoving / interval;
  const auto move = [&](AnimationPart part, int lit_for) {
    steps.push_back({part, 0, lit_for > 0, kStill});
    for (int i = 1; i <= count; ++i) {
      steps.push_back({part, kMovedPx * i / count, kStill + i * interval <= lit_for, interval});
    }
  };
  move(AnimationPart::Before, 0);
  steps.back().centiseconds += kStill;
  steps.push_back({AnimationPart::Before, kMovedPx, true, kLit});
  steps.push_back({AnimationPart::Turn, kMovedPx, true, kTurning});
  move(AnimationPart::After, kLitAfter);
  steps.back().centiseconds += kStill;
  steps.push_back({AnimationPart::Result, kMovedPx, false, kResult});
  return steps;
}

class AnimationLayout::Composition {
 public:
  explicit Composition(const Animation& animation)
      : animation_(animation),
        colours_(theme(animation.theme)),
        result_(animation_result(*animation.before, *animation.after)) {
    labelled_ = !animation.labels[0].empty() || !animation.labels[1].empty();
    head_ = kTitleRow + kKnobRow + (labelled_ ? kSayingRow : 0) + kBelowHead;
    double longest = 1;
    for (const SharedSnapshot& run : {animation.before, animation.after}) {
      const double mean =
          run->mean_ns() > 0 ? run->mean_ns() : static_cast<double>(run->typical_iteration().duration());
      // A trace without iterations passes as a whole.
      longest = std::max(longest, run->whole ? mean * kIterationPx / (kMovedPx + width()) : mean);
    }
    ns_per_pixel_ = longest / kIterationPx;
    for (std::size_t side = 0; side < 2; ++side) {
      sides_[side].from = begin_of(*run(side));
      owners_ = owners_ || several_streams(*run(side)->trace);
    }
    for (const float factor : kFactors) {
      lanes_ = std::max(lay_out(0, factor), lay_out(1, factor));
      if (lanes_ <= kLeastLanes) break;
    }
    lanes_ = std::clamp(lanes_, kLeastLanes, kMostLanes);
    height_ = std::ceil((head_ + lanes_ + kFoot) / 2) * 2;  // even, so that half of it is a whole number of pixels
    lanes_ = height_ - head_ - kFoot;
  }

  float height() const { return height_; }

  AnimationSheet sheet(const AnimationStep& step, const TextMeasure& fonts) {
    AnimationSheet drawn{{kWidth, height_, colours_[Colour::Ground], {}}, {}, 0};
    SpanBatch around;
    add_head(step, fonts, around);
    add_foot(around);
    if (step.part == AnimationPart::Result) {
      drawn.large = large(fonts);
      drawn.large_y = head_;
    } else {
      add_lanes(step.part == AnimationPart::After ? 1 : 0, step.moved, drawn.sheet);
    }
    drawn.sheet.layers.push_back({{0, 0, kWidth, height_}, std::move(around)});
    return drawn;
  }

 private:
  struct Side {
    Timeline timeline;
    LaneLayout layout;
    Nanoseconds from = 0;  // at the left edge before it moves
  };

  const SharedSnapshot& run(std::size_t side) const { return side == 0 ? animation_.before : animation_.after; }
  static float left() { return kMargin / 2 + Timeline::kLabelWidth; }
  static float width() { return kWidth - left() - kMargin; }

  // The start of an iteration from which what will be seen has as many iterations as the run has on average. A loop may
  // wait only now and then, so that its iterations differ. Of several, the one nearest to the typical one.
  Nanoseconds begin_of(const RunSnapshot& run) const {
    const std::vector<IterationSpan>& iterations = run.iterations;
    if (run.whole || run.mean_ns() <= 0) return iterations.front().start_ns;
    const double seen = (width() + kMovedPx) * ns_per_pixel_;
    std::size_t best = 0, end = 0;
    double least = -1;
    for (std::size_t first = 0; first < iterations.size(); ++first) {
      const Nanoseconds until = iterations[first].start_ns + static_cast<Nanoseconds>(seen);
      if (first > 0 && until > iterations.back().end_ns) break;
      while (end < iterations.size() && iterations[end].end_ns <= until) ++end;
      const double off = std::abs(static_cast<double>(end - first) - std::floor(seen / run.mean_ns()));
      const auto away = [&](std::size_t i) { return i > run.typical ? i - run.typical : run.typical - i; };
      if (least >= 0 && (off > least || (off == least && away(first) >= away(best)))) continue;
      least = off;
      best = first;
    }
    return iterations[best].start_ns;
  }

  TimeAxis axis(std::size_t side, int moved) const {
    return TimeAxis(sides_[side].from, ns_per_pixel_, left(), width()).panned(-static_cast<float>(moved));
  }

  TimelineFrame frame(std::size_t side) const {
    const RunSnapshot& shown = *run(side);
    TimelineFrame frame{*shown.trace, shown.analysis.get(), colours_, shown.trace->complete_until()};
    frame.label_origin = sides_[side].from;
    frame.layout = &sides_[side].layout;
    return frame;
  }

  // The height of a side's lanes. The run-ahead curve is left out to save space.
  float lay_out(std::size_t side, float factor) {
    Side& s = sides_[side];
    s.layout.set_grouping(owners_ ? LaneGrouping::Owner : LaneGrouping::None);
    for (const std::string& key : lane_keys(*run(side)->trace)) {
      LaneChoice choice;
      choice.height = factor;
      s.layout.set(key, choice);
    }
    LaneChoice curve;
    curve.hidden = true;
    s.layout.set(kRunAheadKey, curve);
    s.timeline.sync(*run(side)->trace, &s.layout);
    const float note = s.timeline.hidden_count() > 0 ? Timeline::kHiddenNoteHeight : 0;
    return std::ceil(s.timeline.content_height(frame(side), axis(side, 0)) - note);
  }

  void add_lanes(std::size_t side, int moved, PictureSheet& sheet) {
    Side& s = sides_[side];
    const Rect area{kMargin / 2, head_, kWidth - kMargin * 1.5f, lanes_};
    // Much higher, so that the note on hidden lanes at its bottom is out of sight.
    s.timeline.prepare(frame(side), axis(side, moved), {area.x, area.y, area.width, 20'000});
    const float rows_top = area.y + Timeline::kRulerHeight, rows = area.height - Timeline::kRulerHeight;
    sheet.layers.push_back({{left(), rows_top, width(), rows}, s.timeline.rows()});
    sheet.layers.push_back({{area.x, area.y, left() + width() - area.x, Timeline::kRulerHeight}, s.timeline.top()});
    sheet.layers.push_back({{0, rows_top, kWidth, rows}, s.timeline.names()});
  }

  void add_head(const AnimationStep& step, const TextMeasure& fonts, SpanBatch& out) const {
    const std::string badge = badge_text(animation_.before->facts, animation_.after->facts);
    const float badge_width = text_width(fonts, FontRole::BodyBold, badge) + 28;
    const bool says_simulated = simulated(animation_);
    const float badge_x = kWidth - kMargin - badge_width;
    out.solid(badge_x, 10, badge_x + badge_width, 10 + kBadgeHeight,
              colours_[says_simulated ? Colour::Simulated : Colour::PanelRaised], 5);
    out.add({badge_x, 10, badge_width, colours_[says_simulated ? Colour::SimulatedInk : Colour::Text],
             FontRole::BodyBold, badge, kBadgeHeight, LabelAlign::Centre});
    const float title_width = badge_x - 2 * kMargin;
    out.add({kMargin, 10, title_width, colours_[Colour::Text],
             fitting(fonts, animation_.title, title_width, {FontRole::Title, FontRole::Body, FontRole::Small}),
             animation_.title, kBadgeHeight});

    // Which run it is, the knob, and the time of an iteration, each always at the same place.
    const bool after = step.part == AnimationPart::After, result = step.part == AnimationPart::Result;
    const float y = kTitleRow, row = kKnobRow - 6;
    float x = kMargin;
    const float chip = chip_width(fonts);
    if (!result) {
      const Colour fill = side_colour(after ? 1 : 0);
      out.solid(x, y, x + chip, y + row, colours_[fill], 5);
      out.add({x, y, chip, colours_.ink_on(fill), FontRole::BodyBold,
               word(after ? Word::After : Word::Before, base::language()), row, LabelAlign::Centre});
      x += chip + 10;
    }
    const std::string length = result ? std::string() : length_text(*run(after ? 1 : 0));
    const float length_width = result ? 0 : text_width(fonts, FontRole::Title, length) + 2;
    if (step.part != AnimationPart::Turn && !result) {
      out.add({kWidth - kMargin - length_width, y, length_width, colours_[Colour::Text], FontRole::Title, length, row,
               LabelAlign::Right});
    }
    const bool turns = step.part == AnimationPart::Turn || result;
    const float room = kWidth - kMargin - (turns ? 0 : length_width + 16) - x;
    const std::string knob = knob_text(animation_, step.part);
    const FontRole role = fitting(fonts, knob, room - 24, {FontRole::Title, FontRole::Body, FontRole::Small});
    const float width = std::min(room, text_width(fonts, role, knob) + 26);
    const std::uint32_t ground = colours_[step.lit ? Colour::Marker : Colour::PanelRaised];
    out.styled(SpanStyle::Outline, x, y, x + width, y + row, ground, colours_[step.lit ? Colour::Marker : Colour::Line],
               5);
    out.add(
        {x + 12, y, width - 22, step.lit ? colours_.ink_on(Colour::Marker) : colours_[Colour::Text], role, knob, row});
    if (!labelled_) return;
    const std::string& a = animation_.labels[0];
    const std::string& b = animation_.labels[1];
    const std::string says = turns ? a + "  →  " + b : after ? b : a;
    const float says_width = kWidth - 2 * kMargin;
    out.add({kMargin, y + kKnobRow, says_width, colours_[Colour::Muted],
             fitting(fonts, says, says_width, {FontRole::Body, FontRole::Small}), says, kSayingRow - 4});
  }

  static float chip_width(const TextMeasure& fonts) {
    float width = 0;
    for (const Word w : {Word::Before, Word::After}) {
      width = std::max(width, text_width(fonts, FontRole::BodyBold, word(w, base::language())));
    }
    return width + 24;
  }

  void add_foot(SpanBatch& out) const {
    const float y = height_ - kFoot;
    out.solid(0, y, kWidth, y + 1, colours_[Colour::Line]);
    std::string foot =
        std::string("Lanescope  ·  ") + tr("hatched: the CPU waits for the GPU  ·  dashed: the GPU has nothing to run");
    if (simulated(animation_)) {
      const bool both = animation_.before->facts.simulated && animation_.after->facts.simulated;
      foot +=
          std::string("  ·  ") + (both ? tr("simulated, not measured on a GPU") : tr("one of the runs is simulated"));
    }
    out.add({kMargin, y, kWidth - 2 * kMargin, colours_[Colour::Muted], FontRole::Small, foot, kFoot});
  }

  // The factor in large letters, and the two times as bars.
  PictureSheet large(const TextMeasure& fonts) const {
    const float width = kWidth / kLarge, height = lanes_ / kLarge;
    PictureSheet sheet{width, height, colours_[Colour::Ground], {}};
    SpanBatch out;
    constexpr float kEdge = kMargin / kLarge, kBar = 22, kGap = 6, kHeadline = 34, kBasis = 18, kBetween = 10;
    const Better better = ui::better(*animation_.before, *animation_.after);
    const Colour colour = better == Better::B ? Colour::Good : better == Better::A ? Colour::Wait : Colour::Text;
    const float inner = width - 2 * kEdge;
    float y = (height - kHeadline - kBasis - kBetween - 2 * kBar - kGap) / 2;
    out.add({kEdge, y, inner, colours_.as_text(colour),
             fitting(fonts, result_.headline, inner, {FontRole::Verdict, FontRole::Title, FontRole::Body}),
             result_.headline, kHeadline});
    y += kHeadline;
    out.add({kEdge, y, inner, colours_[Colour::Text],
             fitting(fonts, result_.basis, inner, {FontRole::Body, FontRole::Small}), result_.basis, kBasis});
    y += kBasis + kBetween;
    const float name = chip_width(fonts) - 10;
    float value = 0;
    for (const std::string& time : result_.time)
      value = std::max(value, text_width(fonts, FontRole::BodyBold, time) + 4);
    const float most = inner - name - value - 8;
    const double longest = std::max({result_.ns[0], result_.ns[1], 1.0});
    for (std::size_t side = 0; side < 2; ++side) {
      const auto bar = std::max(1.0f, static_cast<float>(result_.ns[side] / longest) * most);
      out.add({kEdge, y, name, colours_[Colour::Text], FontRole::Body,
               word(side == 0 ? Word::Before : Word::After, base::language()), kBar});
      if (result_.ns[side] > 0) {
        out.solid(kEdge + name, y + 1, kEdge + name + bar, y + kBar - 1, colours_[side_colour(side)], 3);
      }
      const float x = kEdge + name + (result_.ns[side] > 0 ? bar + 8 : 0);
      out.add({x, y, width - kEdge / 2 - x, colours_[Colour::Text], FontRole::BodyBold, result_.time[side], kBar});
      y += kBar + kGap;
    }
    sheet.layers.push_back({{0, 0, width, height}, std::move(out)});
    return sheet;
  }

  const Animation& animation_;
  const Theme& colours_;
  AnimationResult result_;
  std::array<Side, 2> sides_;
  double ns_per_pixel_ = 1;
  float head_ = 0, lanes_ = 0, height_ = 0;
  bool labelled_ = false;
  bool owners_ = false;  // the lanes have headings
};

AnimationLayout::AnimationLayout(const Animation& animation) : composition_(std::make_unique<Composition>(animation)) {}
AnimationLayout::~AnimationLayout() = default;

int AnimationLayout::height() const { return static_cast<int>(composition_->height()); }

AnimationSheet AnimationLayout::sheet(const AnimationStep& step, const TextMeasure& fonts) {
  return composition_->sheet(step, fonts);
}

AnimationResult animation_result(const RunSnapshot& before, const RunSnapshot& after) {
  AnimationResult result;
  const analysis::Gain gain = gain_between(before, after);
  const std::array<const RunSnapshot*, 2> runs{&before, &after};
  for (std::size_t side = 0; side < 2; ++side) {
    const RunSnapshot& run = *runs[side];
    const double samples = gain.per_sample ? io::batch_size_of(run.facts) : 1;
    result.ns[side] = run.mean_ns() / std::max(samples, 1.0);
    result.time[side] = run.whole                   ? base::format_duration(std::llround(run.mean_ns()))
                        : !run.summary.pace.known() ? why_unknown(run.summary.pace)
                        : gain.per_sample           ? sample_text(run.summary.pace, samples)
                                                    : pace_text(run.summary.pace);
  }
  if (!gain.known()) {
    result.headline = tr("no factor");
    result.basis = tr("the time of an iteration is not known on both sides");
    return result;
  }
  const auto says = [](Word w) { return word(w, base::language()); };
  switch (better(before, after)) {
    case Better::B:
      result.headline = factor_text(gain.factor) + " " + says(Word::Faster);
      break;
    case Better::A:
      result.headline = factor_text(1 / gain.factor) + " " + says(Word::Slower);
      break;
    default:
      result.headline = says(Word::TheSame);
  }
  if (before.whole || after.whole) {
    result.basis = tr("the whole trace");
    return result;
  }
  const analysis::Pace &x = before.summary.pace, &y = after.summary.pace;
  result.basis = fmt::format("{}, {}; ", of_what(gain), factor_basis(x, y));
  result.basis += x.iterations == 1 && y.iterations == 1 ? tr("one iteration each")
                  : x.iterations == y.iterations
                      ? tr("{} iterations each", base::format_count(x.iterations))
                      : tr("{} and {} iterations", base::format_count(x.iterations), base::format_count(y.iterations));
  return result;
}

ChineseTexts animation_letters(const Animation& animation) {
  ChineseTexts texts = catalogue_letters(base::language());
  const std::string own = animation.title + animation.labels[0] + animation.labels[1];
  texts.title += own;
  texts.body += own;
  texts.small += own;
  const AnimationResult result = animation_result(*animation.before, *animation.after);
  texts.verdict += result.headline + result.basis;
  return texts;
}

std::string animation_text(const Animation& animation) {
  const AnimationResult result = animation_result(*animation.before, *animation.after);
  const io::RunFacts &a = animation.before->facts, &b = animation.after->facts;
  std::string text =
      fmt::format("Lanescope {}\n{}\n{}\n", base::kVersion, animation.title, knob_text(animation, AnimationPart::Turn));
  text += fmt::format("{}, {}: {} → {}\n", result.headline, result.basis, result.time[0], result.time[1]);
  text += fmt::format("{}, {}", a.workload, a.device);
  if (a.device != b.device) text += " → " + b.device;
  if (simulated(animation)) {
    text += fmt::format("\n{}", a.simulated && b.simulated ? tr("simulated, not measured on a GPU")
                                                           : tr("one of the runs is simulated"));
  }
  return text + "\n";
}

}  // namespace lanescope::ui
