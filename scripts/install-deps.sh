#!/usr/bin/env bash
# Installs the missing Debian or Ubuntu packages that Lanescope needs, and nothing else.
#
#   scripts/install-deps.sh [PURPOSE...]     default: build run test; the purposes are in the list below
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# needed to | package | purpose
packages="
build  g++                      C++20 compiler
build  cmake                    configures the build
build  ninja-build              runs the build
build  gettext                  msgfmt makes the catalogue of translations
build  pkg-config               finds libraries that come without a CMake package
build  ccache                   makes a second build cheap
build  libimgui-dev             Dear ImGui: panels, knobs and menus of the window
build  libstb-dev               what Debian's Dear ImGui is linked against
build  libglfw3-dev             opens the window
build  libepoxy-dev             loads OpenGL and EGL functions
build  libegl-dev               EGL: drawing a picture without a window
build  libfreetype-dev          text
build  libxcb1-dev              tells whether other windows cover the window
build  libfmt-dev               formatting
build  libspdlog-dev            log
build  libcli11-dev             command line
build  nlohmann-json3-dev       JSON of summaries and traces
build  libeigen3-dev            matrix products on the CPU
build  libtomlplusplus-dev      device profiles and preferences
build  libpng-dev               screenshots
build  libutfcpp-dev            UTF-8
build  zlib1g-dev               compressed traces
build  libzstd-dev              compressed session files
build  libsqlite3-dev           Nsight Systems' exports
run    libglfw3                 GLFW for X11, which a virtual display needs, too
run    libgl1                   OpenGL for windows
run    libegl1                  OpenGL without a window
run    libgl1-mesa-dri          Mesa's drivers, including the software renderer
run    fonts-inter              text of the window
run    fonts-jetbrains-mono     figures of the window
run    fonts-wqy-microhei       Chinese texts
run    xclip                    pictures on the clipboard
run    xvfb                     a virtual display
run    xauth                    xvfb-run needs it
test   libgtest-dev             tests
test   libgmock-dev             matchers in tests
test   libbenchmark-dev         benchmarks
test   libsimdjson-dev          what benchmarks compare reading JSON with
test   libx11-dev               window tests inspect the window from outside
test   libxtst-dev              window tests move the mouse and press keys
test   x11-xserver-utils        window tests unplug a monitor
test   python3                  the check of module dependencies, and the table of benchmarks
test   python3-pyflakes         undefined names in the scripts that the program writes
test   slurmctld                a Slurm for jobs on several nodes of this machine
test   slurmd                   its nodes
test   slurm-client             srun, sbatch, squeue and scancel
test   munge                    it knows its users by that
test   iproute2                 each node has a network of its own
test   util-linux               and host name, processes, /tmp and uptime
test   openmpi-bin              mpirun in such a job
print  chromium                 prints the worksheets (scripts/check-print.sh)
print  poppler-utils            counts their pages
sources  dpkg-dev               unpacks the source packages of libraries
sources  tcl                   SQLite's sources are put together by it
sources  g++                   and by programs of its own
sources  make                  which this builds
sources  python3                writes what loads the functions of OpenGL
package  file                  what CPack asks about programs
package  dpkg-dev              which packages the libraries are in
package  help2man              pages for man
package  binutils              strip, and objdump for the check of glibc
chroot   mmdebstrap            bare systems in which packages are tried
web    emscripten               compiles for the browser
web    node-acorn               what emscripten reads JavaScript with
web    ccache                   makes a second build cheap
web    cmake                    configures the build
web    ninja-build              runs the build
web    gettext                  msgfmt makes the catalogue of translations
web    python3                  makes the fonts
web    pkg-config               asked for by the libraries' own builds
web    libspdlog-dev            libraries that consist of headers
web    libcli11-dev
web    nlohmann-json3-dev
web    libeigen3-dev
web    libtomlplusplus-dev
web    libutfcpp-dev
web    python3-fonttools        fonts with the letters that are drawn
web    fonts-inter              the fonts
web    fonts-jetbrains-mono
web    fonts-wqy-microhei
web    fonts-dejavu-core
clang  clang-19                 another compiler
sanitizers  clang-19            compiles with the sanitizers
sanitizers  libclang-rt-19-dev  the sanitizers and libFuzzer
sanitizers  llvm-19             names of functions in reports
load   stress-ng                other load beside the tests
page   chromium                 what the page is tried in
page   chromium-driver          drives it
page   xvfb                     the native window beside it
page   xdotool                  presses its keys
page   nodejs                   runs the page's program without a page
"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "apt not found: install the packages listed in scripts/install-deps.sh with this system's package manager"
  exit 0
fi

known=" $(awk 'NF && !seen[$1]++ { printf "%s ", $1 }' <<<"$packages")"
for purpose in "$@"; do
  [[ "$known" == *" $purpose "* ]] || die "unknown purpose '$purpose'; allowed:$known"
done
purposes=" ${*:-build run test} "
missing=()
while read -r purpose package _; do
  [[ "$purposes" == *" $purpose "* ]] || continue
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [ "$status" = installed ] || missing+=("$package")
done <<<"$packages"
[ "${#missing[@]}" -gt 0 ] || exit 0

[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
  die "these packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
say "installing ${missing[*]}"
as_root apt-get update -q </dev/null >&2
# Offline, systemctl starts nothing: what tests need of munge and Slurm they start themselves.
as_root env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 apt-get install -y -q --no-install-recommends "${missing[@]}" \
  </dev/null >&2
