#!/usr/bin/env bash
# Makes the pictures of the README and of docs/ with the program itself, on a virtual display.
#
#   scripts/pictures.sh [NAME...]     default: all of window, turned, gallery, experiment, sweep, loader, race, copy,
#                                     trigger, average, views, marks, stretch, find, cause, code, lanes, ghost, pinned,
#                                     presentation, contrast, palette, picture, light, pytorch, recorded, devices, compare
#
# Those of a real GPU (gpu, health) are the window's own screenshots on a machine that has one: F12.
#
# Builds the program first, unless LANESCOPE names one. Needs Xvfb, xdotool and ImageMagick:
#   apt-get install xvfb xdotool imagemagick
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pictures="$root/docs/pictures"

for tool in Xvfb xdotool convert; do
  command -v "$tool" >/dev/null || die "$tool is missing; on Debian: apt-get install xvfb xdotool imagemagick"
done
if [ -z "${LANESCOPE:-}" ]; then
  "$root/scripts/install-deps.sh" build run
  build release lanescope
  LANESCOPE="$root/build/release/lanescope"
fi

scratch="$(mktemp -d)"
server='' program=''
close_window() {
  [ -z "$program" ] || kill "$program" 2>/dev/null || true
  [ -z "$program" ] || wait "$program" 2>/dev/null || true
  program=''
}
clean_up() {
  close_window
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT

# The person's own settings and pictures stay out of it, and so do the first start's hints.
export HOME="$scratch" XDG_CONFIG_HOME="$scratch/config" XDG_PICTURES_DIR="$scratch/Pictures"
mkdir -p "$XDG_CONFIG_HOME/lanescope" "$XDG_PICTURES_DIR" "$pictures"
# The same pictures on every machine: by default a real GPU would be used.
export LANESCOPE_CUDA=off

start_display() {
  [ -z "$server" ] || return 0
  # It says on file descriptor 3 which number it took.
  Xvfb -noreset -displayfd 3 -screen 0 1600x900x24 3>"$scratch/display" 2>/dev/null &
  server=$!
  for _ in $(seq 100); do
    [ ! -s "$scratch/display" ] || break
    sleep 0.1
  done
  DISPLAY=":$(cat "$scratch/display")"
  export DISPLAY
}

# open_window <program's arguments...>: 1600x900, the mouse aside.
open_window() {
  start_display
  printf 'tour_done = true\nwindow_width = 1600\nwindow_height = 900\n' >"$XDG_CONFIG_HOME/lanescope/settings.toml"
  "$LANESCOPE" "$@" &
  program=$!
  local window
  window="$(timeout 60 xdotool search --sync --onlyvisible --name '^Lanescope$' | head -n 1)"
  xdotool windowfocus "$window" mousemove 4 4
}
click() { xdotool mousemove "$1" "$2" sleep 0.3 click 1; }
aside() { xdotool mousemove 4 4 sleep 0.3; }

# put <file> <name>: 255 colours are as good as all for a window, and a third of the bytes. The text chunks stay.
put() {
  local to="$pictures/$2.png"
  convert "$1" +dither -colors 255 -define png:compression-level=9 -define png:exclude-chunks=date,time "$to"
  say "$2.png: $(stat -c %s "$to") bytes"
}
# shoot <name>: the window's own screenshot, then the window goes.
shoot() {
  xdotool key F12
  local taken=''
  for _ in $(seq 100); do
    taken="$(find "$XDG_PICTURES_DIR" -name 'lanescope-window-*.png' -print -quit)"
    [ -z "$taken" ] || break
    sleep 0.1
  done
  [ -n "$taken" ] || die "no picture of '$1' was written"
  put "$taken" "$1"
  rm "$taken"
  close_window
}

# enter <text>: into the field that has the keyboard; press <key>: long enough for a slow frame to see it.
enter() { xdotool type --delay 120 "$1"; }
press() { xdotool keydown "$1" sleep 0.3 keyup "$1" sleep 0.3; }
# drag <key held, or -> <from x> <from y> <to x> <to y>
drag() {
  [ "$1" = - ] || xdotool keydown "$1"
  xdotool mousemove "$2" "$3" sleep 0.3 mousedown 1 sleep 0.2 mousemove $((($2 + $4) / 2)) $((($3 + $5) / 2)) \
    sleep 0.2 mousemove "$4" "$5" sleep 0.3 mouseup 1
  [ "$1" = - ] || xdotool keyup "$1"
  sleep 0.5
}
# The picture at the next trigger, which stands; three iterations and a bit.
stand_still() { xdotool key 3 sleep 1; }

# Places in a window of 1600x900.
slider_at_100="148 478"
sweep_of_p20="680 160"
by_name="978 118"      # in the panel of the trigger
trigger_flag="387 62" # on the ruler
line_of_item="420 617" # in the code view
phase_lane_y=139
calls_lane_y=172
first_wait_x=493
first_bubble="540 349"
lane_names_x=330

picture_window() {
  open_window --theme dark
  sleep 7
  shoot window
}
picture_turned() {
  open_window --theme dark
  sleep 8
  # shellcheck disable=SC2086
  click $slider_at_100
  # The view shows the marker for a moment; a turn of the wheel freezes it, one notch further out.
  xdotool mousemove 570 "$calls_lane_y" sleep 0.6 click 5
  aside
  sleep 5
  shoot turned
}
picture_gallery() {
  open_window --theme dark
  sleep 6
  xdotool key e sleep 1
  shoot gallery
}
picture_experiment() {
  open_window --theme dark --experiment P25
  sleep 7
  xdotool key Tab
  sleep 5
  shoot experiment
}
picture_sweep() {
  open_window --theme dark
  sleep 5
  xdotool key c sleep 1
  # shellcheck disable=SC2086
  click $sweep_of_p20
  sleep 2
  xdotool mousemove 1134 500 sleep 1
  shoot sweep
}
picture_loader() {
  open_window --theme dark --workload dataloader --device sim:rtx4090 --set num_workers=3 --set pin_memory=true
  sleep 4
  xdotool key --repeat 2 --delay 300 equal # in real time
  sleep 6
  shoot loader
}
picture_race() {
  open_window --theme dark --experiment T4
  sleep 8
  shoot race
}
picture_copy() {
  open_window --theme dark --workload linear-mse --device sim:rtx4090 --set feed=per-iteration
  sleep 7
  xdotool key 3 sleep 1 # single: the view stands still
  click 462 "$calls_lane_y"
  # The wheel zooms in at the left edge of the lanes.
  xdotool mousemove 392 700 mousemove 392 "$calls_lane_y" sleep 0.2 click --repeat 3 --delay 120 4
  aside
  sleep 1.5
  shoot copy
}
picture_trigger() {
  open_window --theme dark
  sleep 6
  xdotool key o sleep 1
  # shellcheck disable=SC2086
  click $by_name
  click 960 160 # the filter
  enter "item()"
  press Return
  # shellcheck disable=SC2086
  drag - $trigger_flag 600 62
  aside
  sleep 2
  shoot trigger
}
picture_average() {
  open_window --theme dark
  sleep 6
  xdotool key 4 sleep 6
  shoot average
}
picture_views() {
  open_window --theme dark
  sleep 6
  stand_still
  xdotool key j sleep 0.5
  enter "iteration 300"
  sleep 1
  shoot views
}
picture_marks() {
  open_window --theme dark
  sleep 6
  stand_still
  xdotool mousemove "$first_wait_x" "$calls_lane_y" sleep 0.8 key q sleep 0.5 # its tooltip stays
  xdotool mousemove 930 "$phase_lane_y" sleep 0.5 key k sleep 0.5
  # A ruler from one wait to the next.
  xdotool mousemove 760 300 sleep 0.4 key m sleep 0.4 mousemove 1052 300 sleep 0.4 click 1 sleep 0.5
  xdotool mousemove 1130 349 sleep 0.5 key shift+k sleep 0.8
  enter "the price of a read"
  press Return
  xdotool key shift+v sleep 0.5
  aside
  sleep 6 # until the hints have gone
  shoot marks
}
picture_stretch() {
  open_window --theme light
  sleep 6
  stand_still
  drag shift 400 "$calls_lane_y" 1100 349
  click 650 453 # the tab STRETCH
  aside
  sleep 1.5
  shoot stretch
}
picture_find() {
  open_window --theme dark
  sleep 6
  stand_still
  xdotool key slash sleep 0.5
  enter "item()"
  sleep 1.5
  press Return
  aside
  sleep 1
  shoot find
}
picture_cause() {
  open_window --theme dark
  sleep 6
  stand_still
  click "$first_wait_x" "$calls_lane_y"
  aside
  sleep 1
  shoot cause
}
picture_code() {
  open_window --theme dark
  sleep 6
  xdotool key F4 sleep 2
  stand_still
  # shellcheck disable=SC2086
  click $line_of_item
  aside
  sleep 1
  shoot code
}
picture_lanes() {
  open_window --theme dark --workload dataloader --device sim:rtx4090 --set num_workers=3 --set pin_memory=true
  sleep 4
  xdotool key --repeat 2 --delay 300 equal
  sleep 5
  xdotool key u sleep 0.6 # by process
  xdotool mousemove "$lane_names_x" "$phase_lane_y" sleep 0.5 key backslash sleep 0.6
  xdotool mousemove "$lane_names_x" 300 sleep 0.5 key apostrophe sleep 0.6
  xdotool mousemove "$lane_names_x" 415 sleep 0.5 key Delete sleep 0.6
  aside
  sleep 5
  shoot lanes
}
picture_ghost() {
  open_window --theme dark
  sleep 6
  xdotool key y sleep 2
  xdotool key --repeat 4 --delay 150 bracketright
  sleep 5
  xdotool mousemove 1050 700 sleep 1
  shoot ghost
}
picture_pinned() {
  open_window --theme dark
  sleep 6
  xdotool key shift+a
  sleep 1
  xdotool key --repeat 6 --delay 150 bracketright
  sleep 3
  xdotool key shift+b
  sleep 6 # until the hints have gone
  shoot pinned
}
picture_presentation() {
  open_window --theme light
  sleep 5
  xdotool key F5
  sleep 7 # until the hint has gone
  shoot presentation
}
picture_contrast() {
  open_window --theme high-contrast
  sleep 6
  stand_still
  # shellcheck disable=SC2086
  click $first_bubble
  aside
  sleep 1
  shoot contrast
}
picture_palette() {
  open_window --theme dark
  sleep 6
  xdotool key ctrl+k sleep 1
  enter "log"
  sleep 1
  shoot palette
}
picture_picture() {
  open_window --theme light
  sleep 6
  stand_still
  xdotool key ctrl+s sleep 2
  shoot picture
}
picture_light() {
  open_window --theme light --workload iris-mlp --device sim:rtx4070-laptop-wsl2
  sleep 7
  shoot light
}
picture_pytorch() {
  open_window --theme dark --open "$root/tests/data/pytorch-ns-resolution.json.gz"
  sleep 3
  # Over the names the wheel scrolls the lanes, down to those of the GPU.
  xdotool mousemove 300 300 sleep 0.3 click --repeat 7 --delay 60 5
  aside
  sleep 1
  shoot pytorch
}
picture_recorded() {
  open_window --theme dark --open recorded:h200--linear-mse--log-1
  sleep 3
  # Into the middle of the run, to where single calls can be told apart.
  xdotool mousemove 800 "$calls_lane_y" sleep 0.3 click --repeat 14 --delay 120 4
  aside
  sleep 1.5
  shoot recorded
}
picture_devices() {
  open_window --theme dark
  sleep 6
  xdotool key g sleep 1
  shoot devices
}
picture_compare() {
  "$LANESCOPE" run --workload linear-mse --set log_interval=1 --compare log_interval=100 \
    --screenshot "$scratch/compare.png" >/dev/null
  put "$scratch/compare.png" compare
}

all=(window turned gallery experiment sweep loader race copy trigger average views marks stretch find cause code lanes ghost
  pinned presentation contrast palette picture light pytorch recorded devices compare)
for name in "${@:-${all[@]}}"; do
  [[ " ${all[*]} " == *" $name "* ]] || die "there is no picture '$name'; allowed: ${all[*]}"
done
for name in "${@:-${all[@]}}"; do "picture_$name"; done
