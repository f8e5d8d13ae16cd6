#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/translate.h"
#include "experiment/named_figure.h"
#include "inspect/figure_text.h"
#include "picture/words.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using experiment::Experiment;
using experiment::Side;

constexpr float kCardHeight = 78;
constexpr float kCardGap = 8;
constexpr float kCardLeast = 300;  // a narrower card shows too little

std::string gallery_in_words(const Canvas& c, Word w) { return word(w, c.state.language()); }

void pick(ShellState& state) {
  const Experiment* chosen = state.overlays.gallery.list.at(state.overlays.gallery.selected);
  if (!chosen) return;
  state.requests.experiment = {chosen, Side::Before};
  state.requests.actions.push_back(Action::Gallery);  // closes the gallery
}

void move_to(GalleryState& gallery, std::size_t place) {
  gallery.selected = place;
  gallery.scroll_to_selected = true;
}

// The field always has the keyboard focus: typing filters, arrows move, Enter starts, Esc closes.
void draw_filter(const Canvas& c, float width, std::size_t columns) {
  GalleryState& gallery = c.state.overlays.gallery;
  const std::string before = gallery.filter;
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0)) focus_field(c);
  ImGui::SetNextItemWidth(width);
  ImGui::PushID(gallery.field);
  {
    const TextStyle style(c, FontRole::Body, Colour::Text);
    ImGui::InputTextWithHint("##filter", gallery_in_words(c, Word::Filter).c_str(), &gallery.filter);
  }
  ImGui::PopID();
  note_control(c, "gallery.filter");
  const std::vector<int> keys = std::exchange(gallery.keys, {});
  const bool escape = std::ranges::find(keys, key::Escape) != keys.end();
  if (escape && !before.empty()) {
    // Dear ImGui would put back the text with which the field became active: a new field begins empty.
    gallery.filter.clear();
    ++gallery.field;
  }
  if (gallery.filter != before) {
    const Experiment* selected = gallery.list.at(gallery.selected);
    gallery.list = gallery_list(gallery.filter, c.state.language());
    move_to(gallery, gallery.list.place_of(selected).value_or(0));
  }
  const auto walk = [&](int dx, int dy) { move_to(gallery, gallery.list.moved(gallery.selected, dx, dy, columns)); };
  for (const int pressed : keys) {
    if (pressed == key::Down) walk(0, 1);
    if (pressed == key::Up) walk(0, -1);
    if (before.empty() && pressed == key::Right) walk(1, 0);  // otherwise the arrows move the text cursor
    if (before.empty() && pressed == key::Left) walk(-1, 0);
    if (pressed == key::Enter || pressed == key::KeypadEnter) return pick(c.state);
  }
  if (escape && before.empty()) close_overlay(c.state);
}

void draw_gallery_card(const Canvas& c, const Experiment& e, const Rect& r, bool selected, bool hovered, bool running) {
  const float s = c.scale;
  const experiment::Language language = c.state.language();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low{r.x, r.y}, high{r.x + r.width, r.y + r.height};
  list.AddRectFilled(low, high, c.theme[selected || hovered ? Colour::PanelHovered : Colour::PanelRaised], 7 * s);
  outline(c, r, 7, hovered);
  if (selected) list.AddRect(low, high, c.theme[Colour::Accent], 7 * s, 0, 2 * s);
  if (running) {
    list.AddRectFilled({r.x, r.y + 10 * s}, {r.x + 4 * s, r.y + r.height - 10 * s}, c.theme[Colour::Good], 2 * s);
  }
  const float left = r.x + 14 * s;
  const float width = r.width - 26 * s;
  const std::string headline = published_headline(e);
  const std::string factor = headline.empty() ? "" : base::tr("published {}", headline);
  const std::string sources = sources_text(e);
  const float factor_width = factor.empty() ? 0 : text_width(c.fonts, FontRole::Mono, factor) + 10 * s;
  const float id_width = text_width(c.fonts, FontRole::MonoSmall, e.id) + 8 * s;
  const std::string aside =
      sources + (running ? (sources.empty() ? "" : "  ·  ") + gallery_in_words(c, Word::RunsNow) : "");
  const Label labels[] = {
      {left, r.y + 8 * s, id_width, c.theme.as_text(Colour::Accent), FontRole::MonoSmall, e.id, 18 * s},
      {left + id_width, r.y + 8 * s, width - id_width - factor_width,
       c.theme.as_text(running ? Colour::Good : Colour::Dim), FontRole::Small, aside, 18 * s},
      {left, r.y + 8 * s, width, c.theme.as_text(Colour::Text), FontRole::Mono, factor, 18 * s, LabelAlign::Right},
      {left, r.y + 28 * s, width, c.theme[Colour::Text], FontRole::BodyBold, e.title[language], 20 * s},
      {left, r.y + 50 * s, width, c.theme.as_text(Colour::Muted), FontRole::Small, first_sentence(e.shows[language]),
       18 * s}};
  draw_labels(list, c.fonts, labels);
}

// Files of the user's own that cannot be used.
void draw_errors(const Canvas& c, const std::vector<std::string>& errors) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    wrapped_text(c, FontRole::Small, Colour::Wait, errors[i]);
    note_place(c, "gallery.error." + std::to_string(i));
  }
  if (!errors.empty()) vertical_space(c, 4);
}

void draw_cards(const Canvas& c, std::size_t columns) {
  ShellState& state = c.state;
  GalleryState& gallery = state.overlays.gallery;
  const float s = c.scale;
  const float gap = kCardGap * s;
  const float width = ImGui::GetContentRegionAvail().x - 6 * s;  // leaves space for the scroll bar
  const auto n = static_cast<float>(columns);
  const float each = (width - gap * (n - 1)) / n;
  const float height = kCardHeight * s;
  std::size_t place = 0;
  for (const GalleryChapter& chapter : gallery.list.chapters) {
    vertical_space(c, place == 0 ? 2 : 16);
    text(c, FontRole::SmallBold, Colour::Dim, chapter.title);
    vertical_space(c, 2);
    if (&chapter == &gallery.list.chapters.front()) draw_errors(c, gallery.list.errors);
    for (std::size_t i = 0; i < chapter.experiments.size(); ++i, ++place) {
      if (i % columns != 0) ImGui::SameLine(0, gap);
      const Experiment& e = *chapter.experiments[i];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const bool clicked = press_area(c, e.id.c_str(), {each, height});
      note_control(c, "gallery." + e.id);
      const bool selected = place == gallery.selected;
      if (selected && gallery.scroll_to_selected) {
        ImGui::SetScrollHereY(0.5f);
        gallery.scroll_to_selected = false;
      }
      if (ImGui::IsItemVisible()) {
        const bool running = state.experiment.active && &state.experiment.active->experiment() == &e;
        draw_gallery_card(c, e, {at.x, at.y, each, height}, selected, ImGui::IsItemHovered(), running);
        // Over its first line, where the code is: over the rest, a tooltip would cover the other cards.
        if (ImGui::IsItemHovered() && ImGui::GetIO().MousePos.y < at.y + 28 * s) {
          ImGui::SetTooltip("%s", code_text(e).c_str());
        }
        const ImVec2 top = ImGui::GetWindowPos();
        const bool whole = at.y >= top.y && at.y + height <= top.y + ImGui::GetWindowHeight();
        if (!whole) state.places.erase("gallery." + e.id);
      } else {
        state.places.erase("gallery." + e.id);
      }
      if (clicked) gallery.selected = place;
      if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) pick(state);
    }
  }
  if (place == 0 && gallery.list.errors.empty()) {
    vertical_space(c, 20);
    text(c, FontRole::Body, Colour::Muted, gallery_in_words(c, Word::NothingFound));
  }
}

void draw_paragraph(const Canvas& c, Word title, const std::string& says) {
  if (says.empty()) return;
  heading(c, gallery_in_words(c, title).c_str());
  wrapped_text(c, FontRole::Body, Colour::Text, says);
}

void draw_about(const Canvas& c, const Experiment& e) {
  const experiment::Language language = c.state.language();
  text(c, FontRole::MonoSmall, Colour::Accent, e.id + "  " + e.name);
  wrapped_text(c, FontRole::Title, Colour::Text, e.title[language]);
  vertical_space(c, 2);
  text(c, FontRole::Small, Colour::Dim, e.workload + " · " + e.device);
  draw_paragraph(c, Word::Shows, e.shows[language]);
  draw_paragraph(c, Word::Watch, e.watch[language]);
  draw_paragraph(c, Word::Turn, e.knob[language]);
  vertical_space(c, 12);
  for (const Side side : {Side::Before, Side::After}) {
    text(c, FontRole::BodyBold, Colour::Accent, gallery_in_words(c, side == Side::Before ? Word::Before : Word::After));
    wrapped_text(c, FontRole::Body, Colour::Text, e.side(side).label[language]);
  }
  if (!e.published.empty()) heading(c, gallery_in_words(c, Word::Published).c_str());
  GalleryState& gallery = c.state.overlays.gallery;
  if (gallery.checked != e.id) {
    gallery.machines = fitted_sides(e, {});
    gallery.checked = e.id;
  }
  for (const experiment::Published& p : e.published) {
    const experiment::Checking checking = check_of(e, p, gallery.machines);
    figure_line(c, p.label[language],
                figure_text(p.value) + (p.unit == "x" ? "x" : " " + experiment::unit_in_words(p.unit)));
    std::string says = word(p.quality, language);
    if (!p.source.empty()) says += " · " + p.source;
    if (!p.environment[language].empty()) says += " · " + p.environment[language];
    wrapped_text(c, FontRole::Small, quality_colour(p.quality), says);
    std::string check = base::tr(checking_text(checking));
    if (checking.check == experiment::Check::Unchecked) check += ": " + p.unchecked[language];
    wrapped_text(c, FontRole::Small, Colour::Dim, check);
    vertical_space(c, 9);
  }
  draw_correction(c, e.correction[language], nullptr);
}

void draw_gallery_header(const Canvas& c, float width, std::size_t columns) {
  const float s = c.scale;
  const float left = ImGui::GetCursorPosX();
  const float y = ImGui::GetCursorPosY();
  GalleryState& gallery = c.state.overlays.gallery;
  const std::string close = gallery_in_words(c, Word::Close) + " (Esc)";
  const float close_width = text_width(c.fonts, FontRole::Body, close) + 24 * s;
  const float room = width - close_width - 16 * s;
  const float tabs = std::min(260 * s, room * 0.6f), gap = std::min(24 * s, room * 0.05f);
  // In a narrow window the count gives way first, then the choice of the language.
  float right = room;
  const float languages = language_switch_width(c) + 16 * s;
  if (right - languages - tabs - gap > 120 * s) {
    ImGui::SetCursorPos({left, y + 3 * s});
    language_switch(c, left + right);
    right -= languages;
  }
  ImGui::SetCursorPos({left, y});
  const int tab = segmented(c, "gallery.tab", {gallery_in_words(c, Word::Experiments), base::tr("Lessons")},
                            gallery.lessons ? 1 : 0, tabs);
  if (tab >= 0) gallery.lessons = tab == 1;
  if (!gallery.lessons) {
    const float filter = std::min({280 * s, width * 0.25f, right - tabs - gap});
    ImGui::SetCursorPos({left + tabs + gap, y});
    draw_filter(c, filter, columns);
    const std::string count = std::to_string(gallery.list.size()) + " " + gallery_in_words(c, Word::InThisList);
    if (tabs + gap + filter + 12 * s + text_width(c.fonts, FontRole::Small, count) < right) {
      ImGui::SameLine(0, 12 * s);
      ImGui::AlignTextToFramePadding();
      text(c, FontRole::Small, Colour::Dim, count);
    }
  }
  ImGui::SetCursorPos({left + width - close_width, y});
  if (button(c, "gallery.close", close)) c.state.requests.actions.push_back(Action::Gallery);
}

}  // namespace

void draw_gallery(const Canvas& c) {
  GalleryState& gallery = c.state.overlays.gallery;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  // The window covers everything, so that nothing behind it can be hit.
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##gallery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  const float wide = std::min(display.x - 32 * s, 1560 * s);
  const float high = display.y - 32 * s;
  const ImVec2 low{(display.x - wide) / 2, (display.y - high) / 2};
  c.state.places["gallery"] = {low.x, low.y, wide, high};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({0, 0}, display, with_alpha(c.theme[Colour::Ground], 0.8f));
  list.AddRectFilled(low, {low.x + wide, low.y + high}, c.theme[Colour::Panel], 10 * s);
  list.AddRect(low, {low.x + wide, low.y + high}, c.theme[Colour::Line], 10 * s);

  const float pad = 20 * s;
  const float inner = wide - 2 * pad;
  const float about_width = std::min(460 * s, inner * 0.4f);
  const float cards_width = inner - about_width - 28 * s;
  const float spare = cards_width - ImGui::GetStyle().ScrollbarSize;
  const auto columns =
      static_cast<std::size_t>(std::clamp((spare + kCardGap * s) / ((kCardLeast + kCardGap) * s), 1.0f, 3.0f));
  ImGui::SetCursorPos({low.x + pad, low.y + 16 * s});
  draw_gallery_header(c, inner, columns);
  const float top = low.y + 56 * s;
  const float body = high - 56 * s - 14 * s;
  list.AddLine({low.x, top}, {low.x + wide, top}, c.theme[Colour::Line]);
  if (gallery.lessons) {
    ImGui::SetCursorPos({low.x + pad, top + 10 * s});
    draw_lesson_list(c, inner, body - 10 * s);
    ImGui::End();
    return;
  }
  const ImGuiWindowFlags child = ImGuiWindowFlags_NoNav;
  ImGui::SetCursorPos({low.x + pad, top + 10 * s});
  ImGui::BeginChild("##cards", {cards_width, body - 10 * s}, false, child);
  draw_cards(c, columns);
  ImGui::EndChild();
  const Experiment* selected = gallery.list.at(gallery.selected);
  if (selected) {
    const float x = low.x + pad + cards_width + 28 * s;
    const float start_height = 44 * s;
    list.AddLine({x - 20 * s, top}, {x - 20 * s, low.y + high}, c.theme[Colour::Line]);
    ImGui::SetCursorPos({x, top + 12 * s});
    ImGui::BeginChild(("##about" + selected->id).c_str(), {about_width, body - start_height - 12 * s}, false, child);
    draw_about(c, *selected);
    ImGui::EndChild();
    ImGui::SetCursorPos({x, low.y + high - start_height});
    if (button(c, "gallery.start", gallery_in_words(c, Word::Start) + "  (Enter)", true, about_width)) pick(c.state);
  }
  ImGui::End();
}

bool gallery_key(ShellState& state, KeyChord chord) {
  if (state.overlays.open != Overlay::Gallery || chord.modifiers != 0) return false;
  constexpr std::array kTaken{key::Up, key::Down, key::Left, key::Right, key::Enter, key::KeypadEnter, key::Escape};
  const bool taken = std::ranges::find(kTaken, chord.key) != kTaken.end();
  if (taken) state.overlays.gallery.keys.push_back(chord.key);
  return taken;
}

}  // namespace lanescope::ui
