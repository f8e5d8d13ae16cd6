// The labels around an experiment's texts.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"
#include "timeline/text.h"
#include "trace/run_facts.h"

namespace lanescope::ui {

enum class Word : std::uint8_t {
  Experiments,
  Experiment,
  AllExperiments,
  Filter,
  NothingFound,
  Start,
  Shows,
  Watch,
  Turn,
  Published,
  PublishedBeside,
  Here,
  TutorialErrs,
  Before,
  After,
  ThisRun,
  Iteration,
  GpuBusy,
  SyncsPerIteration,
  OwnFigures,
  ChangedByHand,
  DescribedOn,
  RunningOn,
  Measured,
  MeasuredSomewhere,
  Estimate,
  Impossible,
  FlipToMeasure,
  OwnSettings,
  NoFigure,
  More,
  Less,
  OtherKnobs,
  FreePlay,
  RunsNow,
  Faster,
  Slower,
  TheSame,
  Close,
  InThisList,
  QueueFills,
  Count
};

std::string word(Word word, experiment::Language language);
std::string word(experiment::Quality quality, experiment::Language language);
/// The heading above the experiments of a workload.
std::string chapter(const std::string& workload, experiment::Language language);

/// Why there is no Chinese text: which package is missing.
std::string no_chinese_text();
/// "EN", "中文".
const char* language_name(experiment::Language language);

/// The characters that fonts need if all of the program's own texts are in `language`. chinese_texts() includes the
/// experiments' texts.
ChineseTexts catalogue_letters(base::Language language);
ChineseTexts chinese_texts(experiment::Language language);

// --- badge -----------------------------------------------------------------------------------------------------------
// The badge that shows whether a run is simulated, running or recorded.

/// "SIMULATED · rtx4090", "SIMULATED CPU · rtx4090", "GPU · NVIDIA H200" and "CPU · AMD EPYC" during a run, "RECORDED ·
/// NVIDIA H200" for a file. Translated.
std::string badge_text(const trace::RunFacts& facts, bool live);
/// Of two runs in one picture: that of a simulated one, if there is one; without the device if they ran on two.
std::string badge_text(const trace::RunFacts& a, const trace::RunFacts& b);

}  // namespace lanescope::ui
