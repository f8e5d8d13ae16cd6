// The page around the program in the browser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::base::browser {

/// False under Node.js, where the other functions must not be called.
bool has_page();

struct CanvasSize {
  int width = 0, height = 0;  ///< in the screen's pixels
  float density = 1;          ///< of these pixels per CSS pixel
};
/// What the page has room for now.
CanvasSize wanted_size();
/// The part of the address after '#'.
std::string fragment();
/// What was drawn stays on the canvas from frame to frame.
bool keeps_canvas();
/// True once after input: a key, the pointer, a new size.
bool take_input();
/// Shows the browser's question for files. They are among arrived_files() later, if the user chooses some.
void ask_for_files(const std::string& endings);
/// Paths of files that were chosen since the last call.
std::vector<std::string> arrived_files();
/// The folder whose files the page offers as downloads once they are complete.
inline constexpr std::string_view kDownloads = "/downloads";
void offer_downloads();
void copy_text(const std::string& text);
bool is_full_screen();
void set_full_screen(bool on);
/// The first picture is there: the page takes its own away.
void show_canvas();
/// One line on why there is no picture.
void show_failure(const std::string& why);
/// The folder of the preferences and of the students' files goes to the browser's store.
void keep_settings();

}  // namespace lanescope::base::browser
