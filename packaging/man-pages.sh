#!/bin/sh
# man-pages.sh LANESCOPE VERSION FOLDER: writes a page for man of the program and of each of its commands.
set -eu
program="$1" version="$2" folder="$3"
export LC_ALL=C.UTF-8 LANESCOPE_CUDA=off
rm -rf "$folder"
mkdir -p "$folder"
page() { # page NAME COMMAND WHAT-IT-DOES
  help2man --no-info --name="$3" --version-string="lanescope $version" --output="$folder/$1.1" "$2"
  sed -i "s/^lanescope \\\\- /$1 \\\\- /" "$folder/$1.1"
  gzip -9n "$folder/$1.1"
}
page lanescope "$program" "oscilloscope for CPU-GPU programs"
"$program" --help >"$folder/help"
sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' "$folder/help" | while read -r command what; do
  page "lanescope-$command" "$program $command" "$what"
done
rm "$folder/help"
