#include "app/show_lesson.h"

#include "app/html_page.h"
#include "app/lesson_page.h"
#include "app/outputs.h"
#include "app/terminal.h"

namespace lanescope::app {

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
