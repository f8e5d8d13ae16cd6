// The picture panel: the content of a picture, a preview, and where it goes.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr ImGuiWindowFlags kPictureCard = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                          ImGuiWindowFlags_NoBackground;
constexpr std::array<float, 6> kScales{0.5f, 1, 2, 3, 4, 8};

void caption(const Canvas& c, const char* says) {
  text(c, FontRole::SmallBold, Colour::Dim, says);
  vertical_space(c, 2);
}

// A line of text in a given width: longer text ends in "…".
void line(const Canvas& c, FontRole role, Colour colour, const std::string& says, float width) {
  text(c, role, colour, fit_text(c.fonts, role, says, width));
}

void draw_picture_choices(const Canvas& c, float width) {
  PictureChoices& choices = c.state.pictures.choices;
  caption(c, tr("CONTENT"));
  std::vector<std::string> subjects{tr("Window"), tr("Timeline"), tr("Selection")};
  if (c.state.comparison.state.b()) subjects.emplace_back(tr("A and B"));
  const int subject = segmented(c, "picture.subject", subjects, static_cast<int>(choices.subject), width);
  if (subject >= 0) choices.subject = static_cast<PictureSubject>(subject);
  const bool window = choices.subject == PictureSubject::Window;
  if (window) choices.format = PictureFormat::Png;

  vertical_space(c, 12);
  caption(c, tr("FORMAT"));
  std::vector<std::string> formats{tr("PNG")};
  if (!window) formats.emplace_back(tr("SVG"));
  const float half = (width - 6 * c.scale) / 2;
  const int format = segmented(c, "picture.format", formats, static_cast<int>(choices.format), window ? half : width);
  if (format >= 0) choices.format = static_cast<PictureFormat>(format);

  vertical_space(c, 12);
  caption(c, tr("SCALE"));
  std::vector<std::string> scales;
  int scale = -1;
  for (std::size_t i = 0; i < kScales.size(); ++i) {
    scales.push_back(fmt::format("{:g}x", kScales[i]));
    if (choices.scale == kScales[i]) scale = static_cast<int>(i);
  }
  if (const int chosen = segmented(c, "picture.scale", scales, scale, width); chosen >= 0) {
    choices.scale = kScales[static_cast<std::size_t>(chosen)];
  }
  vertical_space(c, 2);
  const PicturePreview& preview = c.state.pictures.preview;
  const char* unit =
      choices.format == PictureFormat::Svg ? tr("{} × {} units, sharp at any size") : tr("{} × {} pixels");
  line(c, FontRole::MonoSmall, Colour::Muted,
       preview.of && preview.problem.empty() ? fmt::format(fmt::runtime(unit), base::format_count(preview.size.width),
                                                           base::format_count(preview.size.height))
                                             : std::string("–"),
       width);

  vertical_space(c, 12);
  caption(c, tr("THEME"));
  std::vector<std::string> themes{tr("As shown")};
  int theme = 0;
  for (std::size_t i = 0; i < kThemes.size(); ++i) {
    std::string title = tr(theme_title(kThemes[i]));
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    themes.push_back(std::move(title));
    if (choices.theme == kThemes[i]) theme = static_cast<int>(i) + 1;
  }
  // Two per row: "high contrast" is long.
  for (std::size_t first = 0; first < themes.size(); first += 2) {
    const std::vector<std::string> row(
        themes.begin() + static_cast<std::ptrdiff_t>(first),
        themes.begin() + static_cast<std::ptrdiff_t>(std::min(first + 2, themes.size())));
    const int at = theme - static_cast<int>(first);
    const int chosen = segmented(c, "picture.theme", row, at >= 0 && at < 2 ? at : -1, width);
    if (chosen < 0) continue;
    const auto wanted = static_cast<std::size_t>(chosen) + first;
    choices.theme = wanted == 0 ? std::nullopt : std::optional(kThemes[wanted - 1]);
  }

  vertical_space(c, 10);
  ImGui::BeginChild("##picture.caption", {width, 30 * c.scale});
  if (toggle(c, "picture.caption", tr("Caption: title, settings, figures"), choices.caption, "", window) && !window) {
    choices.caption = !choices.caption;
  }
  ImGui::EndChild();
}

void draw_preview(const Canvas& c, const Rect& frame) {
  const PicturePreview& preview = c.state.pictures.preview;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  c.state.places["picture.preview"] = frame;
  list.AddRectFilled({frame.x, frame.y}, {frame.x + frame.width, frame.y + frame.height}, c.theme[Colour::Ground],
                     6 * c.scale);
  list.AddRect({frame.x, frame.y}, {frame.x + frame.width, frame.y + frame.height}, c.theme[Colour::Line], 6 * c.scale);
  if (preview.texture.empty()) {
    const std::string says = wrapped_lines(c, FontRole::Body, preview.problem, frame.width - 60 * c.scale);
    const ImVec2 size = ImGui::CalcTextSize(says.c_str());
    ImGui::SetCursorScreenPos({frame.x + (frame.width - size.x) / 2, frame.y + (frame.height - size.y) / 2});
    text(c, FontRole::Body, Colour::Muted, says);
    return;
  }
  const float pad = 8 * c.scale;
  const auto wide = static_cast<float>(preview.texture.width());
  const auto high = static_cast<float>(preview.texture.height());
  const float scale = std::min((frame.width - 2 * pad) / wide, (frame.height - 2 * pad) / high);
  const ImVec2 at{std::round(frame.x + (frame.width - wide * scale) / 2),
                  std::round(frame.y + (frame.height - high * scale) / 2)};
  const ImVec2 end{std::round(at.x + wide * scale), std::round(at.y + high * scale)};
  list.AddImage(preview.texture.id(), at, end);
  list.AddRect({at.x - 1, at.y - 1}, {end.x + 1, end.y + 1}, c.theme[Colour::Line]);
}

void draw_deeds(const Canvas& c, float width) {
  PictureState& pictures = c.state.pictures;
  const float s = c.scale;
  const auto want = [&](PictureDeed deed) { pictures.wanted = deed; };
  const bool can = pictures.preview.problem.empty();
  if (button(c, "picture.save", tr("Save"), can, 110 * s) && can) want(PictureDeed::Save);
  ImGui::SameLine(0, 8 * s);
  if (button(c, "picture.copy", tr("Copy"), false, 110 * s, tr("as PNG, to the clipboard")) && can) {
    want(PictureDeed::Copy);
  }
  ImGui::SameLine(0, 14 * s);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = width - 242 * s;
  const bool written = !pictures.written.empty();
  const std::string where =
      short_path(written ? pictures.written : picture_folder(c.state.preferences)) + (written ? "" : "/");
  const std::string before = written ? tr("saved: ") : tr("into ");
  const Label says{at.x, at.y, room, c.theme[Colour::Muted], FontRole::Small, before + where, 26 * s};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&says, 1});
  ImGui::NewLine();
  vertical_space(c, 6);

  if (button(c, "picture.save_as", tr("Save as"), false, 110 * s) && can) want(PictureDeed::SaveAs);
  ImGui::SameLine(0, 8 * s);
  ImGui::SetNextItemWidth(width - 118 * s);
  {
    const TextStyle style(c, FontRole::Mono, Colour::Text);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, c.theme[Colour::PanelRaised]);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, 5 * s);
    const std::string hint = fmt::format("figure{}", picture_extension(pictures.choices.format));
    if (ImGui::InputTextWithHint("##picture.path", hint.c_str(), &pictures.path,
                                 ImGuiInputTextFlags_EnterReturnsTrue) &&
        can) {
      want(PictureDeed::SaveAs);
    }
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
  }
  note_control(c, "picture.path");
}

}  // namespace

void draw_picture_panel(const Canvas& c) {
  ShellState& state = c.state;
  if (state.overlays.open != Overlay::Picture) return;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(1120 * s, display.x - 32 * s);
  const float height = std::min(560 * s, display.y - 24 * s);
  const Rect card{std::round((display.x - width) / 2), std::round((display.y - height) / 2), width, height};
  const float pad = 24 * s, left = std::min(300 * s, width * 0.38f);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##picture", nullptr, kPictureCard);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({0, 0}, display, with_alpha(c.theme[Colour::Ground], 0.72f));
  list.AddRectFilled({card.x, card.y}, {card.x + card.width, card.y + card.height}, c.theme[Colour::Panel], 10 * s);
  list.AddRect({card.x, card.y}, {card.x + card.width, card.y + card.height}, c.theme[Colour::Line], 10 * s);

  ImGui::SetCursorScreenPos({card.x + pad, card.y + 18 * s});
  text(c, FontRole::Title, Colour::Text, tr("Picture"));
  note_place(c, "picture");
  ImGui::SetCursorScreenPos({card.x + pad, card.y + 58 * s});
  ImGui::BeginChild("##picture.choices", {left, card.height - 58 * s - 60 * s});
  draw_picture_choices(c, ImGui::GetContentRegionAvail().x);  // leaves space for a scroll bar, if there is one
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({card.x + pad, card.y + card.height - 46 * s});
  if (button(c, "picture.close", std::string(tr("Close")) + " (Esc)")) close_overlay(state);

  const float x = card.x + pad + left + 28 * s;
  const float room = card.x + card.width - pad - x;
  const float deeds = 92 * s;
  list.AddRectFilled({x - 15 * s, card.y + 1}, {x - 14 * s, card.y + card.height - 1}, c.theme[Colour::Line]);
  draw_preview(c, {x, card.y + 22 * s, room, card.height - 22 * s - deeds});
  ImGui::SetCursorScreenPos({x, card.y + card.height - deeds + 12 * s});
  ImGui::BeginChild("##picture.deeds", {room, deeds - 14 * s});
  draw_deeds(c, room);
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace lanescope::ui
