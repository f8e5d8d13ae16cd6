#!/usr/bin/env bash
# Runs a command of this project in another release of Debian, which is unpacked under ~/.cache/lanescope the first time.
# As root, because that is what chroot needs. The project lies there in /lanescope, whatever clone it is: so what was compiled
# for one need not be compiled again for another.
#
#   scripts/in-debian.sh SUITE COMMAND...        for example: scripts/in-debian.sh trixie scripts/test.sh release
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

[ "$#" -ge 2 ] || die "usage: in-debian.sh SUITE COMMAND..."
[ "$(id -u)" -eq 0 ] || die "another Debian needs root: sudo scripts/in-debian.sh $*"
# A name space of its own, so that nothing stays mounted whatever happens.
if [ -z "${LANESCOPE_PRIVATE_MOUNTS:-}" ]; then
  exec env LANESCOPE_PRIVATE_MOUNTS=1 unshare --mount "$0" "$@"
fi
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
mkdir -p "$system/lanescope"
mount --bind "$root" "$system/lanescope"
mount -t proc proc "$system/proc"
mount --rbind /dev "$system/dev"
mount -t tmpfs tmpfs "$system/tmp"
# What was compiled there once, by any clone.
compiled="${cache%/*}/ccache"
mkdir -p "$compiled" "$system/root/.cache/ccache"
mount --bind "$compiled" "$system/root/.cache/ccache"
# A CUDA toolkit that is not this system's packages.
for toolkit in /usr/local/cuda*; do
  [ -d "$toolkit" ] && [ ! -L "$toolkit" ] || continue
  mkdir -p "$system$toolkit"
  mount --bind "$toolkit" "$system$toolkit"
  ln -sfn "$toolkit" "$system/usr/local/cuda"
done
cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
passed=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 LANESCOPE_PRIVATE_MOUNTS=)
for name in CI CCACHE_DISABLE; do
  [ -z "${!name:-}" ] || passed+=("$name=${!name}")
done
exec chroot "$system" env -i "${passed[@]}" sh -c 'cd /lanescope && exec "$@"' sh "$@"
