#include "app/command_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include "app/command_requests.h"
#include "app/commands.h"
#include "app/graphics.h"
#include "app/terminal_output.h"
#include "app/version_text.h"
#include "attach/program_state.h"
#include "base/crash_reports.h"
#include "base/error.h"
#include "base/translate.h"
#include "lesson/own_lessons.h"

namespace lanescope::app {
namespace {

struct Perform {
  int operator()(const WindowRequest& request) const {
    show_window(request);
    return kDone;
  }
  int operator()(const AttachRequest& request) const { return attach_program(request); }
  int operator()(const RunRequest& request) const { return run_headless(request); }
  int operator()(const ExperimentRequest& request) const { return run_experiment(request); }
  int operator()(const SweepRequest& request) const { return run_sweep(request); }
  int operator()(const ListRequest& request) const {
    write_words(list_text(request));
    return kDone;
  }
  int operator()(const ReportRequest& request) const {
    report_file(request);
    return kDone;
  }
  int operator()(const CompareRequest& request) const {
    compare_files(request);
    return kDone;
  }
  int operator()(const ReduceRequest& request) const { return reduce_files(request); }
  int operator()(const JoinRequest& request) const {
    join_summaries(request);
    return kDone;
  }
  int operator()(const ExportRequest& request) const {
    export_file(request);
    return kDone;
  }
  int operator()(const LessonRequest& request) const {
    show_lesson(request);
    return kDone;
  }
  int operator()(const GradeRequest& request) const { return grade_files(request); }
  int operator()(const ScriptRequest& request) const {
    write_script(request);
    return kDone;
  }
  int operator()(const CalibrateRequest& request) const {
    calibrate_machine(request);
    return kDone;
  }
  int operator()(const MeasureRequest& request) const {
    write_out(measure_window(request.what, request.window));
    return kDone;
  }
  int operator()(const TextRequest& request) const {
    write_out(request.text);
    return kDone;
  }
};

int complain(std::string_view what, int status) {
  fmt::print(stderr, "lanescope: {}\n", one_line(what));
  return status;
}

}  // namespace

int run(int argc, const char* const* argv) {
  base::begin_crash_reports(attach::joined_words({argv, argv + argc}));
  base::note_crash_fact(base::CrashFact::Build, build_line());
  try {
    const Request request = parse_command_line(argc, argv);
    // What was asked for can be used; the others are only mentioned.
    for (const std::string& error : lesson::own_file_errors()) complain(error, kDone);
    return std::visit(Perform{}, request);
  } catch (const base::UsageError& error) {
    return complain(error.what(), kWrongRequest);
  } catch (const std::bad_alloc&) {
    return complain(base::tr("out of memory; try a smaller --memory-mb or fewer --iterations"), kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace lanescope::app
