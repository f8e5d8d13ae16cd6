#include "app/option_texts.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include "app/command_requests.h"

#include "base/error.h"
#include "base/translate.h"
#include "base/version.h"
#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "lesson/lesson.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using ValueKind = OptionValues::ValueKind;
using Words = std::vector<std::string>;

// The same on every machine: what is written here is also put into packages.
Words device_ids() {
  Words ids{"auto", "cuda:0"};
  for (const device::CatalogueEntry& entry : device::catalogue()) {
    if (!entry.id.starts_with("cuda")) ids.push_back(entry.id);
  }
  return ids;
}

Words experiment_ids() {
  Words ids;
  for (const experiment::Experiment& experiment : experiment::experiments()) ids.push_back(experiment.id);
  return ids;
}

Words lesson_names() {
  Words names;
  for (const lesson::Lesson& lesson : lesson::lessons()) names.push_back(lesson.name);
  return names;
}

// Lists of words by the option's name; a word that only one command has is refused by the others with a list.
const std::map<std::string_view, Words>& known_words() {
  static const std::map<std::string_view, Words> words{
      {"--theme", {"dark", "light", "high-contrast"}},
      {"--lang", {"en", "zh"}},
      {"--side", {"before", "after", "both"}},
      {"--level", {"waits", "acquire", "calls", "all"}},
      {"--capture", {"none", "kernels", "operations", "calls", "all"}},
      {"--completions", {"bash", "zsh", "fish"}},
      {"--workload", workload::workload_names()},
      {"--device", device_ids()},
      {"--experiment", experiment_ids()},
      {"--lesson", lesson_names()},
      {"what", {ListRequest::kNames.begin(), ListRequest::kNames.end()}},
      {"NAME", lesson_names()}};
  return words;
}

bool is_file(std::string_view name) {
  return name == "FILE" || name == "FILES" || name == "FIRST" || name == "SECOND" || name == "FILE|-";
}

}  // namespace

OptionValues option_values(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (const auto known = known_words().find(name); known != known_words().end())
    return {ValueKind::Words, known->second};
  const std::string what = option.get_positional() ? name : option.get_type_name();
  if (what == "COMMAND") return {ValueKind::Command, {}};
  if (what == "DIR" || what == "FOLDER") return {ValueKind::Folders, {}};
  return {is_file(what) ? ValueKind::Files : ValueKind::Anything, {}};
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::App*> commands_of(const CLI::App& root) {
  return root.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

// --- completions -----------------------------------------------------------------------------------------------------

namespace {

std::string words_of(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(root)) names.push_back(command->get_name());
  return names;
}

std::string replaced(std::string_view text, std::string_view characters, std::string_view before) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) out += before;
    out += c;
  }
  return out;
}

/// Calls f(command's name, command), the window's first, under an empty name.
template <class F>
void for_each_command(const CLI::App& root, const F& f) {
  f(std::string(), root);
  for (const CLI::App* command : commands_of(root)) f(command->get_name(), *command);
}

// --- bash ------------------------------------------------------------------------------------------------------------

std::string bash_values(const OptionValues& values) {
  switch (values.kind) {
    case ValueKind::Words:
      return fmt::format("words=\"{}\"", words_of(values.words));
    case ValueKind::Folders:
      return "what=folders";
    case ValueKind::Files:
      return "what=files";
    case ValueKind::Command:
      return "what=command";
    case ValueKind::Anything:
      break;
  }
  return "what=nothing";
}

std::string bash_script(const CLI::App& root) {
  std::string options, places, values;
  for_each_command(root, [&](const std::string& name, const CLI::App& command) {
    std::vector<std::string> all;
    for (const CLI::Option* option : shown_options(command)) {
      const std::vector<std::string> names = spellings(*option);
      all.insert(all.end(), names.begin(), names.end());
      if (!takes_value(*option)) continue;
      std::vector<std::string> patterns;
      for (const std::string& spelling : names) patterns.push_back(name + "," + spelling);
      values += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), bash_values(option_values(*option)));
    }
    options += fmt::format("    \"{}\") options=\"{}\" ;;\n", name, words_of(all));
    const auto positional = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (!positional.empty()) {
      places += fmt::format("    {}) {} ;;\n", name, bash_values(option_values(*positional.front())));
    }
  });
  return fmt::format(R"(# bash completion of lanescope; written by: lanescope --completions bash
_lanescope() {{
  local cur prev words=() cword
  if declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref -n ':=' cur prev words cword
  else
    cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD - 1]}}" words=("${{COMP_WORDS[@]}}") cword=$COMP_CWORD
  fi
  local i command="" all="{0}"
  for ((i = 1; i < cword; ++i)); do
    if [[ ${{words[i]}} == -- ]]; then
      declare -F _command_offset > /dev/null && _command_offset $((i + 1))
      return
    fi
    if [[ -z $command && ${{words[i]}} != -* && " $all " == *" ${{words[i]}} "* ]]; then command="${{words[i]}}"; fi
  done
  local options="" what="" words=""
  case "$command" in
{1}  esac
  case "$command,$prev" in
{2}  esac
  if [[ -z $what$words ]]; then
    if [[ $cur == -* ]]; then
      words="$options"
    elif [[ -z $command ]]; then
      words="$all"
    else
      case "$command" in
{3}      esac
    fi
  fi
  case "$what" in
    nothing) COMPREPLY=() ;;
    files) COMPREPLY=($(compgen -f -- "$cur")) && compopt -o filenames 2> /dev/null ;;
    folders) COMPREPLY=($(compgen -d -- "$cur")) && compopt -o filenames 2> /dev/null ;;
    command) COMPREPLY=($(compgen -c -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
  if declare -F __ltrim_colon_completions > /dev/null; then __ltrim_colon_completions "$cur"; fi
}}
complete -F _lanescope lanescope
)",
                     words_of(command_names(root)), options, values, places);
}

// --- zsh -------------------------------------------------------------------------------------------------------------

std::string zsh_action(const OptionValues& values) {
  switch (values.kind) {
    case ValueKind::Words: {
      return fmt::format("({})", replaced(words_of(values.words), ":", "\\"));
    }
    case ValueKind::Folders:
      return "_files -/";
    case ValueKind::Files:
      return "_files";
    case ValueKind::Command:
      return "_command_names -e";
    case ValueKind::Anything:
      break;
  }
  return " ";
}

// Between single quotes.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    c == '\'' ? out += "'\\''" : out += c;
  }
  return "'" + out + "'";
}

std::string zsh_arguments(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : shown_options(command)) {
    const std::string help = replaced(option->get_description(), "[]:\\", "\\");
    for (const std::string& spelling : spellings(*option)) {
      std::string spec = fmt::format("{}{}[{}]", option->get_items_expected_max() > 1 ? "*" : "", spelling, help);
      if (takes_value(*option)) {
        spec += fmt::format(":{}:{}", replaced(option->get_type_name(), ":", "\\"), zsh_action(option_values(*option)));
      }
      out += " \\\n        " + zsh_quoted(spec);
    }
  }
  for (const CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    out += " \\\n        " + zsh_quoted(fmt::format("{}:{}:{}", option->get_items_expected_max() > 1 ? "*" : "",
                                                    option->get_name(), zsh_action(option_values(*option))));
  }
  return out;
}

std::string zsh_script(const CLI::App& root) {
  std::string commands, cases;
  for (const CLI::App* command : commands_of(root)) {
    commands += fmt::format("    {}\n", zsh_quoted(command->get_name() + ":" + command->get_description()));
    cases += fmt::format("    {})\n      _arguments -s{}\n      ;;\n", command->get_name(), zsh_arguments(*command));
  }
  return fmt::format(R"(#compdef lanescope
# zsh completion of lanescope; written by: lanescope --completions zsh
_lanescope() {{
  local curcontext="$curcontext" state line
  local -a commands=(
{0}  )
  _arguments -C{1} \
        '1: :->command' '*:: :->rest'
  case "$state" in
    command) _describe -t commands command commands ;;
    rest)
      case "$words[1]" in
{2}      esac
      ;;
  esac
}}
_lanescope "$@"
)",
                     commands, zsh_arguments(root), cases);
}

// --- fish ------------------------------------------------------------------------------------------------------------

std::string fish_quoted(const std::string& text) { return "'" + replaced(text, "'\\", "\\") + "'"; }

std::string fish_values(const OptionValues& values) {
  switch (values.kind) {
    case ValueKind::Words:
      return " -x -a " + fish_quoted(words_of(values.words));
    case ValueKind::Folders:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::Files:
      return " -r -F";
    case ValueKind::Command:
      return " -x -a '(__fish_complete_command)'";
    case ValueKind::Anything:
      break;
  }
  return " -x";
}

std::string fish_script(const CLI::App& root) {
  std::string out =
      "# fish completion of lanescope; written by: lanescope --completions fish\ncomplete -c lanescope -f\n";
  for_each_command(root, [&](const std::string& name, const CLI::App& command) {
    const std::string when =
        name.empty() ? "__fish_use_subcommand" : fish_quoted("__fish_seen_subcommand_from " + name);
    if (!name.empty()) {
      out += fmt::format("complete -c lanescope -n __fish_use_subcommand -a {} -d {}\n", name,
                         fish_quoted(command.get_description()));
    }
    for (const CLI::Option* option : shown_options(command)) {
      out += fmt::format("complete -c lanescope -n {}", when);
      for (const std::string& letter : option->get_snames()) out += " -s " + letter;
      for (const std::string& word : option->get_lnames()) out += " -l " + word;
      if (takes_value(*option)) out += fish_values(option_values(*option));
      out += fmt::format(" -d {}\n", fish_quoted(option->get_description()));
    }
    const auto positional = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (positional.empty()) return;
    const OptionValues values = option_values(*positional.front());
    const std::string places = values.kind == ValueKind::Files ? " -F" : fish_values(values);
    out += fmt::format("complete -c lanescope -n {}{}\n", when, places);
  });
  return out;
}

}  // namespace

std::string completions(const CLI::App& root, const std::string& shell) {
  if (shell == "bash") return bash_script(root);
  if (shell == "zsh") return zsh_script(root);
  if (shell == "fish") return fish_script(root);
  throw base::UsageError(base::tr("--completions is '{}'; allowed: bash, zsh, fish", shell));
}

// --- man page --------------------------------------------------------------------------------------------------------

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
