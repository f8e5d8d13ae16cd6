#include "base/platform/page_browser.h"

#include <emscripten.h>

#include <cstdlib>

#include "base/platform/page.h"

// The JavaScript behind these functions is assets/web/page.js.
// clang-format off
EM_JS(int, page_is_there, (), { return typeof document === 'undefined' ? 0 : 1; })
EM_JS(int, page_width, (), { return lanescopePage.size().width; })
EM_JS(int, page_height, (), { return lanescopePage.size().height; })
EM_JS(double, page_density, (), { return lanescopePage.size().density; })
EM_JS(char*, page_fragment, (), { return stringToNewUTF8(location.hash.slice(1)); })
EM_JS(char*, page_address_text, (), { return stringToNewUTF8(location.href.split('#')[0]); })
EM_JS(int, page_keeps_canvas, (), { return lanescopePage.software ? 1 : 0; })
EM_JS(int, page_take_input, (), { return lanescopePage.takeInput() ? 1 : 0; })
EM_JS(void, page_ask_for_files, (const char* endings), { lanescopePage.askForFiles(UTF8ToString(endings)); })
EM_JS(char*, page_next_file, (), {
  const file = lanescopePage.files.shift();
  return file === undefined ? 0 : stringToNewUTF8(file);
})
EM_JS(void, page_offer_downloads, (const char* folder), { lanescopePage.offerDownloads(UTF8ToString(folder)); })
EM_JS(void, page_copy_text, (const char* text), { lanescopePage.copyText(UTF8ToString(text)); })
EM_JS(int, page_is_full_screen, (), { return document.fullscreenElement ? 1 : 0; })
EM_JS(void, page_set_full_screen, (int on), { lanescopePage.setFullScreen(on !== 0); })
EM_JS(void, page_show_canvas, (), { lanescopePage.showCanvas(); })
EM_JS(void, page_show_failure, (const char* why), { lanescopePage.showFailure(UTF8ToString(why)); })
EM_JS(void, page_keep_settings, (), { lanescopePage.keepSettings(); })
// clang-format on

namespace lanescope::base::browser {
namespace {

std::string taken(char* text) {
  const std::string copy = text ? text : "";
  std::free(text);
  return copy;
}

}  // namespace

bool has_page() { return page_is_there() != 0; }
CanvasSize wanted_size() { return {page_width(), page_height(), static_cast<float>(page_density())}; }
std::string fragment() { return taken(page_fragment()); }
bool keeps_canvas() { return page_keeps_canvas() != 0; }
bool take_input() { return page_take_input() != 0; }
void ask_for_files(const std::string& endings) { page_ask_for_files(endings.c_str()); }

std::vector<std::string> arrived_files() {
  std::vector<std::string> files;
  while (char* const file = page_next_file()) files.push_back(taken(file));
  return files;
}

void offer_downloads() { page_offer_downloads(std::string(kDownloads).c_str()); }
void copy_text(const std::string& text) { page_copy_text(text.c_str()); }
bool is_full_screen() { return page_is_full_screen() != 0; }
void set_full_screen(bool on) { page_set_full_screen(on ? 1 : 0); }
void show_canvas() { page_show_canvas(); }
void show_failure(const std::string& why) { page_show_failure(why.c_str()); }
void keep_settings() { page_keep_settings(); }

}  // namespace lanescope::base::browser

namespace lanescope::base {

std::string page_address() { return browser::taken(page_address_text()); }

}  // namespace lanescope::base
