#!/bin/bash
# Tests tools/stages.sh: stages go on after a failure, and the command then fails.
#
#   stages.sh SOURCE_FOLDER
set -euo pipefail
source "$1/tools/stages.sh"

fail() {
  echo "stages: $*" >&2
  exit 1
}

fails_midway() {
  echo begins
  false
  echo "goes on after a failure"
}

text=$(
  run_stage first true
  run_stage second fails_midway
  then_stage third echo "runs after a failure"
  run_stage fourth echo runs
  then_stage fifth sleep 1
  if end_stages 2>&1; then echo "ends well"; fi
)
for part in "dev: stage 1: first" "begins" "stage 2: second: FAILED after" "third: skipped" "runs" \
  "dev: not passed: second,third"; do
  [[ $text == *"$part"* ]] || fail "expected '$part' in: $text"
done
for part in "goes on after a failure" "runs after a failure" "ends well"; do
  [[ $text != *"$part"* ]] || fail "found '$part' in: $text"
done
rows=$(grep -cE '^  [a-z]+ +[0-9]+:[0-9]{2}  (passed|FAILED|skipped)$' <<<"$text")
[[ $rows -eq 5 ]] || fail "expected 5 rows, found $rows in: $text"
grep -qE '^  fifth +0:0[1-9]  passed$' <<<"$text" || fail "expected the time of fifth in: $text"

(
  run_stage good true
  end_stages
) >/dev/null || fail "a command of stages that pass fails"
