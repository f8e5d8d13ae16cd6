# shellcheck shell=bash
# Sourced by the scripts that need packages of another release of Debian than this system's.

# debian_mirror: where this system's own packages come from.
debian_mirror() {
  local suite file
  suite="$(. /etc/os-release && printf %s "${VERSION_CODENAME:-}")"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    awk -v suite="$suite" '/^URIs:/ {uri = $2} /^Suites:/ {for (i = 2; i <= NF; ++i) if ($i == suite) {print uri; exit}}' "$file"
  done | head -n 1 | grep . && return
  # There need not be a file of each kind.
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
    sed -nE "s/^deb +(\[[^]]*\] +)?([^ ]+) +$suite .*/\2/p" |
    head -n 1 | grep . || die "this system has no entry for its own release in apt's lists; the portable build needs Debian"
}

# bare_debian <suite> <file or folder> <options of mmdebstrap...>: what every installation of that release has, with dpkg told
# that nothing in it is worth waiting for the disk.
bare_debian() {
  local suite="$1" target="$2"
  shift 2
  mmdebstrap --variant=minbase --dpkgopt=force-unsafe-io "$@" "$suite" "$target" "$(debian_mirror)" </dev/null >&2
}

# in_private_mounts <script> <its arguments...>: starts the script once more in a name space of its own, so that nothing stays
# mounted whatever happens. Inside it, this does nothing.
in_private_mounts() {
  [ "$(id -u)" -eq 0 ] || die "another Debian needs root: sudo $*"
  [ -n "${LANESCOPE_PRIVATE_MOUNTS:-}" ] || exec env LANESCOPE_PRIVATE_MOUNTS=1 unshare --mount "$@"
}

# bare_system <suite>: unpacks a fresh one into the folder $system, in place of the one that was there. What apt downloads is
# kept for the next one.
system=""
bare_system() {
  local suite="$1" chroots="$cache/chroots"
  local image="$chroots/$suite.tar" archives="$chroots/archives-$suite"
  remove_system
  mkdir -p "$chroots" "$archives/partial"
  if [ ! -e "$image" ]; then
    "$root/scripts/install-deps.sh" chroot
    say "unpacking a bare $suite"
    bare_debian "$suite" "$image.part" --format=tar
    mv "$image.part" "$image"
  fi
  system="$(mktemp -d -p "$chroots" "$suite.XXXXXX")"
  mount --bind "$system" "$system" # chroot's root is to be a mount, for scripts that want mounts of their own in there
  tar -C "$system" -xf "$image"
  mount -t proc proc "$system/proc"
  mount --rbind /dev "$system/dev"
  mount --bind "$archives" "$system/var/cache/apt/archives"
  printf 'Binary::apt::APT::Keep-Downloaded-Packages "1";\nAPT::Sandbox::User "root";\n' >"$system/etc/apt/apt.conf.d/00keep"
  cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
}
remove_system() {
  # A process that is just ending keeps its /dev for a moment.
  [ -z "$system" ] || { { umount -R "$system" 2>/dev/null || umount -Rl "$system"; } && rm -rf --one-file-system "${system:?}"; }
  system=""
}

# clean_env: the words before a command that is to know nothing of this session.
clean_env=(env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
  DEBIAN_FRONTEND=noninteractive)
for name in CI CCACHE_DISABLE; do
  [ -z "${!name:-}" ] || clean_env+=("$name=${!name}")
done
inside() { "${clean_env[@]}" chroot "$system" "$@"; }
install_inside() {
  inside apt-get update -q </dev/null >&2
  inside apt-get install -y -q --no-install-recommends "$@" </dev/null >&2
}

# share_project <system> <project>: the project lies there in /lanescope, whatever clone it is, so that what was compiled for
# one is found again for another.
share_project() {
  local system="$1" project="$2" compiled="${cache%/*}/ccache"
  mkdir -p "$system/lanescope" "$compiled" "$system/root/.cache/ccache"
  mount --bind "$project" "$system/lanescope"
  mount --bind "$compiled" "$system/root/.cache/ccache"
}

# share_toolkit <system>: a CUDA toolkit that is not this system's packages.
share_toolkit() {
  local system="$1" toolkit
  for toolkit in /usr/local/cuda*; do
    [ -d "$toolkit" ] && [ ! -L "$toolkit" ] || continue
    mkdir -p "$system$toolkit"
    mount --bind "$toolkit" "$system$toolkit"
    ln -sfn "$toolkit" "$system/usr/local/cuda"
  done
}

# suite_apt <folder> <suite> <deb|deb-src>: sets the array `apt_from`, options with which apt-get knows that release and
# nothing else, not even what is installed here. The folder keeps its lists.
suite_apt() {
  local folder="$1" suite="$2" kind="$3" mirror
  mirror="$(debian_mirror)"
  mkdir -p "$folder/state/partial" "$folder/cache/archives/partial" "$folder/parts"
  printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$kind" "$mirror" "$suite" >"$folder/sources.list"
  : >"$folder/status"
  apt_from=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o "Dir::Etc::sourceparts=$folder/parts"
    -o "Dir::State::lists=$folder/state" -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache"
    -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0)
  apt-get "${apt_from[@]}" update -q </dev/null >&2
}
