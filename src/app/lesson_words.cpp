#include "app/lesson_words.h"

#include <fmt/format.h>

#include "app/run_report.h"
#include "experiment/named_figure.h"

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

}  // namespace lanescope::app
