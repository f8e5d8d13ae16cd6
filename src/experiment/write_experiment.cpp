// By hand, and not with toml++, which orders keys by name: a file is there to be read and changed.
#include "experiment/experiment.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::experiment {
namespace {

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code == 0x7F) {
      out += fmt::format("\\u{:04X}", code);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// A line for each key; what is empty or at its default is left out.
class Lines {
 public:
  void table(const std::string& name) { text_ += fmt::format("\n[{}]\n", name); }
  void element(const std::string& name) { text_ += fmt::format("\n[[{}]]\n", name); }
  void gap() { text_ += '\n'; }

  void put(std::string_view key, std::string_view text) {
    if (!text.empty()) text_ += fmt::format("{} = {}\n", key, toml_string(text));
  }
  void number(std::string_view key, double value) { text_ += fmt::format("{} = {}\n", key, value); }
  void integer(std::string_view key, std::int64_t value) { text_ += fmt::format("{} = {}\n", key, value); }
  void list(std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) all_of(key, texts);
  }
  void all_of(std::string_view key, const std::vector<std::string>& texts) {
    text_ += fmt::format("{} = [", key);
    for (std::size_t i = 0; i < texts.size(); ++i) text_ += (i > 0 ? ", " : "") + toml_string(texts[i]);
    text_ += "]\n";
  }
  void text(std::string_view key, const Text& text) {
    if (text.empty()) return;
    for (std::size_t l = 0; l < kLanguages; ++l) {
      put(fmt::format("{}.{}", key, base::language_key(static_cast<Language>(l))), text.in[l]);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// What `view` has other than `from`.
void put_view(Lines& lines, const std::string& name, const View& view, const View& from) {
  if (view == from) return;
  lines.table(name);
  if (view.trigger != from.trigger) lines.put("trigger", view.trigger);
  if (view.wait_over_ns != from.wait_over_ns) lines.integer("wait_over_us", view.wait_over_ns / 1000);
  if (view.hold_off_ns != from.hold_off_ns) lines.integer("hold_off_us", view.hold_off_ns / 1000);
  if (view.iterations != from.iterations) lines.number("iterations", view.iterations);
  if (view.folded != from.folded) lines.all_of("folded", view.folded);
  if (view.outlined != from.outlined) lines.all_of("outlined", view.outlined);
  if (view.plots != from.plots) lines.all_of("plots", view.plots);
  if (view.shows != from.shows) lines.all_of("shows", view.shows);
}

// What both sides have, and can be taken back by neither.
View common_view(const Experiment& e) {
  const View& a = e.side(Side::Before).view;
  const View& b = e.side(Side::After).view;
  View common;
  const auto take = [&](auto member) {
    if (a.*member == b.*member) common.*member = a.*member;
  };
  take(&View::trigger);
  take(&View::wait_over_ns);
  take(&View::hold_off_ns);
  take(&View::folded);
  take(&View::outlined);
  take(&View::plots);
  take(&View::shows);
  take(&View::iterations);
  return common;
}

void put_side(Lines& lines, const Experiment& e, Side side, const View& common) {
  const Variant& variant = e.side(side);
  const std::string name(side_key(side));
  lines.table(name);
  lines.text("label", variant.label);
  lines.put("device", variant.device);
  lines.list("settings", variant.settings);
  put_view(lines, name + ".view", variant.view, common);
}

void put_published(Lines& lines, const Published& p) {
  lines.element("published");
  lines.put("name", p.name);
  lines.text("label", p.label);
  lines.number("value", p.value);
  lines.put("unit", p.unit);
  lines.put("quality", quality_key(p.quality));
  lines.text("environment", p.environment);
  lines.put("source", p.source);
  lines.put("of", of_key(p.of));
  lines.put("figure", p.figure);
  lines.list("settings", p.settings);
  if (p.iterations != 0) lines.integer("iterations", static_cast<std::int64_t>(p.iterations));
  lines.list("follows", p.follows);
  lines.text("unchecked", p.unchecked);
}

void put_sweep(Lines& lines, const ReadySweep& sweep) {
  lines.table("sweep");
  lines.list("over", sweep.over);
  lines.put("figure", sweep.figure);
  lines.put("against", sweep.against);
  lines.list("settings", sweep.settings);
  if (sweep.iterations != 0) lines.integer("iterations", static_cast<std::int64_t>(sweep.iterations));
}

}  // namespace

std::string to_toml(const Experiment& e) {
  Lines lines;
  lines.put("id", e.id);
  lines.put("name", e.name);
  lines.integer("order", e.order);
  lines.put("workload", e.workload);
  lines.put("device", e.device);
  lines.integer("iterations", static_cast<std::int64_t>(e.iterations));
  lines.list("settings", e.settings);
  lines.put("turned_knob", e.turned_knob);
  lines.gap();
  lines.text("title", e.title);
  lines.text("shows", e.shows);
  lines.text("watch", e.watch);
  lines.text("knob", e.knob);
  lines.text("correction", e.correction);
  const View common = common_view(e);
  put_view(lines, "view", common, View());
  for (const Side side : {Side::Before, Side::After}) put_side(lines, e, side, common);
  for (const Published& p : e.published) put_published(lines, p);
  if (e.sweep) put_sweep(lines, *e.sweep);
  return lines.take();
}

}  // namespace lanescope::experiment
