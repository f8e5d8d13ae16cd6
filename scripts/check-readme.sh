#!/usr/bin/env bash
# Runs the scripts that README.md names on machines that have never seen the project: bare systems of Debian 12, with fresh
# clones of what is committed. First each script alone, as the first command of all and without a CUDA toolkit; then all of
# them on one machine, the last one first, with the toolkit of this one. As root, because that is what chroot needs.
#
#   scripts/check-readme.sh [COMMAND]     default: all; for example: scripts/check-readme.sh "scripts/package.sh deb"
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

mapfile -t commands < <(grep -oE 'scripts/[a-z-]+\.sh[a-z0-9 -]*' "$root/README.md" | sed 's/ *$//' | awk '!seen[$0]++')
[ "$#" -eq 0 ] || commands=("$*")
in_private_mounts "$0" "$@"
clone="$root/build/readme-clone"
trap remove_system EXIT

new_machine() {
  bare_system bookworm
  rm -rf "$clone"
  git clone -q "$root" "$clone"
  share_project "$system" "$clone"
}
# enter <command>: in the clone, and then each kind of command of the program, where there is one.
enter() {
  say "$1"
  inside bash -c "cd /lanescope && $1" </dev/null >&2 || die "on a machine that has never seen the project: $1"
  [ ! -x "$clone/build/release/lanescope" ] || inside /lanescope/scripts/check-commands.sh || die "after $1"
}

for command in "${commands[@]}"; do
  new_machine
  enter "$command"
done
[ "${#commands[@]}" -gt 1 ] || exit 0
new_machine
share_toolkit "$system"
for ((i = ${#commands[@]} - 1; i >= 0; --i)); do enter "${commands[i]}"; done
