#include "shell/focus_walk.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "shell/keys.h"

namespace lanescope::ui {
namespace {

float middle_x(const Rect& r) { return r.x + r.width / 2; }
float middle_y(const Rect& r) { return r.y + r.height / 2; }

bool contains(const Rect& r, float x, float y) {
  return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
}

// A row is what lies beside its topmost control, which may have no height.
void order_panel(std::vector<Control>::iterator begin, std::vector<Control>::iterator end) {
  std::stable_sort(begin, end, [](const Control& a, const Control& b) { return middle_y(a.box) < middle_y(b.box); });
  while (begin != end) {
    const float bottom = begin->box.y + begin->box.height * 0.75f;
    const auto row_end =
        std::find_if(std::next(begin), end, [&](const Control& c) { return middle_y(c.box) >= bottom; });
    std::stable_sort(begin, row_end, [](const Control& a, const Control& b) { return a.box.x < b.box.x; });
    begin = row_end;
  }
}

// How far it is from one box to another in a direction; what lies aside counts double. Infinite: not that way.
float distance(const Rect& from, const Rect& to, int dx, int dy) {
  const float x = middle_x(to) - middle_x(from);
  const float y = middle_y(to) - middle_y(from);
  const float along = dx != 0 ? x * static_cast<float>(dx) : y * static_cast<float>(dy);
  const float gap_x = std::max({0.0f, to.x - from.x - from.width, from.x - to.x - to.width});
  const float gap_y = std::max({0.0f, to.y - from.y - from.height, from.y - to.y - to.height});
  if (along < 1) return std::numeric_limits<float>::infinity();
  if (dx != 0 && gap_y > 0) return std::numeric_limits<float>::infinity();  // sideways only within the row
  return along + 2 * (dx != 0 ? gap_y : gap_x);
}

}  // namespace

std::vector<Control> in_reading_order(std::vector<Control> controls) {
  std::vector<std::uint32_t> panels;
  for (const Control& c : controls) {
    if (std::find(panels.begin(), panels.end(), c.panel) == panels.end()) panels.push_back(c.panel);
  }
  const auto rank = [&](const Control& c) { return std::find(panels.begin(), panels.end(), c.panel) - panels.begin(); };
  std::stable_sort(controls.begin(), controls.end(),
                   [&](const Control& a, const Control& b) { return rank(a) < rank(b); });
  for (auto begin = controls.begin(); begin != controls.end();) {
    const auto end = std::find_if(begin, controls.end(), [&](const Control& c) { return c.panel != begin->panel; });
    order_panel(begin, end);
    begin = end;
  }
  return controls;
}

void FocusWalk::begin(std::vector<Control> reachable) {
  controls_ = in_reading_order(std::move(reachable));
  drawn_.clear();
  const auto there = [&](const std::string& name) {
    return std::any_of(controls_.begin(), controls_.end(), [&](const Control& c) { return c.name == name; });
  };
  // What covered a control is gone: back to it.
  if (on() && !there(at_) && !left_.empty() && there(left_.back())) {
    at_ = std::move(left_.back());
    left_.pop_back();
  }
  const auto found = std::find_if(controls_.begin(), controls_.end(), [&](const Control& c) { return c.name == at_; });
  if (found != controls_.end()) place_ = static_cast<std::size_t>(found - controls_.begin());
}

const Control* FocusWalk::focused() const {
  if (!on()) return nullptr;
  const auto found = std::find_if(controls_.begin(), controls_.end(), [&](const Control& c) { return c.name == at_; });
  return found != controls_.end() ? &*found : nullptr;
}

void FocusWalk::go_to(std::size_t place) {
  place_ = place;
  at_ = controls_[place].name;
  panel_ = controls_[place].panel;
  moved = true;
}

void FocusWalk::step(int by) {
  if (controls_.empty()) return;
  const std::size_t count = controls_.size();
  if (focused()) return go_to((place_ + count + static_cast<std::size_t>(by + static_cast<int>(count))) % count);
  // A walk begins at the first control, also in a panel that has opened; where a control is gone, it goes on from its
  // place.
  const bool same_panel =
      on() && std::any_of(controls_.begin(), controls_.end(), [&](const Control& c) { return c.panel == panel_; });
  if (on()) left_.push_back(at_);
  const std::size_t from = same_panel ? std::min(place_, count - 1) : 0;
  go_to(by > 0 ? from : (from + count - 1) % count);
}

void FocusWalk::move(int dx, int dy) {
  const Control* from = focused();
  if (!from) return;
  std::size_t best = controls_.size();
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < controls_.size(); ++i) {
    if (controls_[i].panel != from->panel || &controls_[i] == from) continue;
    const float d = distance(from->box, controls_[i].box, dx, dy);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  if (best < controls_.size()) go_to(best);
}

void FocusWalk::leave() {
  at_.clear();
  left_.clear();
  place_ = 0;
  turn_ = 0;
}

void FocusWalk::press() {
  const Control* control = focused();
  if (!control || pressing) return;
  const Rect& r = control->box;
  const Rect& room = control->room;
  const float left = std::max(r.x, room.x), right = std::min(r.x + r.width, room.x + room.width);
  const float top = std::max(r.y, room.y), bottom = std::min(r.y + r.height, room.y + room.height);
  if (left >= right || top >= bottom) return;
  Press press{(left + right) / 2, (top + bottom) / 2};
  // A card's own buttons lie on it: then its corner is free.
  const bool taken = std::any_of(controls_.begin(), controls_.end(), [&](const Control& c) {
    return &c != control && c.panel == control->panel && c.box.width * c.box.height < r.width * r.height &&
           contains(c.box, press.x, press.y);
  });
  if (taken) press = {left + std::min(6.0f, (right - left) / 2), top + std::min(6.0f, (bottom - top) / 2)};
  pressing = press;
}

int FocusWalk::take_turn(std::string_view name) { return name == at_ ? std::exchange(turn_, 0) : 0; }

bool focus_key(FocusWalk& walk, KeyChord chord, bool repeated) {
  const Control* control = walk.focused();
  if (!control || chord.modifiers != 0) return false;
  switch (chord.key) {
    case key::Enter:
    case key::KeypadEnter:
    case key::Space:
      if (!repeated) walk.press();
      return true;
    case key::Left:
    case key::Right: {
      const int direction = chord.key == key::Right ? 1 : -1;
      control->turns ? walk.turn(direction) : walk.move(direction, 0);
      return true;
    }
    case key::Up:
    case key::Down:
      walk.move(0, chord.key == key::Down ? 1 : -1);
      return true;
    case key::Escape:
      walk.leave();
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
