// What each command does.
#pragma once

#include <string>

#include "app/command_requests.h"

namespace lanescope::app {

/// Runs a workload without a window, as fast as the device allows, and reports the results.
/// Exit status 0, or 130 if the run was ended early (the results so far are reported nevertheless). Throws
/// base::UsageError and base::FileError. Checks output files before the run.
int run_headless(const RunRequest& request);

/// Explains on standard error why "auto" selected a simulated device, if it did.
void explain_device_choice(const std::string& asked);

/// `lanescope run --experiment`: runs one or both sides of an experiment and compares them with the published numbers.
/// Exit status 0, or 130 if ended early. Throws like run_headless().
int run_experiment(const ExperimentRequest& request);

/// `lanescope sweep`: runs the same loop repeatedly, varying one or two settings.
/// Exit status 0; 1 if a point failed (the others are kept); 130 if ended early. Throws like run_headless().
int run_sweep(const SweepRequest& request);

/// `lanescope attach`: the user's own program, watched in the window or recorded into a file.
/// Returns the program's exit status, as a shell reports it.
int attach_program(const AttachRequest& request);
/// `attach --job`: where the rank is, and unless `options` have a pid, the recording that is being made of it. Asks
/// Slurm, which takes about a second. Throws base::Error or base::UsageError: says why not.
attach::RemoteOptions find_rank(const attach::JobRank& job, attach::RemoteOptions options);
/// On a node, in a step of the job: its processes here, a line of JSON for each.
void print_ranks_here();

/// `lanescope compare`: what changed between two saved traces.
/// Throws base::FileError if a file cannot be read or an output cannot be written.
void compare_files(const CompareRequest& request);

/// `lanescope report`: the figures of a saved trace.
/// Throws base::FileError if the file cannot be read or an output cannot be written.
void report_file(const ReportRequest& request);

/// `lanescope reduce`: a summary beside each recording, for `lanescope join`.
/// Returns the exit status: 1 if one of them failed; the others are made nevertheless. Throws base::FileError if there
/// is nothing to reduce.
int reduce_files(const ReduceRequest& request);

/// `lanescope join`: the summaries of a job's ranks as one report.
/// Throws base::FileError if a summary cannot be read or an output cannot be written.
void join_summaries(const JoinRequest& request);

/// `lanescope export`: a saved trace as tables, or as a trace for other programs.
/// Throws base::FileError if the file cannot be read or an output cannot be written.
void export_file(const ExportRequest& request);

/// `lanescope lesson`: a lesson's plan, notes and sheets.
/// Throws base::FileError if a page cannot be written.
void show_lesson(const LessonRequest& request);

/// `lanescope grade`: students' files, graded by runs made now.
/// Returns the exit status: 1 if a file cannot be used, 130 if ended early. Throws base::FileError if an output cannot
/// be written, base::UsageError if it is one of the files.
int grade_files(const GradeRequest& request);

/// `lanescope list`: workloads, devices, settings and experiments.
std::string list_text(const ListRequest& request);

/// `lanescope script`
/// Throws base::UsageError for unknown settings, base::FileError if the file cannot be written.
void write_script(const ScriptRequest& request);

/// `lanescope calibrate`: measures a GPU and writes a profile.
/// Throws base::UsageError if there is no GPU to measure, base::FileError, or base::Error if the device fails.
void calibrate_machine(const CalibrateRequest& request);

}  // namespace lanescope::app
