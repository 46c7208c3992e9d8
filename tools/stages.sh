# Stages of a long command, for ./dev: each one is timed, and a failure does not end the others.
#
#   run_stage NAME COMMAND...     runs a stage, and prints its result and time
#   then_stage NAME COMMAND...    runs it only if the stage before has passed
#   end_stages                    prints a table; fails, and names the stages, if one has failed
#
# Call them as commands of their own, not within `if`, `&&` or `||`: there bash ignores set -e, and
# a stage would not end at its first failure.

stage_names=()
stage_seconds=()
stage_results=()

time_of() {
  printf '%5d:%02d' $(($1 / 60)) $(($1 % 60))
}

add_stage() {
  stage_names+=("$1")
  stage_seconds+=("$2")
  stage_results+=("$3")
}

run_stage() {
  local name=$1 start=$SECONDS status result=passed
  shift
  echo "dev: stage $((${#stage_names[@]} + 1)): $name"
  set +e
  (
    set -e
    "$@"
  )
  status=$?
  set -e
  # 130: Ctrl-C is meant for the whole command.
  if [[ $status -eq 130 ]]; then exit 130; fi
  if [[ $status -ne 0 ]]; then result=FAILED; fi
  add_stage "$name" $((SECONDS - start)) "$result"
  echo "dev: stage ${#stage_names[@]}: $name: $result after$(time_of $((SECONDS - start))) minutes"
}

then_stage() {
  if [[ ${stage_results[-1]} == passed ]]; then
    run_stage "$@"
  else
    echo "dev: stage $((${#stage_names[@]} + 1)): $1: skipped"
    add_stage "$1" 0 skipped
  fi
}

end_stages() {
  local k total=0 wrong=()
  echo
  for k in "${!stage_names[@]}"; do
    printf '  %-34s %s  %s\n' "${stage_names[k]}" "$(time_of "${stage_seconds[k]}")" \
      "${stage_results[k]}"
    total=$((total + stage_seconds[k]))
    if [[ ${stage_results[k]} != passed ]]; then wrong+=("${stage_names[k]}"); fi
  done
  printf '  %-34s %s  minutes\n' "all stages" "$(time_of "$total")"
  if [[ ${#wrong[@]} -eq 0 ]]; then return 0; fi
  local IFS=,
  echo "dev: not passed: ${wrong[*]}" >&2
  return 1
}
