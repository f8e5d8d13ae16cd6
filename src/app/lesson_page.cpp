#include "app/reports.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/html_charts.h"
#include "app/html_page.h"
#include "app/html_text.h"
#include "app/terminal_output.h"
#include "base/translate.h"
#include "device/device.h"
#include "experiment/in_pytorch.h"
#include "experiment/named_figure.h"
#include "experiment/published_numbers.h"
#include "lesson/grader.h"
#include "lesson/lesson.h"
#include "workload/workload.h"

namespace lanescope::app {

std::string value_in_words(const lesson::Question& question, double value) {
  return figure_number(value) + (question.unit.empty() ? "" : " " + experiment::unit_in_words(question.unit));
}

std::string answer_in_words(const lesson::Question& question, const lesson::Answer& answer, base::Language language) {
  const auto* choice = std::get_if<std::size_t>(&answer);
  if (!choice) return value_in_words(question, std::get<double>(answer));
  if (*choice >= question.choices.size()) return fmt::format("{}", *choice + 1);
  return fmt::format("{} · {}", static_cast<char>('A' + *choice), question.choices[*choice].text[language]);
}

std::string truth_in_words(const lesson::Question& question, const lesson::Truth& truth, base::Language language) {
  if (question.choices.empty()) return value_in_words(question, truth.value);
  std::string text = answer_in_words(question, truth.choice, language);
  if (question.measure.figure != "verdict") text += " (" + value_in_words(question, truth.value) + ")";
  return text;
}

// --- lesson page -----------------------------------------------------------------------------------------------------

namespace {

using base::Language;
using base::tr;
using experiment::Experiment;
using experiment::Side;
using experiment::Text;
using html::escaped;
using lesson::Lesson;
using lesson::Step;

constexpr std::size_t kLetters = 2'000;  // of one text
constexpr int kPictureWidth = 600;

std::string in(const Text& text, Language language) { return escaped(text[language], kLetters); }

// Both languages: the second smaller, below the first.
std::string in_both(const Text& text, const char* element) {
  return fmt::format("<{0}>{1}<span class=\"second\" lang=\"zh-CN\">{2}</span></{0}>\n", element,
                     in(text, Language::English), in(text, Language::Chinese));
}

std::string minutes(double n) { return tr("{:g} min", n); }

// 0:00, 0:05, ... from the beginning of the lesson.
std::string clock(double since) {
  const auto whole = static_cast<int>(std::floor(since));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::unique_ptr<experiment::MeasuredRun> run_side(const Step& step, Side side) {
  auto run = std::make_unique<experiment::MeasuredRun>(side_options(lesson::experiment_of(step), side, {}),
                                                       analysis::LiveAnalysis::Detail::Timeline);
  run->run();
  return run;
}

std::optional<lesson::Truth> truth_of(const RunStep& step) {
  if (!step.step->question) return std::nullopt;
  const experiment::Measured before = step.before->measured(), after = step.after->measured();
  return lesson::truth_of(*step.step->question, &before, &after);
}

// "C · More often (8)" or "1.44 × (right within 15 %: 1.224 to 1.656)"; empty for a task. A number needs no
// translation.
std::string page_answer_text(const RunStep& step, Language language) {
  if (!step.step->question) return {};
  const lesson::Question& q = *step.step->question;
  const auto truth = truth_of(step);
  if (!truth) return html::words(N_("not measured"));
  std::string text = truth_in_words(q, *truth, language);
  if (q.choices.empty()) {
    text += " " + tr("(right within {:g} %: {} to {})", std::round(100 * q.tolerance),
                     figure_number(truth->value * (1 - q.tolerance)), figure_number(truth->value * (1 + q.tolerance)));
  }
  return escaped(text, kLetters);
}

// Of a task, what its experiment's other side gives: "one stream: Copy-bound → a second stream: GPU-bound, 1.68 ×".
// Empty if it is not known, and for a question.
std::string other_side_text(const RunStep& step, Language language) {
  if (!step.step->task) return {};
  const Side side = step.step->side, other = side == Side::Before ? Side::After : Side::Before;
  const Experiment e = lesson::experiment_of(*step.step);
  const experiment::MeasuredRun &begins = side == Side::Before ? *step.before : *step.after,
                                &turned = side == Side::Before ? *step.after : *step.before;
  const experiment::Measured from = begins.measured(), to = turned.measured();
  const analysis::Gain gain = gain_between(from, to);
  if (!gain.known()) return {};
  return escaped(fmt::format("{}: {} → {}: {}, {} ×", e.side(side).label[language],
                             analysis::verdict_title(from.summary.verdict), e.side(other).label[language],
                             analysis::verdict_title(to.summary.verdict), figure_number(gain.factor)),
                 kLetters);
}

// Empty: not measured, or the step changes the experiment's settings.
std::string in_pytorch_text(const RunStep& step) {
  const Experiment e = lesson::experiment_of(*step.step);
  const experiment::InPytorch* measured = experiment::in_pytorch(e);
  if (measured == nullptr) return {};
  const auto pace = [&](std::size_t side) { return html::duration(measured->sides[side].measured.summary.pace.ns); };
  const analysis::Gain gain = measured->gain();
  return fmt::format("<p class=\"answer\"><b>{}</b> {} → {}{} <span>{}</span></p>\n", html::words(N_("In PyTorch")),
                     pace(0), pace(1), gain.known() ? ", " + figure_number(gain.factor) + " ×" : "",
                     escaped(measured->machine()));
}

std::string device_of(const RunStep& step) {
  const device::DeviceInfo& device = step.before->device();
  return device::name_in_words(device.name) + (device.simulated ? tr(" (simulated)") : "");
}

// --- for the teacher -----------------------------------------------------------------------------------------------

std::string asked(const RunStep& step, Language language) {
  const Step& s = *step.step;
  std::string text;
  if (s.question) {
    text += fmt::format("<p class=\"asks\"><b>{}</b> {}</p>\n", html::words(N_("Question")),
                        in(s.question->text, language));
    if (!s.question->choices.empty()) {
      text += "<ol class=\"choices\">";
      for (const lesson::Choice& choice : s.question->choices) text += "<li>" + in(choice.text, language) + "</li>";
      text += "</ol>\n";
    }
    text += fmt::format("<p class=\"answer\"><b>{}</b> {} <span>{}</span></p>\n", html::words(N_("Measured")),
                        page_answer_text(step, language), escaped(device_of(step)));
  }
  if (s.task) {
    text += fmt::format("<p class=\"asks\"><b>{}</b> {}</p>\n", html::words(N_("Task")), in(s.task->text, language));
    text += "<ul>";
    for (const lesson::Goal& goal : s.task->goals)
      text += "<li>" + escaped(lesson::goal_in_words(goal, language)) + "</li>";
    for (const std::string& key : s.task->keep)
      text += "<li>" + html::code(key) + " " + html::words(N_("stays")) + "</li>";
    text += "</ul>\n";
    if (!s.task->hints.empty()) {
      text += fmt::format("<p class=\"hints\"><b>{}</b>", html::words(N_("Hints")));
      for (const Text& hint : s.task->hints) text += " " + in(hint, language);
      text += "</p>\n";
    }
    const std::string measured = other_side_text(step, language);
    if (!measured.empty()) {
      text += fmt::format("<p class=\"answer\"><b>{}</b> {} <span>{}</span></p>\n", html::words(N_("Measured")),
                          measured, escaped(device_of(step)));
    }
  }
  return text + in_pytorch_text(step);
}

// When each step begins and how long it takes, and what is left of the lesson's time.
std::string plan_of(const Lesson& lesson, Language language) {
  const auto row = [](double begins, const std::string& title, double takes) {
    return fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", clock(begins), title, escaped(minutes(takes)));
  };
  std::string text = "<table class=\"plan\">\n";
  double begins = 0;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    text += row(begins, fmt::format("{}. {}", i + 1, in(step.title, language)), step.minutes);
    begins += step.minutes;
  }
  const double spare = lesson.minutes() - lesson.planned();
  if (spare > 0) text += row(begins, html::words(N_("to spare")), spare);
  return text + "</table>\n";
}

std::string notes_of(const RunStep& step, double begins, std::size_t number, Language language) {
  const Step& s = *step.step;
  const Experiment e = lesson::experiment_of(s);
  std::string text = fmt::format("<section class=\"step\"><h2>{}. {}</h2>\n<p class=\"when\">{} · {} · {} {}</p>\n",
                                 number, in(s.title, language), clock(begins), escaped(minutes(s.minutes)),
                                 html::code(e.id), in(e.side(s.side).label, language));
  text += "<p>" + in(s.text, language) + "</p>\n" + asked(step, language);
  if (!s.reveal.empty()) {
    text += fmt::format("<p><b>{}</b> {}</p>\n", html::words(N_("What it means")), in(s.reveal, language));
  }
  if (!s.notes.empty()) text += "<p class=\"note\">" + in(s.notes, language) + "</p>\n";
  return text + "</section>\n";
}

// --- for the students ----------------------------------------------------------------------------------------------

std::string picture_of(const RunStep& step, html::Pictures& pictures) {
  const experiment::MeasuredRun& run = step.step->side == Side::Before ? *step.before : *step.after;
  html::Stretch stretch = html::typical_stretch(run.trace(), run.analysis());
  stretch.bubble.reset();  // the path to its cause would tell
  return pictures.timeline(run.trace(), run.analysis(), run.facts(), stretch, step.step->title[Language::English],
                           kPictureWidth, true);
}

// Of which run the picture is: with equal names they would be the same.
std::string picture_name(const Step& step) {
  const Experiment e = lesson::experiment_of(step);
  const workload::Settings settings = lesson::settings_of(step, step.side);
  std::string name = e.workload + " " + e.device_of(step.side);
  for (const workload::SettingSpec& spec : settings.specs()) {
    name += fmt::format(" {}={}", spec.key, workload::to_text(settings.value(spec.key)));
  }
  return name;
}

// More of them than a card has room for: the page shows those that fit.
std::string lines() {
  constexpr int kLines = 12;
  std::string text = "<div class=\"lines\">";
  for (int i = 0; i < kLines; ++i) text += "<i></i>";
  return text + "</div>\n";
}

// A row for each knob that is turned.
std::string table_of_task() {
  constexpr int kRows = 4;
  constexpr std::array<std::array<const char*, 2>, 4> kHead = {
      {{"verdict before", "之前的结论"}, {"knob", "旋钮"}, {"verdict after", "之后的结论"}, {"factor", "倍数"}}};
  std::string text = "<table class=\"tries\"><tr>";
  for (const auto& [english, chinese] : kHead) {
    text += fmt::format("<th>{}<span class=\"second\" lang=\"zh-CN\">{}</span></th>", english, chinese);
  }
  text += "</tr>";
  for (int i = 0; i < kRows; ++i) text += "<tr><td></td><td></td><td></td><td></td></tr>";
  return text + "</table>\n";
}

std::string asked_on_sheet(const Step& step) {
  if (step.task) return in_both(step.task->text, "p");
  if (!step.question) return {};
  std::string text = in_both(step.question->text, "p");
  if (step.question->choices.empty()) {
    const std::string unit = experiment::unit_in_words(step.question->unit);
    return text + fmt::format("<p class=\"guess\"><i></i> {}</p>\n", escaped(unit));
  }
  text += "<ul class=\"boxes\">";
  for (const lesson::Choice& choice : step.question->choices) text += in_both(choice.text, "li");
  return text + "</ul>\n";
}

// A card with a picture has it beside what is asked, and lies across the page. One without is half as wide, or as wide.
enum class CardKind { Picture, Half, Wide };
struct Card {
  CardKind kind = CardKind::Picture;
  std::size_t shown_by = 0;  // the number of the card that has the same picture
};

// A picture is on the sheet once. Of cards without one, two lie side by side, and the last of an odd number is wide.
std::vector<Card> cards_of(const std::vector<RunStep>& steps) {
  std::vector<Card> cards;
  std::map<std::string, std::size_t> shown;  // by picture_name(): the first card that has it
  const auto finish_pairs = [&] {
    std::size_t bare = 0;
    while (bare < cards.size() && cards[cards.size() - 1 - bare].kind == CardKind::Half) ++bare;
    if (bare % 2 == 1) cards.back().kind = CardKind::Wide;
  };
  for (const RunStep& step : steps) {
    const auto [first, is_new] = shown.emplace(picture_name(*step.step), cards.size() + 1);
    if (is_new) finish_pairs();
    cards.push_back(is_new ? Card{} : Card{CardKind::Half, first->second});
  }
  finish_pairs();
  return cards;
}

std::string sheet_of(const RunStep& step, std::size_t number, const Card& card, html::Pictures& pictures) {
  const Step& s = *step.step;
  const bool has_picture = card.kind == CardKind::Picture;
  std::string asks = fmt::format("<h2>{}. {}<span class=\"second\" lang=\"zh-CN\">{}</span></h2>\n", number,
                                 in(s.title, Language::English), in(s.title, Language::Chinese));
  asks += asked_on_sheet(s);
  if (!has_picture) asks += fmt::format("<p class=\"see\">Picture: as in {0} 图同第 {0} 题</p>\n", card.shown_by);
  const std::string room = s.task ? table_of_task() : lines();
  const std::string left = has_picture ? picture_of(step, pictures) : asks, right = has_picture ? asks + room : room;
  constexpr std::array<const char*, 3> kClasses = {"", " bare", " wide"};
  return fmt::format("<section class=\"card{}{}\">\n<div class=\"{}\">{}</div>\n<div>{}</div>\n</section>\n",
                     kClasses[static_cast<std::size_t>(card.kind)], s.task ? " task" : "",
                     has_picture ? "picture" : "asked", left, right);
}

std::string heading_of(const Lesson& lesson) {
  return fmt::format("<h1>{}<span class=\"second\" lang=\"zh-CN\">{}</span></h1>\n",
                     in(lesson.title, Language::English), in(lesson.title, Language::Chinese));
}

}  // namespace

std::vector<RunStep> run_steps(const Lesson& lesson) {
  std::vector<RunStep> steps;
  for (const Step& step : lesson.steps) {
    steps.push_back({&step, run_side(step, Side::Before), run_side(step, Side::After)});
  }
  return steps;
}

std::string lesson_text(const Lesson& lesson) {
  const Language language = base::language();
  std::string text =
      fmt::format("{} ({})\n{}\n", lesson.title[language], minutes(lesson.minutes()), lesson.summary[language]);
  double begins = 0;
  for (const Step& step : lesson.steps) {
    text += fmt::format("\n{}  {}  ({}, {})\n", clock(begins), step.title[language], minutes(step.minutes),
                        lesson::experiment_of(step).id);
    if (step.question) text += fmt::format("      {}\n", step.question->text[language]);
    if (step.task) text += fmt::format("      {}\n", step.task->text[language]);
    begins += step.minutes;
  }
  const double spare = lesson.minutes() - lesson.planned();
  if (spare > 0) text += fmt::format("\n{}  {}  ({})\n", clock(begins), tr("to spare"), minutes(spare));
  return text;
}

std::string notes_page(const Lesson& lesson, const std::vector<RunStep>& steps) {
  const Language language = base::language();
  std::string body =
      fmt::format("<h1>{}</h1>\n<p class=\"lede\">{}</p>\n<p class=\"when\">{}</p>\n", in(lesson.title, language),
                  in(lesson.summary, language), escaped(minutes(lesson.minutes())));
  body += plan_of(lesson, language);
  double begins = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    body += notes_of(steps[i], begins, i + 1, language);
    begins += steps[i].step->minutes;
  }
  return html::paper(lesson.title[language], "notes", body, {});
}

std::string worksheet_page(const Lesson& lesson, const std::vector<RunStep>& steps) {
  html::Pictures pictures;
  std::string body =
      "<header>\n" + heading_of(lesson) + "<p class=\"name\">Name 姓名</p>\n</header>\n<div class=\"cards\">\n";
  const std::vector<Card> cards = cards_of(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) body += sheet_of(steps[i], i + 1, cards[i], pictures);
  return html::paper(lesson.title[Language::English], "sheet", body + "</div>\n", pictures);
}

std::string answers_page(const Lesson& lesson, const std::vector<RunStep>& steps) {
  std::string body = heading_of(lesson) + "<ol class=\"answers\">\n";
  for (const RunStep& step : steps) {
    const Step& s = *step.step;
    body += "<li>" + in_both(s.title, "h3");
    const std::string answer = page_answer_text(step, Language::English),
                      second = page_answer_text(step, Language::Chinese);
    if (!answer.empty()) body += "<p class=\"answer\">" + answer + "</p>\n";
    const std::string measured = other_side_text(step, base::language());
    if (!measured.empty()) body += "<p class=\"answer\">" + measured + "</p>\n";
    if (second != answer) body += "<p class=\"answer second\" lang=\"zh-CN\">" + second + "</p>\n";
    if (!s.reveal.empty()) body += in_both(s.reveal, "p");
    body += "</li>\n";
  }
  return html::paper(lesson.title[Language::English], "sheet", body + "</ol>\n", {});
}

// --- show lesson -----------------------------------------------------------------------------------------------------

void show_lesson(const LessonRequest& request) {
  check_outputs({request.notes, request.worksheet});
  if (request.notes.empty() && request.worksheet.empty()) {
    return write_words(lesson_text(*request.lesson));
  }
  const std::vector<RunStep> steps = run_steps(*request.lesson);
  if (!request.notes.empty()) html::write_page(request.notes, notes_page(*request.lesson, steps));
  if (request.worksheet.empty()) return;
  html::write_page(request.worksheet,
                   request.answers ? answers_page(*request.lesson, steps) : worksheet_page(*request.lesson, steps));
}

}  // namespace lanescope::app
