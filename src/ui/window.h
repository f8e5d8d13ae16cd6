// The window: opens it, runs until it is closed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "session/session.h"
#include "ui/theme.h"

namespace lanescope::ui {

struct WindowOptions {
  session::SessionOptions session;
  std::optional<std::filesystem::path> open;  ///< show this trace file instead of a run
  std::optional<ThemeName> theme;             ///< else as remembered
  std::filesystem::path shader_dir;           ///< reload shaders from here while developing; empty: the embedded ones
};

/// Throws base::UsageError or base::FileError (no display, no OpenGL 3.3: one line that names the headless command).
void run_window(const WindowOptions& options);

}  // namespace lanescope::ui
