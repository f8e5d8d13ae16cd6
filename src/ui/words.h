// The few words around an experiment's texts, in the language of those texts. Everything else on the screen is in the
// language of the person's system (base::tr).
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

/// Translated where the language is the system's (English texts); Chinese where the experiments' texts are.
std::string word(Word word, experiment::Language language);
std::string word(experiment::Quality quality, experiment::Language language);
/// The heading over the experiments of a workload.
std::string chapter(const std::string& workload, experiment::Language language);

/// Why there is no Chinese text: the package that is missing.
std::string no_chinese_text();
/// "EN", "中文".
const char* language_name(experiment::Language language);

/// What the fonts must have letters for when the experiments' texts are in `language`.
ChineseTexts chinese_texts(experiment::Language language);

}  // namespace lanescope::ui
