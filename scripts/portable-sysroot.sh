#!/usr/bin/env bash
# Unpacks what the portable Linux build is compiled against: the C library of Debian 11 (glibc 2.31), whose programs run
# on every later one, with headers of X11 and EGL; and the source of GLFW 3.4, which opens the libraries of X11 only
# when a window is wanted, beside the other libraries' sources.
#
#   scripts/portable-sysroot.sh        makes build/portable-sysroot and build/portable-sources
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

sysroot="$root/build/portable-sysroot"
sources="$root/build/portable-sources"
packages=(libc6 libc6-dev linux-libc-dev libgcc-10-dev libegl-dev libgl-dev libx11-6 libx11-dev libxext6 libxext-dev
  libxrandr2 libxrandr-dev libxrender1 libxrender-dev libxinerama1 libxinerama-dev libxcursor1 libxcursor-dev libxi6
  libxi-dev libxfixes3 libxfixes-dev libxcb1 libxcb1-dev x11proto-dev)

"$root/scripts/install-deps.sh" sources
if [ "$(cat "$sysroot/.complete" 2>/dev/null)" != "${packages[*]}" ]; then
  say "unpacking an older C library"
  rm -rf "$sysroot"
  mkdir -p "$sysroot/.packages"
  suite_apt "$sysroot/.lists" bullseye deb
  (cd "$sysroot/.packages" && apt-get "${apt_from[@]}" download -q "${packages[@]}" </dev/null >&2)
  for package in "$sysroot"/.packages/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
  # Its unwinder needs nothing that this C library does not have; only the archive is wanted of that compiler.
  mkdir "$sysroot/unwinder"
  cp "$sysroot"/usr/lib/gcc/*/10/libgcc_eh.a "$sysroot/unwinder/"
  rm -rf "$sysroot"/usr/lib/gcc "$sysroot"/usr/share "$sysroot/.packages" "$sysroot/.lists"
  # Links to /lib of the root would lead out of this folder.
  find "$sysroot" -type l -lname '/*' | while read -r link; do ln -sfr "$sysroot$(readlink "$link")" "$link"; done
  printf '%s\n' "${packages[*]}" >"$sysroot/.complete"
fi

if [ ! -e "$sources/.complete" ]; then
  others="$("$root/scripts/port-sources.sh")"
  rm -rf "$sources"
  mkdir -p "$sources/.glfw"
  for folder in "$others"/*/; do ln -s "${folder%/}" "$sources/"; done
  say "getting the source of GLFW 3.4"
  suite_apt "$sources/.lists" trixie deb-src
  (cd "$sources/.glfw" && apt-get "${apt_from[@]}" source -q glfw3 </dev/null >&2)
  rm -f "$sources/glfw3"
  mv "$sources"/.glfw/*/ "$sources/glfw3"
  rm -rf "$sources/.glfw" "$sources/.lists"
  touch "$sources/.complete"
fi
printf '%s\n%s\n' "$sysroot" "$sources"
