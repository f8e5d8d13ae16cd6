#include "window/panels/advice/advice_cards.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/comparison.h"
#include "shell/finding.h"
#include "window/widgets.h"
#include "workload/common_settings.h"

namespace lanescope::ui {
namespace {

using analysis::Card;
using analysis::Rule;
using analysis::Weight;
using base::tr;

constexpr float kEdge = 3, kLeft = 10, kRight = 6, kPadding = 8, kAdviceLine = 17, kTitleLine = 20, kBetween = 6,
                kCodeInset = 6;

std::vector<std::string> lines_of(const Canvas& c, FontRole role, const std::string& text, float width) {
  const std::string wrapped = wrapped_lines(c, role, text, width);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= wrapped.size();) {
    const std::size_t end = std::min(wrapped.find('\n', begin), wrapped.size());
    lines.push_back(wrapped.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// The title next to the cost, continued below it if it is longer.
std::vector<std::string> title_lines(const Canvas& c, const std::string& title, float width, float beside_cost) {
  std::vector<std::string> lines = lines_of(c, FontRole::BodyBold, title, beside_cost);
  if (lines.size() < 2) return lines;
  const std::string first = lines.front();
  std::size_t rest = title.find_first_not_of(' ', first.size());
  if (rest == std::string::npos) rest = title.size();
  lines = lines_of(c, FontRole::BodyBold, title.substr(rest), width);
  lines.insert(lines.begin(), first);
  return lines;
}

struct CardTexts {
  std::string cost;
  bool cost_below = false;  ///< on its own line: even the title's first word does not fit next to it
  std::vector<std::string> title, what, fix;
  std::vector<std::pair<std::string, Colour>> paste;  ///< of an unfolded card, with a link to copy it
  float paste_height = 0, try_height = 0;
  float height = 0;
};

// On a card about launches: why they cannot become one graph. Empty if they can.
std::string no_graph_because(const Canvas& c, const Card& card) {
  if (std::ranges::find(card.remedies, analysis::Remedy::FewerLaunches) == card.remedies.end()) return {};
  if (!c.state.model.steering()) return {};
  const workload::Settings settings = c.state.model.steering()->settings();
  const workload::SettingSpec* spec = settings.spec(workload::key::kCudaGraph);
  const workload::NoEffect* none = spec ? settings.no_effect(*spec) : nullptr;
  return none ? " " + tr("A CUDA graph is not possible here: {}.", tr(none->reason)) : "";
}

// What is said of an unfolded card, too: why a remedy is not offered, and what is predicted of its trial.
std::string more_of(const Canvas& c, const AdviceCard& advice) {
  std::string why = no_graph_because(c, advice.card);
  const attach::Knob* knob = c.state.program_trials.knob(advice.key);
  if (knob && !knob->refused.empty()) why += " " + tr("It cannot be tried in the program: {}", knob->refused);
  const Offer* offer = c.state.try_it.offer(advice.key);
  return offer ? why + " " + prediction_text(*offer->prediction) : why;
}

std::size_t& most_lines(AdviceState& state, const CardKey& key) {
  const auto found = std::ranges::find(state.most_lines, key, &std::pair<CardKey, std::size_t>::first);
  return found != state.most_lines.end() ? found->second : state.most_lines.emplace_back(key, 0).second;
}

CardTexts texts_of(const Canvas& c, const AdviceCard& advice, float width) {
  const float s = c.scale;
  AdviceState& state = c.state.advice;
  const Card& card = advice.card;
  const bool open = state.open == advice.key;
  CardTexts texts;
  texts.cost = cost_text(card);
  float beside = width;
  if (!texts.cost.empty()) {
    const float usual = text_width(c.fonts, FontRole::Small, "888 µs · 88 %");
    beside -= std::max(usual, text_width(c.fonts, FontRole::Small, texts.cost)) + 4 * s;
  }
  texts.cost_below = text_width(c.fonts, FontRole::BodyBold, card.title.substr(0, card.title.find(' '))) > beside;
  texts.title = title_lines(c, card.title, width, texts.cost_below ? width : beside);
  const float arrow = text_width(c.fonts, FontRole::Small, "→ ");
  texts.try_height = try_row_height(c, advice, width);
  // Of a loop with knobs, the button has the figure.
  std::string said = card.what;
  if (!card.gain.empty() && !c.state.model.steering()) said += ' ' + card.gain;
  texts.what = lines_of(c, FontRole::Small, open ? said + more_of(c, advice) : said, width);
  std::size_t& most = most_lines(state, advice.key);
  texts.what.resize(most = std::max(most, texts.what.size()));
  texts.fix = lines_of(c, FontRole::Small, card.fix, width - arrow);
  texts.height = static_cast<float>(texts.title.size()) * kTitleLine +
                 static_cast<float>(texts.what.size()) * kAdviceLine + 2 * kPadding;
  if (texts.cost_below) texts.height += kAdviceLine;
  if (!texts.fix.empty()) texts.height += static_cast<float>(texts.fix.size()) * kAdviceLine + 2;
  if (open && !card.paste.empty()) {
    std::istringstream paste(c.state.program_trials.patch(advice));
    for (std::string line; std::getline(paste, line);) {
      const Colour ink = line.starts_with('-') || line.starts_with('#') ? Colour::Muted : Colour::Text;
      for (std::string& part : lines_of(c, FontRole::MonoSmall, line, width - 2 * kCodeInset * s))
        texts.paste.emplace_back(std::move(part), ink);
    }
    texts.paste_height = (static_cast<float>(texts.paste.size() + 1) * kAdviceLine + 3 * kCodeInset) * s;
  }
  texts.height = texts.height * s + texts.paste_height + texts.try_height;
  return texts;
}

void go_to_example(ShellState& state, const AdviceCard& advice) {
  AdviceState& own = state.advice;
  const bool there = own.went_to && state.selection.event == own.went_to;
  if (own.open == advice.key && (there || advice.card.place.end_ns == 0)) {
    own.open.reset();  // a second click folds it
    most_lines(own, advice.key) = 0;
    return;
  }
  if (own.open) most_lines(own, *own.open) = 0;
  own.open = advice.key;
  own.went_to.reset();
  if (advice.card.place.end_ns == 0) return;
  own.went_to = event_of(state.model.trace(), advice.card.place);
  if (!own.went_to) return state.show_toast(tr("The example is no longer in memory"));
  show_example(state, *own.went_to);
}

enum class Clicked : std::uint8_t { Nothing, Card, Copy, Try };

bool contains(const Rect& box, const ImVec2& at) {
  return at.x >= box.x && at.x < box.x + box.width && at.y >= box.y && at.y < box.y + box.height;
}

// The fix to paste, in a block of its own, and under it the link that copies it; returns where that is.
Rect draw_paste(const Canvas& c, const CardTexts& texts, float x, float y, float width, bool hovered) {
  const float s = c.scale, line = kAdviceLine * s, inset = kCodeInset * s;
  const float height = static_cast<float>(texts.paste.size()) * line + inset;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  y += inset;
  list.AddRectFilled({x, y}, {x + width, y + height}, c.theme[Colour::Panel], 3 * s);
  std::vector<Label> labels;
  float at = y + inset / 2;
  for (const auto& [text, ink] : texts.paste) {
    labels.push_back({x + inset, at, width - inset, c.theme.as_text(ink), FontRole::MonoSmall, text, line});
    at += line;
  }
  const std::string says = tr("Copy patch");
  const Rect press{x, y + height, text_width(c.fonts, FontRole::Small, says) + 2 * inset, line + inset};
  const Colour ink = hovered && contains(press, ImGui::GetIO().MousePos) ? Colour::Text : Colour::Accent;
  labels.push_back({x, press.y + inset / 2, press.width, c.theme.as_text(ink), FontRole::Small, says, line});
  draw_labels(list, c.fonts, labels);
  return press;
}

Clicked draw_advice_card(const Canvas& c, const AdviceCard& advice, std::size_t number) {
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float inner = width - (kLeft + kRight) * s;
  const CardTexts texts = texts_of(c, advice, inner);
  const Rect box{at.x, at.y, width, texts.height};
  const CardKey& key = advice.key;
  // The id comes from the card's key: a press and its release hit the same card even if the order changes meanwhile.
  const std::string id = fmt::format("##advice.{}.{}.{}.{}", static_cast<int>(key.rule), key.range, key.call, key.nth);
  const bool clicked = press_area(c, id.c_str(), {width, texts.height});
  note_control(c, fmt::format("advice.{}", number));
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hovered && c.state.advice.open != key) {
    const std::string more = more_of(c, advice);
    if (!more.empty()) ImGui::SetTooltip("%s", wrapped_lines(c, FontRole::Body, more.substr(1), 360 * s).c_str());
  }

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + texts.height};
  const Colour colour = card_colour(advice.card);
  list.AddRectFilled(at, end, c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised], 4 * s);
  outline(c, box, 4, hovered);
  list.AddRectFilled(at, {at.x + kEdge * s, end.y}, c.theme[colour], 2 * s);

  const float x = at.x + kLeft * s;
  float y = at.y + kPadding * s;
  std::vector<Label> labels;
  const auto line = [&](float from, FontRole role, Colour ink, const std::string& text, float height) {
    labels.push_back({from, y, x + inner - from + 2, c.theme.as_text(ink), role, text, height * s});
  };
  const auto cost = [&](float height) {
    const float cost_width = text_width(c.fonts, FontRole::Small, texts.cost);
    if (cost_width > 0) line(x + inner - cost_width, FontRole::Small, colour, texts.cost, height);
  };
  if (!texts.cost_below) cost(kTitleLine);
  for (const std::string& title : texts.title) {
    line(x, FontRole::BodyBold, Colour::Text, title, kTitleLine);
    y += kTitleLine * s;
  }
  if (texts.cost_below) {
    cost(kAdviceLine);
    y += kAdviceLine * s;
  }
  for (const std::string& what : texts.what) {
    line(x, FontRole::Small, Colour::Muted, what, kAdviceLine);
    y += kAdviceLine * s;
  }
  y += 2 * s;
  const float arrow = text_width(c.fonts, FontRole::Small, "→ ");
  for (std::size_t i = 0; i < texts.fix.size(); ++i) {
    if (i == 0) line(x, FontRole::Small, Colour::Accent, "→", kAdviceLine);
    line(x + arrow, FontRole::Small, Colour::Text, texts.fix[i], kAdviceLine);
    y += kAdviceLine * s;
  }
  draw_labels(list, c.fonts, labels);
  Rect copy, press;
  if (texts.paste_height > 0) {
    copy = draw_paste(c, texts, x, y, inner, hovered);
    note_control(c, fmt::format("advice.{}.copy", number), copy);
    y += texts.paste_height;
  }
  if (texts.try_height > 0) {
    press = draw_try_row(c, advice, {x, y, inner, texts.try_height}, hovered);
    if (press.width > 0) note_control(c, fmt::format("advice.{}.try", number), press);
  }
  if (!clicked) return Clicked::Nothing;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (contains(copy, mouse)) return Clicked::Copy;
  return contains(press, mouse) ? Clicked::Try : Clicked::Card;
}

bool draw_more(const Canvas& c, std::size_t hidden) {
  const float s = c.scale;
  const std::string says = hidden > 0 ? tr("{} more", hidden) : tr("fewer");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = text_width(c.fonts, FontRole::Small, says) + 2;
  const bool clicked = press_area(c, "##advice.more", {width + kLeft * s, kAdviceLine * s});
  note_control(c, "advice.more");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const Label label{at.x + kLeft * s, at.y, width,          c.theme.as_text(hovered ? Colour::Text : Colour::Accent),
                    FontRole::Small,  says, kAdviceLine * s};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
  return clicked;
}

}  // namespace

Colour card_colour(const Card& card) {
  if (card.weight == Weight::Wrong) return Colour::NotArrived;
  if (card.weight == Weight::Harmless) return Colour::Muted;
  switch (card.rule) {
    case Rule::LaunchBound:
    case Rule::StarvedByCpu:
      return Colour::Launch;
    case Rule::PageableCopy:
    case Rule::PinningChurn:
    case Rule::NoOverlap:
    case Rule::SlowLink:
    case Rule::ManySmallCopies:
      return Colour::CopyH2D;
    case Rule::LoaderWait:
    case Rule::FirstBatch:
      return Colour::LoaderWait;
    default:
      return Colour::Wait;
  }
}

void draw_advice_cards(const Canvas& c) {
  AdviceState& advice = c.state.advice;
  const std::vector<AdviceCard>& cards = advice.cards();
  if (cards.empty()) return;
  const std::size_t shown = advice.all ? cards.size() : std::min(cards.size(), kFirstCards);
  std::optional<std::size_t> clicked, tried;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, kBetween * c.scale});
  for (std::size_t i = 0; i < shown; ++i) {
    const Clicked on = draw_advice_card(c, cards[i], i);
    if (on == Clicked::Card) clicked = i;
    if (on == Clicked::Try) tried = i;
    if (on == Clicked::Copy) {
      ImGui::SetClipboardText(c.state.program_trials.patch(cards[i]).c_str());
      c.state.show_toast(tr("Patch copied"));
    }
  }
  if (cards.size() > kFirstCards && draw_more(c, cards.size() - shown)) advice.all = !advice.all;
  ImGui::PopStyleVar();
  vertical_space(c, 8);
  if (clicked) go_to_example(c.state, cards[*clicked]);
  if (tried && c.state.program_trials.knob(cards[*tried].key)) {
    if (c.state.program_trials.running()) {
      stop_trial(c.state);
    } else {
      try_knob(c.state, *c.state.program_trials.knob(cards[*tried].key));
    }
  } else if (tried) {
    const std::string problem = c.state.try_it.press(c.state.model, cards[*tried].key);
    if (problem.empty()) {
      c.state.requests.actions.push_back(Action::Resume);  // so that its effect can be seen
    } else {
      c.state.show_toast(problem, true);
    }
  }
}

}  // namespace lanescope::ui
