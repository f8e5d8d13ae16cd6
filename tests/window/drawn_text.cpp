#include "window/drawn_text.h"

#include <cfloat>
#include <cstring>

namespace lanescope::ui_test {

static DrawnTexts* the_collector = nullptr;

DrawnTexts::DrawnTexts() { the_collector = this; }
DrawnTexts::~DrawnTexts() { the_collector = nullptr; }

void DrawnTexts::add(const char* begin, const char* end) {
  if (begin == nullptr) return;
  texts_.emplace(begin, end == nullptr ? begin + std::strlen(begin) : end);
}

void DrawnTexts::add(const char* begin, const char* end, const ImFont* font, float size, const ImVec2& at) {
  add(begin, end);
  if (begin == nullptr) return;
  if (end == nullptr) end = begin + std::strlen(begin);
  if (begin == end) return;
  if (font == nullptr) font = ImGui::GetFont(), size = ImGui::GetFontSize();
  const ImVec2 extent = const_cast<ImFont*>(font)->CalcTextSizeA(size, FLT_MAX, 0, begin, end);
  places_.push_back({{begin, end}, at.x, at.y, extent.x, extent.y});
}

}  // namespace lanescope::ui_test

#if IMGUI_VERSION_NUM < 19200
// The linker's --wrap gives these two names (of ImGui 1.86 to 1.91) to every call from another object file. A member
// function gets `this` first, and a reference is a pointer.
using lanescope::ui_test::the_collector;

extern "C" {
void __real__ZN10ImDrawList7AddTextEPK6ImFontfRK6ImVec2jPKcS7_fPK6ImVec4(ImDrawList*, const ImFont*, float,
                                                                         const ImVec2*, ImU32, const char*, const char*,
                                                                         float, const ImVec4*);
void __wrap__ZN10ImDrawList7AddTextEPK6ImFontfRK6ImVec2jPKcS7_fPK6ImVec4(ImDrawList* list, const ImFont* font,
                                                                         float size, const ImVec2* at, ImU32 colour,
                                                                         const char* begin, const char* end, float wrap,
                                                                         const ImVec4* clip) {
  if (the_collector) the_collector->add(begin, end, font, size, *at);
  __real__ZN10ImDrawList7AddTextEPK6ImFontfRK6ImVec2jPKcS7_fPK6ImVec4(list, font, size, at, colour, begin, end, wrap,
                                                                      clip);
}

void __real__ZN10ImDrawList7AddTextERK6ImVec2jPKcS4_(ImDrawList*, const ImVec2*, ImU32, const char*, const char*);
void __wrap__ZN10ImDrawList7AddTextERK6ImVec2jPKcS4_(ImDrawList* list, const ImVec2* at, ImU32 colour,
                                                     const char* begin, const char* end) {
  if (the_collector) the_collector->add(begin, end, nullptr, 0, *at);
  __real__ZN10ImDrawList7AddTextERK6ImVec2jPKcS4_(list, at, colour, begin, end);
}
}
#endif
