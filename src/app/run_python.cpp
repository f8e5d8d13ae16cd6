#include "app/run_python.h"

#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/child_process.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::app {

using base::tr;

std::string run_python(const std::string& python, std::string_view program) {
  const auto failed = [&](const std::string& why) { return base::Error(tr("{} failed: {}", python, why)); };
  // Files, not pipes: a program that is longer than a pipe is deep cannot block.
  const base::TemporaryFile in = base::temporary_file(program), out = base::temporary_file({});
  if (!in || !out) throw failed(base::system_error_text(errno));
  pid_t child = 0;
  const base::ChildStreams streams{fileno(in.get()), fileno(out.get()), false};
  if (const int error = base::start_child({python, "-"}, streams, child); error != 0) {
    throw failed(base::system_error_text(error));
  }
  const int status = base::wait_for_child(child);
  if (!WIFEXITED(status)) throw failed(tr("it was killed"));
  if (WEXITSTATUS(status) != 0) throw failed(tr("exit status {}", WEXITSTATUS(status)));
  std::string text;
  std::rewind(out.get());
  std::array<char, 4096> buffer{};
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(buffer.data(), 1, buffer.size(), out.get());
    text.append(buffer.data(), got);
  }
  return text;
}

}  // namespace lanescope::app
