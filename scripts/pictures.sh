#!/usr/bin/env bash
# Makes the pictures of the README and of docs/ with the program itself, on a virtual display.
#
#   scripts/pictures.sh [NAME...]     default: all of window, first, turned, gallery, sweep, loader, race, copy, trigger,
#                                     average, views, marks, stretch, statistics, find, cause, code, lanes, pinned,
#                                     presentation, contrast, palette, picture, light, pytorch, recorded, compare, lesson,
#                                     class
#
# That of a program on a real GPU (program) is the window's own screenshot: F12; so is that of a job (map), of 64 ranks
# that tests/analysis/made_up_job.h makes up. The page on a telephone (telephone) is what tests/web/check_page.py --keep
# FOLDER leaves there.
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
  build_program
  LANESCOPE="$root/build/release/lanescope"
fi

scratch="$(mktemp -d)"
server='' program=''
close_window() {
  [ -z "$program" ] || kill "$program" 2>/dev/null || true
  [ -z "$program" ] || wait "$program" 2>/dev/null || true
  program=''
  rm -rf "$scratch/state"  # the run that it saved, which the next start would offer
}
clean_up() {
  close_window
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT

# The person's own settings and pictures stay out of it.
export HOME="$scratch" XDG_CONFIG_HOME="$scratch/config" XDG_STATE_HOME="$scratch/state" XDG_PICTURES_DIR="$scratch/Pictures"
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

# enter <text>: into the field that has the keyboard; press <key>: long enough for a slow frame to see it.
enter() { xdotool type --delay 120 "$1"; }
press() { xdotool keydown "$1" sleep 0.3 keyup "$1" sleep 0.3; }
# open_window <program's arguments...>: 1600x900, the mouse aside; without the first start's hints if tour_done=true.
tour_done=true
open_window() {
  start_display
  printf 'tour_done = %s\nwindow_width = 1600\nwindow_height = 900\n' "$tour_done" \
    >"$XDG_CONFIG_HOME/lanescope/settings.toml"
  # Keys of this script's own: what it does where the mouse points, the palette cannot do.
  cat >>"$XDG_CONFIG_HOME/lanescope/settings.toml" <<'EOF'
[keys]
roll = "F6"
single = "F7"
average = "F9"
sweep = "C"
device-menu = "G"
pin-tooltip = "Q"
bookmark = "K"
note = "Shift+K"
marks = "Shift+V"
statistics = "Shift+N"
group = "U"
pin-lane = "'"
hide-lane = "Delete"
collapse = "\\"
ghost = "Y"
pin-a = "Shift+A"
compare = "Shift+B"
next-step = "Alt+PageDown"
EOF
  "$LANESCOPE" "$@" &
  program=$!
  local window
  window="$(timeout 60 xdotool search --sync --onlyvisible --name '^Lanescope$' | head -n 1)"
  xdotool windowfocus "$window" mousemove 4 4
  # A speed that was chosen stays. Otherwise a run that a busy machine holds up for a moment becomes a faster one.
  if [ "$tour_done" = true ] && [[ " $* " != *" --open "* ]]; then
    press minus
    press equal
  fi
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

# drag <key held, or -> <from x> <from y> <to x> <to y>
drag() {
  [ "$1" = - ] || xdotool keydown "$1"
  xdotool mousemove "$2" "$3" sleep 0.5 mousedown 1 sleep 0.4 mousemove $((($2 + $4) / 2)) $((($3 + $5) / 2)) \
    sleep 0.4 mousemove "$4" "$5" sleep 0.3 mouseup 1
  [ "$1" = - ] || xdotool keyup "$1"
  sleep 0.5
}
# set_knob <name and value>: by the palette.
set_knob() {
  xdotool key ctrl+k sleep 0.8
  enter "$1"
  sleep 0.5
  press Return
}
# wheel <x> <y> <notches in, or -out>: zooms there, and the mouse goes.
wheel() {
  local button=4 notches="$3"
  [ "$notches" -gt 0 ] || { button=5 notches=$((-notches)); }
  xdotool mousemove "$1" "$2" sleep 0.4 click --repeat "$notches" --delay 300 "$button"
  aside
  sleep 1.5
}
# The picture at the next trigger, which stands: an iteration and a bit, or three.
stand_still() { xdotool key F7 sleep 1; }
stand_wide() {
  stand_still
  wheel "$trigger_x" "$calls_y" -4
}

# Places in a window of 1600x900 with the lanes of linear-mse and the plots below them. P09 brings its view: item() is
# at a quarter of the width.
names_x=330
trigger_x=614
phase_y=157
calls_y=206
ahead_y=320
kernels_y=433
kernel_x=560 # in P09's view: linear_forward, the wait, and the bubble after it
wait_x=595
bubble_x=803
wide_wait_x=649 # with stand_wide: the first wait, and the second
wide_next_wait_x=934
under_lanes="840 563" # the line over the plots
by_process_ahead_y=372 # the data loader's lanes, grouped by process; the next two as the one before has left them
by_process_d2h_y=525
by_process_phase_y=243
left_panel="130 700"
lanes_begin_x=392
first_copy_x=462 # with a copy in every iteration
sweep_of_p20="680 160"
sweep_of_p20_at_4mib="1134 500"
trigger_by_name="1427 192"
range_of_statistics="1267 553"
line_of_item="420 711" # in the code view

# The slider of the lesson's first question, and the button below it.
question_y=482 answer_y=540

picture_window() {
  open_window --theme dark
  sleep 7
  shoot window
}
picture_first() {
  local tour_done=false
  open_window --theme dark
  sleep 6
  shoot first
}
picture_turned() {
  open_window --theme dark
  sleep 8
  set_knob "log interval 100"
  sleep 6
  shoot turned
}
picture_gallery() {
  open_window --theme dark
  sleep 6
  xdotool key e sleep 1
  shoot gallery
}
picture_sweep() {
  open_window --theme dark
  sleep 5
  xdotool key c sleep 1
  # shellcheck disable=SC2086
  click $sweep_of_p20
  sleep 2
  # shellcheck disable=SC2086
  xdotool mousemove $sweep_of_p20_at_4mib sleep 1
  shoot sweep
}
# An iteration of the data loader with a long wait; in roll mode the ruler counts from the start of the run.
show_402() {
  xdotool key F6 sleep 0.5 key j sleep 0.5
  enter "iteration 402"
  press Return
  press Escape
}
picture_loader() {
  open_window --theme dark --workload dataloader --device sim:rtx4090 --set num_workers=3 --set pin_memory=true
  sleep 4
  xdotool key --repeat 2 --delay 300 equal # in real time
  sleep 5
  show_402
  # More room for the lanes.
  # shellcheck disable=SC2086
  drag - $under_lanes 840 595
  aside
  sleep 1.5
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
  stand_still
  click "$first_copy_x" "$calls_y"
  # The wheel zooms in at the left edge of the lanes.
  wheel "$lanes_begin_x" "$calls_y" 3
  shoot copy
}
picture_trigger() {
  open_window --theme dark
  sleep 6
  xdotool key o sleep 1
  # shellcheck disable=SC2086
  click $trigger_by_name
  aside
  sleep 2
  shoot trigger
}
picture_average() {
  open_window --theme dark
  sleep 6
  xdotool key F9 sleep 6
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
  stand_wide
  xdotool mousemove "$wide_wait_x" "$calls_y" sleep 0.8 key q sleep 0.5 # its tooltip stays
  xdotool mousemove 1180 "$phase_y" sleep 0.5 key k sleep 0.5
  # A ruler from one wait to the next.
  xdotool mousemove "$wide_wait_x" "$ahead_y" sleep 0.4 key m sleep 0.4 mousemove "$wide_next_wait_x" "$ahead_y" \
    sleep 0.4 click 1 sleep 0.5
  xdotool mousemove 988 "$kernels_y" sleep 0.5 key shift+k sleep 0.8
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
  stand_wide
  drag shift 400 "$calls_y" 1100 "$kernels_y"
  xdotool key shift+n sleep 1
  # shellcheck disable=SC2086
  click $range_of_statistics
  aside
  sleep 1.5
  shoot stretch
}
picture_statistics() {
  open_window --theme dark
  sleep 6
  xdotool key shift+n
  sleep 3
  shoot statistics
}
picture_find() {
  open_window --theme dark
  sleep 6
  stand_wide
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
  click "$wait_x" "$calls_y"
  aside
  sleep 1
  shoot cause
}
picture_code() {
  open_window --theme dark
  sleep 6
  xdotool key F4 sleep 2
  stand_wide
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
  sleep 3
  show_402
  xdotool key u sleep 0.6 # by process
  xdotool mousemove "$names_x" "$by_process_ahead_y" sleep 0.5 key apostrophe sleep 0.6
  xdotool mousemove "$names_x" "$by_process_d2h_y" sleep 0.5 key Delete sleep 0.6
  xdotool mousemove "$names_x" "$by_process_phase_y" sleep 0.5 key backslash sleep 0.6
  aside
  sleep 5
  shoot lanes
}
picture_pinned() {
  open_window --theme dark
  sleep 6
  xdotool key shift+a
  sleep 1
  set_knob "log interval 100"
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
# A question of a lesson, answered at a desk.
picture_lesson() {
  open_window --lesson why-the-gpu-waits
  sleep 4
  click 110 "$question_y"
  click 160 "$answer_y"
  aside
  sleep 9
  shoot lesson
}
# A question with choices, after a class has raised its hands.
picture_class() {
  open_window --lesson why-the-gpu-waits
  sleep 3
  for _ in 1 2 3; do xdotool key alt+Next sleep 1.5; done
  xdotool key F5 sleep 2
  for hand in 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 3 3 3 3 3; do xdotool key "$hand"; done
  xdotool key Right
  sleep 9
  shoot class
}
picture_contrast() {
  open_window --theme high-contrast
  sleep 6
  stand_still
  click "$bubble_x" "$kernels_y"
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
  stand_still
  wheel "$lanes_begin_x" "$calls_y" 4
  shoot light
}
picture_pytorch() {
  open_window --theme dark --open "$root/tests/data/pytorch-ns-resolution.json.gz"
  sleep 4
  shoot pytorch
}
picture_recorded() {
  open_window --theme dark --open recorded:h200--linear-mse--log-1
  sleep 3
  # Into the middle of the run, to where single calls can be told apart.
  wheel 800 "$calls_y" 16
  shoot recorded
}
picture_compare() {
  "$LANESCOPE" run --workload linear-mse --set log_interval=1 --compare log_interval=100 \
    --screenshot "$scratch/compare.png" >/dev/null
  put "$scratch/compare.png" compare
}

all=(window first turned gallery sweep loader race copy trigger average views marks stretch statistics find cause code
  lanes pinned presentation contrast palette picture light pytorch recorded compare lesson class)
for name in "${@:-${all[@]}}"; do
  [[ " ${all[*]} " == *" $name "* ]] || die "there is no picture '$name'; allowed: ${all[*]}"
done
for name in "${@:-${all[@]}}"; do "picture_$name"; done
