#include "model/lesson/lesson_letters.h"

#include "lesson/own_lessons.h"
#include "picture/words.h"

namespace lanescope::ui {

ChineseTexts window_letters(base::Language language, const std::string& others) {
  ChineseTexts texts = chinese_texts(language);
  for (std::string* letters : {&texts.body, &texts.small, &texts.title, &texts.mono, &texts.verdict, &texts.lead}) {
    *letters += others;
  }
  texts.lead += base::all_translations(language);  // the words around a lesson's own texts
  for (const lesson::Lesson* lesson : lesson::all_lessons()) {
    std::string said = lesson->title[language] + lesson->summary[language];
    for (const lesson::Step& step : lesson->steps) {
      said += step.title[language] + step.text[language] + step.reveal[language];
      if (step.question) {
        said += step.question->text[language];
        for (const lesson::Choice& choice : step.question->choices) said += choice.text[language];
      }
      if (!step.task) continue;
      said += step.task->text[language];
      for (const lesson::Goal& goal : step.task->goals) said += goal.text[language];
      for (const experiment::Text& hint : step.task->hints) said += hint[language];
    }
    for (std::string* letters : {&texts.body, &texts.small, &texts.title, &texts.lead}) *letters += said;
  }
  return texts;
}

}  // namespace lanescope::ui
