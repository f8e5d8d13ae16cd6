#!/usr/bin/env bash
# Installs the packages into bare systems and runs them there, headless. As root, because that is what chroot needs.
#
#   scripts/check-packages.sh [deb] [tar]     default: both, which are built first
#
# deb: in this release of Debian, without anything but what apt installs with the package.
# tar: in Debian 11, first without any library of its own, then with a software OpenGL driver.
# The bare systems and what was downloaded for them are kept in ~/.cache/lanescope/chroots.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$root/scripts/suite.sh"

kinds=("$@")
[ "$#" -gt 0 ] || kinds=(deb tar)
[ "$(id -u)" -eq 0 ] || die "chroot needs root"
# A name space of its own, so that nothing stays mounted whatever happens.
if [ -z "${LANESCOPE_PRIVATE_MOUNTS:-}" ]; then
  exec env LANESCOPE_PRIVATE_MOUNTS=1 unshare --mount "$0" "${kinds[@]}"
fi

"$root/scripts/package.sh" "${kinds[@]}"
"$root/scripts/install-deps.sh" chroot
chroots="$cache/chroots"
mkdir -p "$chroots"
system=""
trap '[ -z "$system" ] || { umount -R "$system" 2>/dev/null || true; rm -rf "$system"; }' EXIT

# bare_system <suite>: a fresh one in $system.
bare_system() {
  local suite="$1" image="$chroots/$1.tar"
  if [ ! -e "$image" ]; then
    say "unpacking a bare $suite"
    bare_debian "$suite" "$image.part" --format=tar
    mv "$image.part" "$image"
  fi
  [ -z "$system" ] || { umount -R "$system" && rm -rf "$system"; }
  system="$chroots/system"
  rm -rf "$system"
  mkdir -p "$system" "$chroots/archives-$suite/partial"
  mount -t tmpfs tmpfs "$system"
  tar -C "$system" -xf "$image"
  mount -t proc proc "$system/proc"
  mount --bind /dev "$system/dev"
  mount --bind "$chroots/archives-$suite" "$system/var/cache/apt/archives"
  # What apt downloads is kept for the next time.
  printf 'Binary::apt::APT::Keep-Downloaded-Packages "1";\nAPT::Sandbox::User "root";\n' >"$system/etc/apt/apt.conf.d/00keep"
  cp /etc/resolv.conf "$system/etc/resolv.conf"
}

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$system" "$@"; }
install_inside() {
  inside apt-get update -q </dev/null >&2
  inside apt-get install -y -q --no-install-recommends "$@" </dev/null >&2
}

# says <words> -- <command>: it must succeed and say that.
says() {
  local wanted="$1" said
  shift 2
  said="$(inside "$@" </dev/null 2>&1)" || die "failed inside: $* : $said"
  [[ "$said" == *"$wanted"* ]] || die "'$wanted' is missing in what '$*' says: $said"
}

# A picture is a picture if it has colours: a blank one is small.
has_picture() {
  local size
  size="$(stat -c %s "$system/$1" 2>/dev/null || echo 0)"
  [ "$size" -gt "$2" ] || die "$1 has only $size bytes"
}

# run_headless <program>: what works without OpenGL.
run_headless() {
  says "lanescope $version" -- "$1" --version
  says "162." -- "$1" run --workload linear-mse --iterations 200
  says "" -- "$1" run --workload linear-mse --iterations 200 --screenshot /tmp/run.svg
  has_picture tmp/run.svg 5000
}

draw_picture() {
  says "" -- "$1" run --workload linear-mse --iterations 200 --screenshot /tmp/run.png
  has_picture tmp/run.png 20000
}

version="$(sed -nE 's/^project\(lanescope VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")"

check_deb() {
  local suite
  suite="$(. /etc/os-release && printf %s "$VERSION_CODENAME")"
  bare_system "$suite"
  say "installing the .deb into a bare $suite"
  cp "$root"/build/packages/*.deb "$system/tmp/lanescope.deb"
  install_inside /tmp/lanescope.deb
  run_headless lanescope
  draw_picture lanescope
  for file in applications/lanescope.desktop mime/packages/lanescope.xml icons/hicolor/scalable/apps/lanescope.svg \
    man/man1/lanescope.1.gz bash-completion/completions/lanescope zsh/vendor-completions/_lanescope \
    fish/vendor_completions.d/lanescope.fish; do
    # Bare systems leave out manual pages, but the package has them.
    inside dpkg -L lanescope | grep -qx "/usr/share/$file" || die "the package has no /usr/share/$file"
  done
  inside bash -n /usr/share/bash-completion/completions/lanescope
  say "the .deb works in a bare $suite: $(du -h "$system/tmp/lanescope.deb" | cut -f 1)"
}

check_tar() {
  bare_system bullseye
  say "unpacking the tar.gz into a bare bullseye"
  tar -C "$system/opt" -xf "$root"/build/packages/*.tar.gz
  local program
  program="$(cd "$system" && ls -d opt/lanescope-*/bin/lanescope)"
  run_headless "/$program"
  install_inside libegl1 libgl1 libgl1-mesa-dri
  draw_picture "/$program"
  say "the tar.gz works in a bare bullseye: $(du -h "$root"/build/packages/*.tar.gz | cut -f 1)"
}

for kind in "${kinds[@]}"; do "check_$kind"; done
