#!/usr/bin/env bash
# Installs the packages into bare systems and runs them there, headless. As root, because that is what chroot needs.
#
#   scripts/check-packages.sh [deb] [tar]     default: both, which are built first
#
# deb: in this release of Debian, without anything but what apt installs with the package.
# tar: in Debian 11, first without any library of its own, then with a software OpenGL driver.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

kinds=("$@")
[ "$#" -gt 0 ] || kinds=(deb tar)
in_private_mounts "$0" "${kinds[@]}"

"$root/scripts/package.sh" "${kinds[@]}"
trap remove_system EXIT

# says <words> -- <command>: it must succeed and say that.
says() {
  local wanted="$1" said
  shift 2
  said="$(inside "$@" </dev/null 2>&1)" || die "failed inside: $* : $said"
  [[ "$said" == *"$wanted"* ]] || die "'$wanted' is missing in what '$*' says: $said"
}

# A picture is a picture if it has colours: a blank one is small.
has_picture() {
  local size
  size="$(stat -c %s "$system/$1" 2>/dev/null || echo 0)"
  [ "$size" -gt "$2" ] || die "$1 has only $size bytes"
}

# run_headless <program>: what works without OpenGL.
run_headless() {
  says "lanescope $version" -- "$1" --version
  says "162." -- "$1" run --workload linear-mse --iterations 200
  says "" -- "$1" run --workload linear-mse --iterations 200 --screenshot /tmp/run.svg
  has_picture tmp/run.svg 5000
}

draw_picture() {
  says "" -- "$1" run --workload linear-mse --iterations 200 --screenshot /tmp/run.png
  has_picture tmp/run.png 20000
}

version="$(sed -nE 's/^project\(lanescope VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")"

check_deb() {
  local suite
  suite="$(. /etc/os-release && printf %s "$VERSION_CODENAME")"
  bare_system "$suite"
  say "installing the .deb into a bare $suite"
  cp "$root"/build/packages/*.deb "$system/tmp/lanescope.deb"
  install_inside /tmp/lanescope.deb
  run_headless lanescope
  draw_picture lanescope
  for file in applications/lanescope.desktop mime/packages/lanescope.xml icons/hicolor/scalable/apps/lanescope.svg \
    man/man1/lanescope.1.gz man/man1/lanescope-run.1.gz bash-completion/completions/lanescope \
    lanescope/lanescope.py; do
    # Bare systems leave out manual pages, but the package has them.
    inside dpkg -L lanescope | grep -qx "/usr/share/$file" || die "the package has no /usr/share/$file"
  done
  inside bash -n /usr/share/bash-completion/completions/lanescope
  say "the .deb works in a bare $suite: $(du -h "$system/tmp/lanescope.deb" | cut -f 1)"
}

check_tar() {
  bare_system bullseye
  say "unpacking the tar.gz into a bare bullseye"
  tar -C "$system/opt" -xf "$root"/build/packages/*.tar.gz
  local program
  program="$(cd "$system" && ls -d opt/lanescope-*/bin/lanescope)"
  run_headless "/$program"
  install_inside libegl1 libgl1 libgl1-mesa-dri
  draw_picture "/$program"
  say "the tar.gz works in a bare bullseye: $(du -h "$root"/build/packages/*.tar.gz | cut -f 1)"
}

for kind in "${kinds[@]}"; do "check_$kind"; done
