#include "render/sweep_picture.h"

#include <imgui.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/translate.h"
#include "device/catalogue.h"
#include "device/device.h"
#include "picture/sweep_chart.h"
#include "picture/words.h"
#include "render/draw_sweep_chart.h"
#include "render/imgui_image.h"
#include "render/labels.h"
#include "render/offscreen.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr int kWidth = 1200, kHeight = 720;
constexpr float kMargin = 24, kHead = 70, kFoot = 34;

bool simulated(const SweepPicture& picture) {
  return std::any_of(picture.points.begin(), picture.points.end(), [](const auto& p) { return p.simulated; });
}

std::string settings_text(const SweepPicture& picture) {
  std::string text =
      picture.spec.workload + "   ·   " + device::name_in_words(device::describe_device(picture.spec.device).name);
  for (const std::string& assignment : picture.spec.assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    const bool varied = std::ranges::any_of(picture.spec.axes, [&](const auto& axis) { return axis.key == key; });
    if (!varied) text += "   " + assignment;
  }
  if (!picture.spec.against.empty()) {
    text += "   ·   " + tr("compared with {}", picture.spec.against);
  }
  return text;
}

}  // namespace

io::Image draw_sweep_picture(const SweepPicture& picture) {
  std::optional<OffscreenContext> own_context;
  if (!gl_context_is_current()) own_context.emplace();
  const Theme& colours = theme(picture.theme);
  const SweepTexts texts = sweep_texts(picture.spec, picture.unit, picture.points);
  ChineseTexts letters = catalogue_letters(base::language());
  letters.title += picture.headline;
  const auto draw = [&](const Fonts& fonts) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    std::vector<Label> labels;
    const std::string headline =
        picture.headline.empty() ? base::tr(workload::workload_info(picture.spec.workload).title) : picture.headline;
    labels.push_back({kMargin, 14, kWidth - 260, colours[Colour::Text], FontRole::Title, headline, 26});
    labels.push_back(
        {kMargin, 40, kWidth - 2 * kMargin, colours[Colour::Muted], FontRole::Small, settings_text(picture), 18});
    if (simulated(picture)) {
      const std::string badge = tr("SIMULATED");
      const float width = text_width(fonts, FontRole::BodyBold, badge) + 36;
      const ImVec2 at{kWidth - kMargin - width, 14};
      list.AddRectFilled(at, {at.x + width, at.y + 26}, colours[Colour::Simulated], 5);
      labels.push_back(
          {at.x, at.y, width, colours[Colour::SimulatedInk], FontRole::BodyBold, badge, 26, LabelAlign::Centre});
    }
    list.AddRectFilled({0, kHead - 4}, {kWidth, kHead - 3}, colours[Colour::Line]);
    const Rect area{kMargin, kHead + 10, kWidth - 2 * kMargin, kHeight - kHead - kFoot - 14};
    draw_sweep_chart(list, fonts, colours, 1, {picture.spec, picture.points, texts, std::nullopt}, area, -1, -1);
    std::string foot = "Lanescope";
    if (simulated(picture)) foot += std::string("  ·  ") + tr("simulated, not measured on a GPU");
    list.AddRectFilled({0, kHeight - kFoot}, {kWidth, kHeight - kFoot + 1}, colours[Colour::Line]);
    labels.push_back(
        {kMargin, kHeight - kFoot, kWidth - 2 * kMargin, colours[Colour::Dim], FontRole::Small, foot, kFoot});
    draw_labels(list, fonts, labels);
  };
  return render_imgui_offscreen(kWidth, kHeight, picture.scale, picture.theme, draw, letters);
}

std::map<std::string, std::string> sweep_picture_text(const SweepPicture& picture) {
  std::map<std::string, std::string> text;
  text["Software"] = "Lanescope";
  text["workload"] = picture.spec.workload;
  text["device"] = picture.spec.device;
  text["simulated"] = simulated(picture) ? "true" : "false";
  text["figure"] = picture.spec.figure;
  if (!picture.spec.against.empty()) text["against"] = picture.spec.against;
  std::string values;
  for (const experiment::SweepPoint& point : picture.points) {
    values += values.empty() ? "" : "; ";
    for (std::size_t axis = 0; axis < point.at.size(); ++axis) {
      values += picture.spec.axes[axis].key + "=" + point.at[axis] + " ";
    }
    values += point.value ? sweep_value_text(*point.value, picture.unit) : "-";
  }
  text["Description"] = values;
  return text;
}

}  // namespace lanescope::ui
