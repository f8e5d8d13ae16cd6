// The labels around an experiment's texts.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"
#include "timeline/text.h"

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

}  // namespace lanescope::ui
