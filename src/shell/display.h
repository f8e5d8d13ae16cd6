// How the window shows its contents: the drawer's tab, messages, hints, and what a frame costs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lanescope::ui {

/// A short message that disappears by itself.
struct Toast {
  std::string text;
  bool error = false;
  std::chrono::steady_clock::time_point until{};
};

/// What the lower part of the middle area shows.
enum class DrawerTab : std::uint8_t { Plots, Code, Events, Found, Marks, Statistics, Ranks };

/// The first minute: flip the experiment, see what it gained, and what else there is.
inline constexpr const char* kTourExperiment = "P09";
enum class TourStep : std::uint8_t { Off, PressFlip, Reward, WhatNext };

struct FrameFigures {
  /// This machine is busy, and not all is drawn in every frame, of which there are that many; 0: all is.
  double coarse_frames_per_second = 0;
};

}  // namespace lanescope::ui
