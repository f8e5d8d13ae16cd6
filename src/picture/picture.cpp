#include "picture/picture.h"
#include "inspect/figure_text.h"
#include "picture/words.h"
#include "timeline/found_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>

#include "analysis/figure.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/device.h"
#include "timeline/mark_shapes.h"
#include "timeline/timeline.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kPictureMargin = 20;
constexpr float kHeadHeight = 62;
constexpr float kPartHead = 54;
constexpr float kFootHeight = 34;
constexpr float kPictureBadgeHeight = 26;
constexpr float kJobHeading = 24, kJobBelow = 2;
constexpr float kJobNames = 16;  // from the left, as in the window
constexpr std::size_t kAllBubbles = 4'000'000;

std::string figures_text(const analysis::Summary& s) {
  static const std::string kBetween = "   ·   ";
  std::string text;
  if (s.pace.known()) {
    text += tr("{} per iteration, {}", pace_text(s.pace), basis_text(s.pace.basis));
  } else if (s.iteration.count > 0) {
    text += basis_text(s.pace.basis);
  }
  const auto add = [&](const char* key) {
    const analysis::Figure& figure = analysis::figure(key);
    if (!text.empty()) text += kBetween;
    text += label_of(figure, figure.usual) + " " + text_of(figure, s, figure.usual);
  };
  add("gpu_busy_ns");
  add("host_wait_ns");
  if (s.in_parts) text += kBetween + tr("GPU {}", recorded_text(s));
  if (s.iteration.count > 0) add("sync_count");
  return text;
}

std::string settings_text(const trace::RunFacts& facts) {
  std::string text;
  for (const auto& [key, value] : facts.settings) text += (text.empty() ? "" : "   ") + key + " " + value;
  return text;
}

// The settings common to all parts; the differing ones are in the parts' titles.
trace::RunFacts shared_facts(const PictureRequest& request) {
  trace::RunFacts facts = request.parts.empty() ? trace::RunFacts{} : request.parts.front().facts;
  for (const PicturePart& part : request.parts) {
    std::erase_if(facts.settings, [&](const auto& setting) {
      const auto other = part.facts.settings.find(setting.first);
      return other == part.facts.settings.end() || other->second != setting.second;
    });
  }
  return facts;
}

}  // namespace

std::string picture_headline(const PictureRequest& request) {
  if (!request.headline.empty()) return request.headline;
  const trace::RunFacts facts = shared_facts(request);
  const auto names = workload::workload_names();
  const bool known = std::find(names.begin(), names.end(), facts.workload) != names.end();
  return known ? base::tr(workload::workload_info(facts.workload).title) : facts.workload;
}

// The prepared parts, with their positions and heights.
class PictureLayout::Composition {
 public:
  explicit Composition(const PictureRequest& request)
      : request_(request),
        colours_(theme(request.theme)),
        width_(static_cast<float>(request.width)),
        left_(kPictureMargin / 2 + Timeline::kLabelWidth),
        lanes_width_(width_ - left_ - kPictureMargin) {
    // One time scale for all parts: the longest stretch fills the width.
    Nanoseconds longest = 1;
    for (const PicturePart& part : request.parts) {
      longest = std::max(longest, part.to_ns - part.from_ns);
      simulated_ = simulated_ || part.facts.simulated;
      mixed_ = mixed_ || part.facts.simulated != request.parts.front().facts.simulated;
    }
    height_ = request.caption ? kHeadHeight + kFootHeight : simulated_ ? kFootHeight : 0;
    for (const PicturePart& part : request.parts) {
      View& view = views_.emplace_back();
      view.part = &part;
      view.analysis = part.analysis;
      if (view.analysis == nullptr) {
        view.own_analysis =
            std::make_unique<analysis::LiveAnalysis>(*part.trace, analysis::LiveAnalysis::kMaxRecords, kAllBubbles);
        view.own_analysis->update(part.to_ns + longest);
        view.analysis = view.own_analysis.get();
      }
      view.axis = TimeAxis(part.from_ns, 1, left_, lanes_width_).fitted(part.from_ns, part.from_ns + longest);
      view.timeline.sync(*part.trace, &part.over.layout);
      view.height = std::ceil(view.timeline.content_height(frame(view), view.axis));
      height_ += part_head() + job_height(view) + view.height;
    }
    height_ = std::ceil(height_);
  }

  float width() const { return width_; }
  float height() const { return height_; }

  PictureSheet sheet(const TextMeasure& fonts) {
    PictureSheet sheet{width_, height_, colours_[Colour::Ground], {}};
    SpanBatch caption;
    if (request_.caption) add_head(fonts, caption);
    float y = request_.caption ? kHeadHeight : 0;
    for (View& view : views_) {
      if (request_.caption) add_part_head(view, y, caption);
      y += part_head();
      if (job_height(view) > 0) add_job(fonts, view, y, sheet);
      y += job_height(view);
      add_lanes(view, y, sheet);
      y += view.height;
    }
    if (request_.caption) {
      add_foot(y, caption);
    } else if (simulated_) {
      add_badge(fonts, y + (kFootHeight - kPictureBadgeHeight) / 2, caption);
    }
    sheet.layers.push_back({{0, 0, width_, height_}, std::move(caption)});
    return sheet;
  }

 private:
  // What is needed to draw one part.
  struct View {
    const PicturePart* part = nullptr;
    std::unique_ptr<analysis::LiveAnalysis> own_analysis;
    const analysis::LiveAnalysis* analysis = nullptr;
    JobBands bands;
    Timeline timeline;
    TimeAxis axis;
    float height = 0;  // of the lanes
  };

  float part_head() const { return request_.caption ? kPartHead : 0; }
  static float job_height(const View& view) {
    const std::vector<JobBand>& bands = view.part->over.job.bands;
    return bands.empty() ? 0 : kJobHeading + JobBands::height(bands.size(), true, 1) + kJobBelow;
  }

  TimelineFrame frame(const View& view) const {
    const PicturePart& part = *view.part;
    TimelineFrame frame{*part.trace, view.analysis, colours_, part.live_edge.value_or(part.to_ns)};
    frame.live = !part.over.open_calls.empty();
    frame.label_origin = part.over.label_origin.value_or(part.from_ns);
    frame.selection = &part.over.selection;
    frame.open_calls = part.over.open_calls;
    frame.now = part.over.now;
    frame.layout = &part.over.layout;
    frame.average = part.over.average;
    frame.average_at = part.over.average_at;
    frame.colouring = &part.over.colouring;
    return frame;
  }

  // Every picture of a simulation says so, with the profile.
  void add_badge(const TextMeasure& fonts, float y, SpanBatch& out) const {
    const trace::RunFacts* facts = nullptr;
    for (const PicturePart& part : request_.parts) {
      if (!facts || (part.facts.simulated && !facts->simulated)) facts = &part.facts;
    }
    if (!facts) return;
    const std::string badge = badge_text(*facts, false);
    const float badge_width = text_width(fonts, FontRole::BodyBold, badge) + 36;
    const float x = width_ - kPictureMargin - badge_width;
    out.solid(x, y, x + badge_width, y + kPictureBadgeHeight,
              colours_[facts->simulated ? Colour::Simulated : Colour::PanelRaised], 5);
    out.add({x, y, badge_width, colours_[facts->simulated ? Colour::SimulatedInk : Colour::Text], FontRole::BodyBold,
             badge, kPictureBadgeHeight, LabelAlign::Centre});
  }

  void add_head(const TextMeasure& fonts, SpanBatch& out) const {
    const trace::RunFacts facts = shared_facts(request_);
    out.add(
        {kPictureMargin, 12, width_ - 360, colours_[Colour::Text], FontRole::Title, picture_headline(request_), 26});
    std::string says;  // of a file of another program, nothing is known
    for (const std::string& part :
         {facts.workload, facts.device_name.empty() ? facts.device : device::name_in_words(facts.device_name),
          settings_text(facts)}) {
      if (!part.empty()) says += (says.empty() ? "" : "   ·   ") + part;
    }
    out.add({kPictureMargin, 36, width_ - 2 * kPictureMargin, colours_[Colour::Muted], FontRole::Small, says, 18});
    add_badge(fonts, 12, out);
  }

  void add_part_head(const View& view, float y, SpanBatch& out) const {
    const PicturePart& part = *view.part;
    out.solid(0, y, width_, y + 1, colours_[Colour::Line]);
    const std::string verdict = analysis::verdict_title(part.summary.verdict);
    std::string title = part.title.empty() ? verdict : part.title;
    if (mixed_) title += std::string("   ") + (part.facts.simulated ? tr("(simulated)") : tr("(measured)"));
    out.add({kPictureMargin, y + 10, width_ * 0.45f, colours_[Colour::Text], FontRole::BodyBold, title, 20});
    out.add({width_ * 0.4f, y + 10, width_ * 0.6f - kPictureMargin, colours_[Colour::Text], FontRole::Body,
             figures_text(part.summary), 20, LabelAlign::Right});
    out.add({kPictureMargin, y + 30, width_ - 2 * kPictureMargin, colours_[Colour::Muted], FontRole::Small,
             (part.title.empty() ? "" : verdict + ". ") + part.summary.verdict.sentence, 18});
  }

  void add_job(const TextMeasure& fonts, View& view, float y, PictureSheet& sheet) const {
    const PicturePart& part = *view.part;
    const PictureJob& job = part.over.job;
    const float height = job_height(view);
    const JobFrame frame{*part.trace,
                         view.analysis,
                         view.analysis->links().owners(),
                         *job.collectives,
                         colours_,
                         part.live_edge.value_or(part.to_ns),
                         1,
                         job.bands,
                         job.selected};
    const Rect area{kPictureMargin / 2, y + kJobHeading, width_ - kPictureMargin * 1.5f, height - kJobHeading};
    view.bands.prepare(frame, view.axis, area);
    sheet.layers.push_back({{left_, area.y, lanes_width_, area.height}, view.bands.rows(), view.bands.ribbons()});
    SpanBatch names = view.bands.names();
    const float x = area.x + kJobNames, width = text_width(fonts, FontRole::SmallBold, job.heading) + 2;
    const float says = x + width + 14;
    names.add({x, y, width, colours_[Colour::Dim], FontRole::SmallBold, job.heading, kJobHeading});
    names.add(
        {says, y, width_ - kPictureMargin - says, colours_[Colour::Muted], FontRole::Small, job.sentence, kJobHeading});
    names.solid(0, y, width_, y + 1, colours_[Colour::Line]);
    names.solid(0, y + height - 1, width_, y + height, colours_[Colour::Line]);
    sheet.layers.push_back({{0, y, width_, height}, std::move(names)});
  }

  void add_lanes(View& view, float y, PictureSheet& sheet) const {
    const Rect area{kPictureMargin / 2, y, width_ - kPictureMargin * 1.5f, view.height};
    const TimelineFrame shown = frame(view);
    view.timeline.prepare(shown, view.axis, area);
    const MarkSurface surface{shown, view.timeline, view.axis, area, view.timeline.rows(), view.timeline.top()};
    const PictureOverlay& over = view.part->over;
    if (over.found) add_found(surface, *over.found);
    add_causes(surface, over.cause);
    add_marks(surface, over.marks);
    if (over.trigger) add_trigger_mark(surface, *over.trigger);
    add_pins(surface, over.marks.pinned);
    SpanBatch gutter;
    add_gutter(view.timeline, colours_, area, gutter);
    const float rows_top = area.y + Timeline::kRulerHeight;
    const float bottom = area.y + area.height;
    const ScrolledLanes& scrolled = view.timeline.scrolled().front();
    const float fixed = std::max(rows_top, scrolled.top);
    sheet.layers.push_back({{left_, fixed, lanes_width_, bottom - fixed}, scrolled.rows});
    sheet.layers.push_back({{0, fixed, width_, bottom - fixed}, scrolled.names});
    sheet.layers.push_back({{left_, rows_top, lanes_width_, bottom - rows_top}, view.timeline.rows()});
    sheet.layers.push_back({{area.x, area.y, left_ + lanes_width_ - area.x, rows_top - area.y}, view.timeline.top()});
    sheet.layers.push_back({{0, rows_top, width_, bottom - rows_top}, view.timeline.names()});
    sheet.layers.push_back({{0, rows_top, left_, bottom - rows_top}, std::move(gutter)});
  }

  void add_foot(float y, SpanBatch& out) const {
    out.solid(0, y, width_, y + 1, colours_[Colour::Line]);
    std::string foot = std::string("Lanescope  ·  ") + tr("hatched: the CPU waits; in colour as far as the GPU idles "
                                                          "because of it  ·  dashed: the GPU has nothing to run");
    if (std::ranges::any_of(views_, [](const View& view) { return job_height(view) > 0; })) {
      foot += std::string("  ·  ") + tr("hatched collectives: waiting for the last GPU");
    }
    if (const std::string said = colouring_text(request_.parts.front().over.colouring); !said.empty()) {
      foot += "  ·  " + said;
    }
    if (simulated_) foot += std::string("  ·  ") + tr("simulated, not measured on a GPU");
    out.add(
        {kPictureMargin, y, width_ - 2 * kPictureMargin, colours_[Colour::Dim], FontRole::Small, foot, kFootHeight});
  }

  const PictureRequest& request_;
  const Theme& colours_;
  float width_, left_, lanes_width_, height_ = 0;
  bool simulated_ = false, mixed_ = false;
  std::vector<View> views_;
};

PictureLayout::PictureLayout(const PictureRequest& request)
    : composition_(std::make_unique<Composition>(request)), scale_(request.scale) {}
PictureLayout::~PictureLayout() = default;

int PictureLayout::height() const { return static_cast<int>(composition_->height()); }

PictureSize PictureLayout::size() const {
  return {static_cast<int>(std::lround(composition_->width() * scale_)),
          static_cast<int>(std::lround(composition_->height() * scale_))};
}

PictureSheet PictureLayout::sheet(const TextMeasure& fonts) { return composition_->sheet(fonts); }

ChineseTexts picture_letters(const PictureRequest& request) {
  ChineseTexts texts = catalogue_letters(base::language());
  texts.title += request.headline;
  for (const PicturePart& part : request.parts) {
    texts.body += part.title;
    for (const Bookmark& mark : part.over.marks.bookmarks) {
      texts.small += mark.text;
      texts.body += mark.text;
    }
  }
  return texts;
}

const char* picture_extension(PictureFormat format) { return format == PictureFormat::Svg ? ".svg" : ".png"; }

PictureFormat picture_format(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const PictureFormat format : {PictureFormat::Png, PictureFormat::Svg}) {
    if (ending == picture_extension(format)) return format;
  }
  throw base::UsageError(tr("{}: a picture is PNG or SVG; allowed endings: .png, .svg", path.string()));
}

void check_picture_size(const PictureSize& size, float scale) {
  if (!(scale >= kLeastPictureScale && scale <= kMostPictureScale)) {
    throw base::UsageError(
        tr("a picture's scale is {}; allowed: {} to {}", scale, kLeastPictureScale, kMostPictureScale));
  }
  if (size.width <= kMostPictureSide && size.height <= kMostPictureSide &&
      std::int64_t{size.width} * size.height <= kMostPicturePixels) {
    return;
  }
  const double wide = size.width / static_cast<double>(scale), high = size.height / static_cast<double>(scale);
  const double most = std::min(kMostPictureSide / std::max(wide, high),
                               std::sqrt(static_cast<double>(kMostPicturePixels) / (wide * high)));
  throw base::FileError(
      tr("a picture of {} x {} pixels is too large; allowed: {} each way and {} million in all, which "
         "here is a scale of {:.1f}; an SVG has no such limit",
         size.width, size.height, kMostPictureSide, kMostPicturePixels / 1'000'000, std::floor(most * 10) / 10));
}

PictureSize picture_size(const PictureRequest& request) { return PictureLayout(request).size(); }

void check_picture(const PictureRequest& request) { check_picture_size(picture_size(request), request.scale); }

std::map<std::string, std::string> picture_text(const PictureRequest& request) {
  std::map<std::string, std::string> text;
  text["Software"] = "Lanescope";
  std::string description;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    const PicturePart& part = request.parts[i];
    const std::string suffix = request.parts.size() > 1 ? " " + std::to_string(i + 1) : "";
    text["workload" + suffix] = part.facts.workload;
    text["device" + suffix] = part.facts.device;
    text["device name" + suffix] = part.facts.device_name;
    text["simulated" + suffix] = part.facts.simulated ? "true" : "false";
    text["settings" + suffix] = settings_text(part.facts);
    text["verdict" + suffix] = std::string(analysis::verdict_key(part.summary.verdict.kind));
    text["figures" + suffix] = figures_text(part.summary);
    text["range ns" + suffix] = fmt::format("{} {}", part.from_ns, part.to_ns);
    description += (description.empty() ? "" : "; ") + (part.title.empty() ? "" : part.title + ": ") +
                   part.summary.verdict.sentence;
  }
  text["Description"] = description;
  return text;
}

std::pair<Nanoseconds, Nanoseconds> typical_range(const trace::Trace& trace, int iterations) {
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != trace::LaneKind::Iterations || lane.row_count() == 0) continue;
    const trace::Row& row = lane.row(0);
    const trace::EventIndex first = row.first();
    const trace::EventIndex last = row.last();
    if (first >= last) continue;
    const auto wanted =
        std::min<trace::EventIndex>(static_cast<trace::EventIndex>(std::max(1, iterations)), last - first);
    const trace::EventIndex from = first + (last - first - wanted) / 2;
    return {row.start(from), row.end(from + wanted - 1)};
  }
  return trace.extent();
}

}  // namespace lanescope::ui
