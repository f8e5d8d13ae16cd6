# shellcheck shell=bash
# Sourced by the other scripts: paths, messages, and the build.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# What takes long to download and is the same for every clone.
cache="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/lanescope"

# Progress goes to standard error, so that standard output has only the result.
bold='' plain=''
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '%s== %s%s\n' "$bold" "$*" "$plain" >&2; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# as_root <command...>: with sudo, unless this is root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# build <preset> <targets, or "all"> [cmake options...]: configures and builds in build/<preset>.
build() {
  local preset="$1" target="$2" system
  shift 2
  # Objects of another release of the system do not fit; see in-debian.sh.
  system="$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release)"
  if [ "$(cat "$root/build/$preset/.system" 2>/dev/null || printf %s "$system")" != "$system" ]; then
    say "build/$preset was built on another system: building it anew"
    rm -rf "${root:?}/build/$preset"
  fi
  mkdir -p "$root/build/$preset"
  printf '%s\n' "$system" >"$root/build/$preset/.system"
  # Every script compiles with the same options, so that none compiles again what another one has. Whether warnings are
  # errors is therefore said once, by who configures the folder first: a new warning of another compiler must not stop
  # somebody who only wants the program. LANESCOPE_WERROR=ON in the environment turns them on, as .ci/run does.
  if [[ "$preset" == release || "$preset" == debug ]]; then
    [ -f "$root/build/$preset/CMakeCache.txt" ] || set -- -DLANESCOPE_WERROR=OFF "$@"
    [ -z "${LANESCOPE_WERROR:-}" ] || set -- "$@" "-DLANESCOPE_WERROR=$LANESCOPE_WERROR"
  fi
  say "configuring build/$preset"
  # Only a package names its commit: what somebody changes and builds again would keep the old one's name.
  (cd "$root" && cmake --preset "$preset" "-DLANESCOPE_COMMIT=${commit:-}" "$@" -Wno-dev) >&2
  say "building build/$preset ($target)"
  (cd "$root" && cmake --build --preset "$preset" --target "$target" --parallel "$(nproc)") >&2
}

# build_program [target]: the program in build/release; default: only that. Where tests have been configured before, they
# stay configured; the program is the same with them and without.
build_program() {
  local options=()
  [ -f "$root/build/release/CMakeCache.txt" ] || options=(-DLANESCOPE_TESTS=OFF -DLANESCOPE_BENCH=OFF)
  build release "${1:-lanescope}" "${options[@]}"
}

# What asan and tsan are configured with, by whichever script comes first. LANESCOPE_UI=ON in the environment adds the window,
# which more than doubles what is compiled.
sanitizer_options=(-DLANESCOPE_TESTS=ON -DLANESCOPE_BENCH=OFF "-DLANESCOPE_UI=${LANESCOPE_UI:-OFF}")

# What is tested here, for a row that may be read much later: a "+" says that there is more than the commit.
commit_here() { git -C "$root" describe --always --exclude '*' --dirty=+ 2>/dev/null || printf 'no commit\n'; }
# stamp <file> <commit>: adds today's date and the commit to each row of a JSON array that has none yet.
stamp() {
  python3 - "$1" "$2" <<'END'
import datetime, json, pathlib, sys
file = pathlib.Path(sys.argv[1])
run = {"date": datetime.date.today().isoformat(), "commit": sys.argv[2]}
rows = [row if "date" in row else row | run for row in json.loads(file.read_text())]
file.write_text(json.dumps(rows, indent=2) + "\n")
END
}
