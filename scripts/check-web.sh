#!/usr/bin/env bash
# Builds the program for the browser and tries it in a browser without a screen: see tests/web/check_page.py. The figures
# of all experiments are compared with those of build/release, which is built, too.
#
#   scripts/check-web.sh [options of check_page.py]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/web.sh"
"$root/scripts/install-deps.sh" build run page
[ -x "$root/build/release/lanescope" ] || build release lanescope
say "trying the page"
cd "$root/tests/web"
exec python3 check_page.py "$root/build/web" "$root/build/release/lanescope" "$@" </dev/null
