#include "analysis/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

enum class Takes : std::uint8_t { None, Whole, Any };

struct Syntax {
  EditKind kind;
  std::string_view word;
  Takes value;
  bool needs_place, takes_place;
};
constexpr std::array kSyntax{
    Syntax{EditKind::NoWait, "no-wait", Takes::None, false, true},
    Syntax{EditKind::ReadEvery, "read-every", Takes::Whole, false, true},
    Syntax{EditKind::ReadLate, "read-late", Takes::None, false, true},
    Syntax{EditKind::Pinned, "pinned", Takes::None, false, true},
    Syntax{EditKind::NonBlocking, "non-blocking", Takes::None, false, true},
    Syntax{EditKind::CopyStream, "copy-stream", Takes::None, false, true},
    Syntax{EditKind::Loader, "loader-in-time", Takes::None, false, false},
    Syntax{EditKind::Workers, "workers", Takes::Any, false, false},
    Syntax{EditKind::Graph, "graph", Takes::None, false, false},
    Syntax{EditKind::Faster, "faster", Takes::Any, true, true},
    Syntax{EditKind::NoStraggler, "no-straggler", Takes::None, false, false},
};

const Syntax& syntax_of(EditKind kind) { return *std::ranges::find(kSyntax, kind, &Syntax::kind); }

std::string form_of(const Syntax& s) {
  std::string form(s.word);
  if (s.value == Takes::Whole) form += "=N";
  if (s.value == Takes::Any) form += "=TIMES";
  if (s.takes_place) form += s.needs_place ? ":PLACE" : "[:PLACE]";
  return form;
}

}  // namespace

Edit parse_edit(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of("=:"));
  const auto syntax = std::ranges::find(kSyntax, word, &Syntax::word);
  if (syntax == kSyntax.end())
    throw base::UsageError(tr("what-if: unknown change '{}'; allowed: {}", text, edit_syntax()));
  const auto refuse = [&, whole = text] {
    throw base::UsageError(tr("what-if: '{}' must be of the form {}", whole, form_of(*syntax)));
  };
  Edit edit{syntax->kind, 0, {}};
  text.remove_prefix(word.size());
  if (!text.empty() && text.front() == '=') {
    const std::string_view number =
        text.substr(1, text.find(':') == std::string_view::npos ? text.npos : text.find(':') - 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), edit.value);
    const bool whole = edit.value == std::floor(edit.value);
    if (error != std::errc() || end != number.data() + number.size() || syntax->value == Takes::None ||
        !(edit.value >= 0.01 && edit.value <= 1e6) || (syntax->value == Takes::Whole && (!whole || edit.value < 2))) {
      refuse();
    }
    text.remove_prefix(1 + number.size());
  } else if (syntax->value != Takes::None) {
    refuse();
  }
  if (!text.empty()) edit.place = text.substr(1);
  if ((syntax->needs_place && edit.place.empty()) || (!syntax->takes_place && !text.empty())) refuse();
  return edit;
}

std::string text_of(const Edit& edit) {
  const Syntax& syntax = syntax_of(edit.kind);
  std::string text(syntax.word);
  if (syntax.value != Takes::None) text += fmt::format("={:g}", edit.value);
  if (!edit.place.empty()) text += ':' + edit.place;
  return text;
}

std::string texts_of(std::span<const Edit> edits) {
  std::string all;
  for (const Edit& edit : edits) all += (all.empty() ? "" : ", ") + text_of(edit);
  return all;
}

Link link_of(std::string_view gpu) {
  struct Generation {
    double gb_per_s;  // 16 lanes
    std::initializer_list<std::string_view> models;
  };
  static constexpr double kReached = 0.85;
  static const Generation kGenerations[] = {
      {63.0, {"H100", "H200", "H800", "H20", "B100", "B200", "B300", "RTX 50", "RTX PRO", "MI300", "MI325"}},
      {31.5,
       {"A100", "A800", "A10", "A16", "A2", "A30", "A40", "A4000", "A5000", "A6000", "L4", "L40", "RTX 30", "RTX 40",
        "MI100", "MI210", "MI250"}},
      {15.75, {"V100", "T4", "P100", "P40", "P4", "RTX 20", "GTX 16", "GTX 10", "TITAN", "Quadro", "MI50"}},
  };
  // "A2" is not in "A2000"; of a series, as "RTX 40", the number goes on: "4090", but not "4000 Ada", which is another.
  const auto names = [gpu](std::string_view model) {
    const std::size_t at = gpu.find(model);
    if (at == gpu.npos || (at > 0 && std::isalnum(static_cast<unsigned char>(gpu[at - 1])) != 0)) return false;
    const char next = at + model.size() < gpu.size() ? gpu[at + model.size()] : ' ';
    return model.starts_with("RTX ") && model != "RTX PRO" ? next >= '1' && next <= '9'
                                                           : next < '0' || next > '9' || model.starts_with("GTX ");
  };
  for (const Generation& generation : kGenerations)
    if (std::ranges::any_of(generation.models, names)) return {kReached * generation.gb_per_s, true};
  return {};
}

std::string edit_syntax() {
  std::string all;
  for (const Syntax& s : kSyntax) all += (all.empty() ? "" : ", ") + form_of(s);
  return all;
}

}  // namespace lanescope::analysis
