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
  sed -nE "s/^deb +(\[[^]]*\] +)?([^ ]+) +$suite .*/\2/p" /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    head -n 1 | grep . || die "this system has no entry for its own release in apt's lists; the portable build needs Debian"
}

# bare_debian <suite> <file or folder> <options of mmdebstrap...>: what every installation of that release has, with dpkg told
# that nothing in it is worth waiting for the disk.
bare_debian() {
  local suite="$1" target="$2"
  shift 2
  mmdebstrap --variant=minbase --dpkgopt=force-unsafe-io "$@" "$suite" "$target" "$(debian_mirror)" </dev/null >&2
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
