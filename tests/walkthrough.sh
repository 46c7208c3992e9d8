#!/bin/bash
# Runs the commands of the walk-through in docs/federation.md as they stand there.
#
#   walkthrough.sh PROGRAM DOCUMENT
#
# Only the port is another, one that is free on this machine.
set -eu -o pipefail

program=$(realpath "$1")
document=$(realpath "$2")
directory=$(mktemp -d)
unset grpc_proxy https_proxy http_proxy

leave() {
  local job
  for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done
  wait
  rm -rf "$directory"
}
trap leave EXIT

free_port() {
  local port
  for port in $(shuf -i 20000-32000 -n 100); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  return 1
}

# Lines of the fenced blocks between the two marks.
commands=$(sed -n '/^<!-- walk-through -->/,/^<!-- end of the walk-through -->/p' "$document" |
  sed -n '/^```sh$/,/^```$/p' | grep -v '^```')
test "$(grep -c '^firm ' <<<"$commands")" -ge 8
grep -q '^cmp ' <<<"$commands"
commands=${commands//7443/$(free_port)}

mkdir "$directory/bin"
ln -s "$program" "$directory/bin/firm"
cd "$directory"
export PATH="$directory/bin:$PATH"
set -x
eval "$commands"
set +x

# What the document promises of the run.
for results in north/xrf-1 north/xrf-2 north/xrf-3 south/xrt; do
  test -s "$results/summary.json"
  test -s "$results/ledger.jsonl"
  test -z "$(find "$results" -name 'checkpoint*')"
done
grep -q '"finished":true' south/coordinator/coordinator.json
test ! -e north/xrt.h5
test -z "$(find south north/xrf-* -name 'xrf-?.key')"
