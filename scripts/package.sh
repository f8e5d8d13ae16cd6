#!/usr/bin/env bash
# Builds the packages and prints their names.
#
#   scripts/package.sh [deb] [tar]     default: both
#
# deb: for this release of Debian or Ubuntu, from build/release.
# tar: for any x86-64 Linux with glibc 2.31 or newer and an OpenGL driver, fonts inside; on Debian 12, from the same objects.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kinds=("$@")
[ "$#" -gt 0 ] || kinds=(deb tar)
for kind in "${kinds[@]}"; do
  case "$kind" in
    deb | tar) ;;
    *) die "unknown package '$kind'; allowed: deb, tar" ;;
  esac
done

commit="$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null || true)"
if [ -n "$commit" ]; then
  [ -z "$(git -C "$root" status --porcelain 2>/dev/null)" ] || commit="$commit, changed"
  # The same commit gives the same package.
  SOURCE_DATE_EPOCH="$(git -C "$root" log -1 --format=%ct)"
  export SOURCE_DATE_EPOCH
fi
version="$(sed -nE 's/^project\(lanescope VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")"
packages="$root/build/packages"
mkdir -p "$packages"

make_deb() {
  "$root/scripts/install-deps.sh" build package
  build_program lanescope_written
  rm -f "$packages"/*.deb
  (cd "$packages" && cpack -G DEB --config "$root/build/release/CPackConfig.cmake" -B "$packages") >&2
  rm -rf "$packages/_CPack_Packages"
  printf '%s\n' "$packages"/*.deb
}

# The fonts that the program looks for, with their licences.
copy_fonts() {
  local to="$1" package file
  mkdir -p "$to"
  for package in fonts-inter fonts-jetbrains-mono fonts-wqy-microhei; do
    dpkg-query -L "$package" |
      grep -E '/(Inter-(Regular|SemiBold|Bold)\.otf|JetBrainsMono-Regular\.ttf|wqy-microhei\.ttc)$' |
      while read -r file; do [ -L "$file" ] || cp "$file" "$to/"; done
    cp "/usr/share/doc/$package/copyright" "$to/$package.copyright"
  done
}

# The licences of what is linked into the program.
copy_licences() {
  local to="$1" package
  mkdir -p "$to"
  for package in libimgui-dev libstb-dev libglfw3-dev libepoxy-dev libfreetype-dev libbrotli-dev libpng-dev \
    zlib1g-dev libzstd-dev libsqlite3-dev libfmt-dev libspdlog-dev libtomlplusplus-dev libcli11-dev \
    nlohmann-json3-dev libeigen3-dev libutfcpp-dev gcc-12-base; do
    cp -L "/usr/share/doc/$package/copyright" "$to/$package.copyright"
  done
}

make_tar() {
  "$root/scripts/install-deps.sh" build run sources package
  "$root/scripts/portable-sysroot.sh" >&2
  build_program lanescope_written
  say "linking build/portable"
  cmake -G Ninja -S "$root/packaging/portable" -B "$root/build/portable" -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/packaging/portable/toolchain.cmake" -DLANESCOPE_RELEASE="$root/build/release" \
    -DLANESCOPE_PORTS="$root/build/portable-sources" >&2
  cmake --build "$root/build/portable" --parallel "$(nproc)" >&2
  local name="lanescope-$version-linux-x86_64" newer
  local folder="$packages/$name"
  rm -rf "$folder" "$packages"/*.tar.gz
  cmake --install "$root/build/release" --prefix "$folder" --strip >&2
  install -s -m 755 "$root/build/portable/lanescope" "$folder/bin/lanescope"
  if [ -e "$root/build/portable/liblanescope_cuda.so" ]; then
    install -s -m 644 "$root/build/portable/liblanescope_cuda.so" "$folder/lib/lanescope/liblanescope_cuda.so"
  fi
  copy_licences "$folder/share/doc/lanescope/libraries"
  copy_fonts "$folder/share/lanescope/fonts"
  newer="$(newest_glibc "$folder/bin/lanescope" "$folder"/lib/lanescope/*.so)"
  [ "$(printf '%s\n2.31\n' "$newer" | sort -V | tail -n 1)" = 2.31 ] || die "the program needs glibc $newer"
  say "the newest glibc that is needed: $newer"
  tar -C "$packages" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" -cf - "$name" |
    gzip -9n >"$packages/$name.tar.gz"
  rm -rf "$folder"
  printf '%s\n' "$packages/$name.tar.gz"
}

# newest_glibc <files>: the newest version whose symbols one of them needs.
newest_glibc() {
  local file
  for file in "$@"; do
    [ ! -e "$file" ] || objdump -T "$file"
  done | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -Vu | tail -n 1
}

for kind in "${kinds[@]}"; do "make_$kind"; done
