#include "app/man_page.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "app/option_values.h"
#include "base/translate.h"
#include "base/version.h"

namespace lanescope::app {
namespace {

using base::tr;

// As roff reads it: a backslash, a dash that shall stay one, and a line that looks like a request.
std::string roff_escaped(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string option_paragraphs(const CLI::App& command) {
  std::string out;
  const auto add = [&](const std::string& names, std::string value, const std::string& text) {
    if (!value.empty()) value = " \\fI" + roff_escaped(value) + "\\fR";
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff_escaped(names), value, roff_escaped(text));
  };
  for (const CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    add(option->get_name(), "", option->get_description());
  }
  for (const CLI::Option* option : shown_options(command)) {
    add(fmt::format("{}", fmt::join(spellings(*option), ", ")),
        takes_value(*option) ? option->get_type_name() : std::string(), option->get_description());
  }
  return out;
}

// Notes and examples are laid out by hand.
std::string as_it_is(const std::string& text) { return fmt::format(".nf\n{}\n.fi\n", roff_escaped(text)); }

struct Entry {
  const char* name;
  const char* text;
};
constexpr std::array<Entry, 3> kFiles{
    {{"~/.config/lanescope/settings.toml", N_("what the window remembers")},
     {"~/.config/lanescope/experiments, ~/.config/lanescope/lessons", N_("your own experiments and lessons")},
     {"~/.local/state/lanescope/crashes", N_("reports of crashes, which are never sent")}}};
constexpr std::array<Entry, 6> kVariables{
    {{"XDG_CONFIG_HOME, XDG_STATE_HOME", N_("folders to use instead of ~/.config and ~/.local/state")},
     {"LANESCOPE_CUDA", N_("off: use no GPU; or the path of the CUDA back end")},
     {"LANESCOPE_INJECT", N_("the path of the library that attached programs load")},
     {"LANESCOPE_CRASH_REPORTS", N_("off: write no reports of crashes")},
     {"LANGUAGE, LC_ALL, LC_MESSAGES, LANG", N_("the language of all texts, unless --lang says otherwise")},
     {"NO_COLOR", N_("no colours in the terminal")}}};

template <class Entries>
std::string entries(const Entries& all) {
  std::string out;
  for (const Entry& entry : all) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff_escaped(entry.name), roff_escaped(tr(entry.text)));
  }
  return out;
}

}  // namespace

std::string man_page(const CLI::App& root) {
  // No date: the page is the same whenever it is written.
  std::string out = fmt::format(".TH LANESCOPE 1 \"\" \"lanescope {}\"\n", base::kVersion);
  out += fmt::format(".SH {}\nlanescope \\- {}\n", tr("NAME"), roff_escaped(root.get_description()));
  out += fmt::format(".SH {}\n\\fBlanescope\\fR [\\fI{}\\fR]\n.br\n\\fBlanescope\\fR \\fI{}\\fR [\\fI{}\\fR]\n",
                     tr("SYNOPSIS"), tr("options"), tr("command"), tr("options"));
  out += fmt::format(".SH {}\n{}", tr("OPTIONS OF THE WINDOW"), option_paragraphs(root));
  out += fmt::format(".SH {}\n", tr("COMMANDS"));
  for (const CLI::App* command : commands_of(root)) {
    // A command without notes of its own has those of the window.
    const std::string notes = command->get_footer() == root.get_footer() ? std::string() : command->get_footer();
    out += fmt::format(".SS lanescope {}\n{}\n{}{}", roff_escaped(command->get_name()),
                       roff_escaped(command->get_description()), option_paragraphs(*command),
                       notes.empty() ? notes : ".PP\n" + as_it_is(notes));
  }
  out += fmt::format(".SH {}\n{}", tr("EXAMPLES"), as_it_is(root.get_footer()));
  out += fmt::format(".SH {}\n{}", tr("FILES"), entries(kFiles));
  out += fmt::format(".SH {}\n{}", tr("ENVIRONMENT"), entries(kVariables));
  return out;
}

}  // namespace lanescope::app
