#!/usr/bin/env bash
# Ends the Slurm that tests/slurm/up.sh has started below FOLDER: by the numbers that its daemons have written down.
set -uo pipefail
folder=$(realpath -m "$1")
export SLURM_CONF="$folder/slurm.conf"
number=$(cat "$folder/number") || exit 1
timeout 5 squeue -h -o %i 2>/dev/null | xargs -r -n1 timeout 5 scancel --signal=KILL 2>/dev/null
ended=()
for file in "$folder"/slurmctld.pid "$folder"/munge/pid "$folder"/slurmd.*.pid; do
  # What a node of its own has written down is its own number, not this machine's.
  case "$file" in */slurmd.*) compgen -G "$folder/unshare.*.pid" >/dev/null && continue ;; esac
  [ -s "$file" ] && process=$(cat "$file") && kill "$process" 2>/dev/null && ended+=("$process")
done
for file in "$folder"/unshare.*.pid; do  # a node ends with it
  [ -s "$file" ] && process=$(cat "$file") && kill -KILL "$process" 2>/dev/null && ended+=("$process")
done
for process in "${ended[@]}"; do
  for _ in $(seq 100); do
    kill -0 "$process" 2>/dev/null || continue 2
    sleep 0.1
  done
  kill -KILL "$process" 2>/dev/null
done
for space in /run/netns/lsn"$number"-*; do
  [ -e "$space" ] && ip netns del "${space##*/}"
done
ip link del "lsbr$number" 2>/dev/null
rmdir "/run/lanescope-slurm.$number"
