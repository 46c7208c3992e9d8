#!/bin/bash
# Runs the commands of the walk-through in a page of docs/.
#
#   walkthrough.sh PROGRAM DOCUMENT
#
# Between the two marks, runs all blocks fenced by ```sh, and writes blocks fenced by ```toml FILE to
# that file. Replaces the port by one that is free on this machine.
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

# One script of all blocks; files become here-documents.
script=$(sed -n '/^<!-- walk-through -->/,/^<!-- end of the walk-through -->/p' "$document" |
  awk '/^```sh$/ { run = 1; next }
       /^```toml / { run = 1; file = 1; print "cat >" $2 " <<\"END OF FILE\""; next }
       /^```$/ { if (file) print "END OF FILE"; run = 0; file = 0; next }
       run { print }')
script=${script//7443/$(free_port)}

# Checks that the commands were found, and the results that the page promises.
federation_page() {
  test "$(grep -c '^firm ' <<<"$script")" -ge 8
  grep -q '^cmp ' <<<"$script"
  for results in north/xrf-1 north/xrf-2 north/xrf-3 south/xrt; do
    test -s "$results/summary.json"
    test -s "$results/ledger.jsonl"
    test -z "$(find "$results" -name 'checkpoint*')"
  done
  grep -q '"finished":true' south/coordinator/coordinator.json
  test ! -e north/xrt.h5
  test "$(grep -c '^key = ' north/study.toml)" -eq 4
  test -z "$(find south north/xrf-* -name 'xrf-?.key')"
}
data_page() {
  test "$(grep -c '^firm ' <<<"$script")" -ge 5
  grep -q '^compound = "Fe"' study.toml
  grep -q '^scale = ' calibrated.toml
  for results in run/report.html run/images.h5 run/recon/xrf-2_rec/recon_00000.tiff; do
    test -s "$results"
  done
  grep -q '"converged": true' run/summary.json
}

mkdir "$directory/bin"
ln -s "$program" "$directory/bin/firm"
cd "$directory"
export PATH="$directory/bin:$PATH"
set -x
eval "$script"
set +x

case $(basename "$document") in
  federation.md) federation_page ;;
  data.md) data_page ;;
  *) echo "unknown page: $document" >&2; exit 1 ;;
esac
