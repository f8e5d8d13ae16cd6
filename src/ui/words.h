// The few words around an experiment's texts.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"
#include "ui/fonts.h"

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
  ToldOn,
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
/// The heading over the experiments of a workload.
std::string chapter(const std::string& workload, experiment::Language language);

/// Why there is no Chinese text: the package that is missing.
std::string no_chinese_text();
/// "EN", "中文".
const char* language_name(experiment::Language language);

/// What the fonts must have letters for when all of the program's own texts are in `language`; and with the
/// experiments'.
ChineseTexts catalogue_letters(base::Language language);
ChineseTexts chinese_texts(experiment::Language language);

}  // namespace lanescope::ui
