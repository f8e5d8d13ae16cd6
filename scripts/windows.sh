#!/usr/bin/env bash
# Builds Lanescope for Windows, with MinGW-w64, and packs it: one program, its fonts, and their licences. Installs what it
# needs if that is missing.
#
#   scripts/windows.sh     makes build/windows/lanescope-VERSION-windows.zip and prints its path
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/install-deps.sh" build windows
sources="$("$root/scripts/port-sources.sh")"
build windows lanescope "-DLANESCOPE_PORTS=$sources"

folder="$root/build/windows"
version="$(sed -n 's/^project(lanescope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")"
name="lanescope-$version-windows"
rm -rf "${folder:?}/$name" "$folder/$name.zip"
mkdir -p "$folder/$name/fonts"
x86_64-w64-mingw32-strip -o "$folder/$name/lanescope.exe" "$folder/lanescope.exe"
cp "$root/LICENSE" "$folder/$name/LICENSE.txt"
for font in fonts-inter:Inter-{Regular,SemiBold,Bold}.otf fonts-jetbrains-mono:JetBrainsMono-Regular.ttf \
  fonts-wqy-microhei:wqy-microhei.ttc; do
  package="${font%%:*}"
  file="$(dpkg -L "$package" | grep -F "/${font#*:}" | head -n 1)"
  [ -f "$file" ] || die "the package $package has no ${font#*:}"
  cp -L "$file" "$folder/$name/fonts/"
  cp "/usr/share/doc/$package/copyright" "$folder/$name/fonts/$package.txt"
done
# What is linked into the program.
mkdir "$folder/$name/licences"
for library in imgui freetype libpng1.6 zlib nettle libzstd sqlite3 fmtlib glfw3 libepoxy; do
  for text in debian/copyright COPYING; do
    [ -f "$sources/$library/$text" ] || continue
    cp "$sources/$library/$text" "$folder/$name/licences/$library.txt"
    break
  done
  [ -f "$folder/$name/licences/$library.txt" ] || die "$library has no licence"
done
for package in nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libspdlog-dev libutfcpp-dev libeigen3-dev; do
  cp "/usr/share/doc/$package/copyright" "$folder/$name/licences/$package.txt"
done
(cd "$folder" && python3 -c 'import shutil, sys; shutil.make_archive(sys.argv[1], "zip", ".", sys.argv[1])' "$name")
printf '%s\n' "$folder/$name.zip"
