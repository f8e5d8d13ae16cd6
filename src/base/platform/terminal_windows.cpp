#include <windows.h>
// After windows.h, which declares what they need.
#include <fcntl.h>
#include <io.h>

#include "base/platform/terminal.h"

namespace lanescope::base {
namespace {

HANDLE handle_of(std::FILE* stream) { return reinterpret_cast<HANDLE>(::_get_osfhandle(::_fileno(stream))); }

}  // namespace

void prepare_streams() {
  for (std::FILE* const stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  // A console of its own appears when the program is started from the desktop: nobody reads it.
  DWORD process = 0;
  if (::GetConsoleProcessList(&process, 1) == 1) ::FreeConsole();
  ::SetConsoleOutputCP(CP_UTF8);
  ::SetConsoleCP(CP_UTF8);
}

bool is_terminal(std::FILE* stream) { return ::_isatty(::_fileno(stream)) != 0; }

bool has_colours(std::FILE* stream) {
  if (!is_terminal(stream)) return false;
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(stream), &mode) &&
         ::SetConsoleMode(handle_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

}  // namespace lanescope::base
