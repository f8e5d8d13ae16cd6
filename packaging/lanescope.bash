# bash completion of lanescope. Commands and options come from its --help, names from `lanescope list`; all else is a file.
_lanescope() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD - 1]}" word command="" help words=""
  if declare -F _get_comp_words_by_ref >/dev/null; then _get_comp_words_by_ref -n : cur prev; fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && return
    [[ -z $command && $word == [a-z]* && $word != *[.:/]* ]] && command="$word"
  done
  help="$(LC_ALL=C "$1" --help 2>/dev/null)"
  local commands
  commands="$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help")"
  grep -qx "$command" <<<"$commands" || command=""
  [[ -z $command ]] || help="$(LC_ALL=C "$1" "$command" --help 2>/dev/null)"
  case "$prev" in
    --workload | --device | --experiment | --lesson)
      words="$(LC_ALL=C "$1" list "${prev#--}s" 2>/dev/null | sed -nE 's/^ {0,2}([A-Za-z][A-Za-z0-9:.-]*)  .*/\1/p')"
      ;;
  esac
  if [[ $cur == -* ]]; then
    words="$(grep -oE '^  (-[a-z],)?--[a-z0-9-]+' <<<"$help" | grep -oE -- '--.*')"
  elif [[ -z $words && -z $command && $prev == "${COMP_WORDS[0]}" ]]; then
    words="$commands"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$cur"; fi
}
complete -o default -F _lanescope lanescope
