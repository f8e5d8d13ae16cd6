// How the window shows its contents: the drawer's tab, messages, hints, and what a frame costs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "analysis/summary.h"
#include "base/translate.h"

namespace lanescope::ui {

/// A short message that disappears by itself.
struct Toast {
  std::string text;
  bool error = false;
  std::chrono::steady_clock::time_point until{};
};

/// What the drawer below the lanes shows.
enum class DrawerTab : std::uint8_t { Closed, Plots, Code, Events, Found, Marks, Statistics, Figures, Ranks };

/// The first minute: flip the experiment, see what it gained, and what else there is.
inline constexpr const char* kTourExperiment = "P09";
enum class TourStep : std::uint8_t { Off, PressFlip, Reward, WhatNext };

/// The figures that the side panel shows: renewed so seldom that they can be read.
struct CalmFigures {
  analysis::Summary shown;
  std::uint64_t number = 0, generation = 0;  ///< of the model's recent figures
  std::uint32_t version = 0;                 ///< of the last turn of a knob
  base::Language language = base::Language::English;
  std::chrono::steady_clock::time_point renewed{}, since{};
};

struct FrameFigures {
  /// This machine is busy, and not all is drawn in every frame, of which there are that many; 0: all is.
  double coarse_frames_per_second = 0;
};

}  // namespace lanescope::ui
