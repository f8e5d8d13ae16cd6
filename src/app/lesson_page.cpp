#include "app/reports.h"

#include <fmt/format.h>

#include <cmath>

#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/html_charts.h"
#include "app/html_page.h"
#include "app/html_text.h"
#include "app/terminal_output.h"
#include "base/translate.h"
#include "device/device.h"
#include "experiment/named_figure.h"
#include "experiment/published_numbers.h"
#include "lesson/lesson.h"

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

// "C · More often (8)" or "1.44 × (right within 15 %)"; empty for a task. A number needs no translation.
std::string page_answer_text(const RunStep& step, Language language) {
  if (!step.step->question) return {};
  const lesson::Question& q = *step.step->question;
  const auto truth = truth_of(step);
  if (!truth) return html::words(N_("not measured"));
  std::string text = truth_in_words(q, *truth, language);
  if (q.choices.empty()) text += " " + tr("(right within {:g} %)", std::round(100 * q.tolerance));
  return escaped(text, kLetters);
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
  }
  return text;
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
  if (!e.correction.empty()) {
    text += fmt::format("<p class=\"errs\"><b>{}</b> {}</p>\n", html::words(N_("Where the tutorial errs")),
                        in(e.correction, language));
  }
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

// More of them than a card has room for: the page shows those that fit.
std::string lines(const char* kind) {
  constexpr int kLines = 12;
  std::string text = fmt::format("<div class=\"{}\">", kind);
  for (int i = 0; i < kLines; ++i) text += "<i></i>";
  return text + "</div>\n";
}

std::string room_to_answer(const Step& step) {
  if (step.question && !step.question->choices.empty()) {
    std::string text = "<ul class=\"boxes\">";
    for (const lesson::Choice& choice : step.question->choices) text += in_both(choice.text, "li");
    return text + "</ul>\n" + lines("rest lines");
  }
  std::string text;
  if (step.question) {
    text += fmt::format("<p class=\"guess\"><i></i> {}</p>\n", escaped(experiment::unit_in_words(step.question->unit)));
  }
  return text + lines("lines");
}

std::string sheet_of(const RunStep& step, std::size_t number, html::Pictures& pictures) {
  const Step& s = *step.step;
  std::string text =
      fmt::format("<section class=\"card\"><h2>{}. {}<span class=\"second\" lang=\"zh-CN\">{}</span></h2>\n", number,
                  in(s.title, Language::English), in(s.title, Language::Chinese));
  text += "<div class=\"picture\">" + picture_of(step, pictures) + "</div>\n";
  if (s.question) text += in_both(s.question->text, "p");
  if (s.task) text += in_both(s.task->text, "p");
  return text + room_to_answer(s) + "</section>\n";
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
  return text;
}

std::string notes_page(const Lesson& lesson, const std::vector<RunStep>& steps) {
  const Language language = base::language();
  std::string body =
      fmt::format("<h1>{}</h1>\n<p class=\"lede\">{}</p>\n<p class=\"when\">{}</p>\n", in(lesson.title, language),
                  in(lesson.summary, language), escaped(minutes(lesson.minutes())));
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
  for (std::size_t i = 0; i < steps.size(); ++i) body += sheet_of(steps[i], i + 1, pictures);
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
