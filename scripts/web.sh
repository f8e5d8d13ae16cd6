#!/usr/bin/env bash
# Builds the program for the browser: build/web, a folder of static files for any web server.
#
#   scripts/web.sh            builds it
#   scripts/web.sh --serve    builds it, and serves it at http://localhost:8000/
#
# Emscripten 3.1.60 or newer compiles it. Where this system's is older (Debian 12), that of Debian 13 does, in a chroot,
# which needs root.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case "${1:-}" in
  "" | --serve) ;;
  *) die "'$1' is unknown; allowed: --serve" ;;
esac

# The version that is installed, or else the one that apt would install.
emscripten() {
  { emcc --version | sed -nE '1s/.*\) ([0-9.]+).*/\1/p' | grep .; } 2>/dev/null ||
    { apt-cache policy emscripten | sed -nE 's/^ *Candidate: ([0-9.]+).*/\1/p' | grep .; } 2>/dev/null
}
new_enough() {
  local offered
  # A system that was just unpacked has no lists yet: apt knows nothing of what it could install.
  offered="$(emscripten)" || { as_root apt-get update -q </dev/null >&2 && offered="$(emscripten)"; } || return 1
  dpkg --compare-versions "$offered" ge 3.1.60
}

build_page() {
  "$root/scripts/install-deps.sh" sources web
  local sources="$root/build/web-sources" work="$root/build/web-build" fonts="$root/build/web-fonts" page="$root/build/web"
  "$root/scripts/port-sources.sh" "$sources" >/dev/null
  say "fonts with the letters that are drawn"
  python3 "$root/scripts/web_fonts.py" "$fonts" 2>/dev/null || python3 "$root/scripts/web_fonts.py" "$fonts"
  export NODE_PATH=/usr/share/nodejs EM_CACHE="$root/build/web-cache"
  [ -d "$EM_CACHE" ] || cp -r /usr/share/emscripten/cache "$EM_CACHE"
  # Where it was configured, which is not this place if another system is entered: see in-debian.sh.
  [ "$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$work/CMakeCache.txt" 2>/dev/null)" = "$root" ] || rm -rf "$work"
  say "configuring build/web-build"
  (cd "$root" && emcmake cmake -G Ninja -B "$work" -S . -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS=-fwasm-exceptions" "-DCMAKE_C_FLAGS=-fwasm-exceptions -sSUPPORT_LONGJMP=wasm" \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG" \
    "-DLANESCOPE_PORTS=$sources" "-DLANESCOPE_WEB_FONTS=$fonts" -DLANESCOPE_TESTS=OFF -DLANESCOPE_BENCH=OFF \
    -DLANESCOPE_CUDA=OFF) >&2
  say "building build/web-build"
  cmake --build "$work" --target lanescope --parallel "$(nproc)" >&2
  mkdir -p "$page"
  cp "$root"/assets/web/* "$work"/lanescope.{js,wasm,data} "$page/"
  # What servers that compress nothing by themselves can send, and what is measured.
  for file in "$page"/*.{js,wasm,data,html}; do gzip -9kf "$file"; done
}

if new_enough; then
  build_page
else
  as_root "$root/scripts/in-debian.sh" trixie scripts/web.sh
fi
say "build/web: $(cat "$root"/build/web/*.gz | wc -c) bytes, compressed"
if [ "${1:-}" = --serve ]; then
  say "http://localhost:8000/ (Ctrl+C ends it)"
  cd "$root/build/web" && exec python3 -m http.server --bind 127.0.0.1 8000
fi
