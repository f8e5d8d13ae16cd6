#!/usr/bin/env bash
# Runs a command of this project in another release of Debian, which is unpacked under ~/.cache/lanescope the first time.
# As root, because that is what chroot needs.
#
#   scripts/in-debian.sh SUITE COMMAND...        for example: scripts/in-debian.sh trixie scripts/test.sh release
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

[ "$#" -ge 2 ] || die "usage: in-debian.sh SUITE COMMAND..."
in_private_mounts "$0" "$@"
suite="$1"
shift
system="$cache/debian-$suite"
if [ ! -e "$system/.complete" ]; then
  "$root/scripts/install-deps.sh" chroot
  say "unpacking Debian's $suite"
  rm -rf "$system"
  mkdir -p "${system%/*}"
  bare_debian "$suite" "$system" --format=directory --include=ca-certificates
  printf 'APT::Sandbox::User "root";\n' >"$system/etc/apt/apt.conf.d/00root"
  touch "$system/.complete"
fi
mount --bind "$system" "$system"
share_project "$system" "$root"
share_toolkit "$system"
mount -t proc proc "$system/proc"
mount --rbind /dev "$system/dev"
mount -t tmpfs tmpfs "$system/tmp"
cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
exec "${clean_env[@]}" chroot "$system" sh -c 'cd /lanescope && exec "$@"' sh "$@"
