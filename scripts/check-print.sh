#!/usr/bin/env bash
# Prints the worksheets of all lessons with headless Chromium, on A4 and on Letter: at most two pages each, none empty.
# Installs Chromium and poppler-utils if they are missing.
#
#   scripts/check-print.sh [program]     default: build/release/lanescope
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

program="${1:-$root/build/release/lanescope}"
[ -x "$program" ] || die "$program: no such program; allowed: a built lanescope"
most_pages=2

"$root/scripts/install-deps.sh" print

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# check <page.html> <paper>: prints, and checks what came out.
check() {
  local page="$1" paper="$2" name pdf pages number
  name="$(basename "$page" .html)"
  pdf="$folder/$name-$paper.pdf"
  # The sheet leaves the paper to the printer, so it is chosen here.
  sed "s#</head>#<style>@page { size: $paper; }</style></head>#" "$page" >"$folder/printed.html"
  chromium --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --no-pdf-header-footer \
    --print-to-pdf="$pdf" "$folder/printed.html" >"$folder/log" 2>&1 </dev/null || true
  [ -s "$pdf" ] || die "$name on $paper: Chromium has printed nothing: $(tail -n 1 "$folder/log")"
  pages="$(pdfinfo "$pdf" 2>/dev/null | sed -n 's/^Pages: *//p')"
  [ "$pages" -le "$most_pages" ] || die "worksheet $name has $pages pages on $paper; allowed: at most $most_pages"
  for ((number = 1; number <= pages; ++number)); do
    pdftotext -f "$number" -l "$number" "$pdf" - 2>/dev/null | grep -q '[[:alnum:]]' ||
      die "worksheet $name on $paper: page $number is empty"
  done
  say "worksheet $name on $paper, pages: $pages"
}

for file in "$root"/assets/lessons/*.toml; do
  lesson="$(basename "$file" .toml)"
  "$program" lesson "$lesson" --worksheet "$folder/$lesson.html"
  for paper in A4 letter; do check "$folder/$lesson.html" "$paper"; done
done
