#!/bin/bash
# Makes the Debian packages, installs them into a new Debian 12, uses and purges them.
#
#   package_long.sh SOURCE [PACKAGES [MIRROR]]
#
# PACKAGES: directory with packages that are made already. Needs root and a mirror of Debian; exits with
# 77 (skipped) without.
set -eu -o pipefail

source=$(realpath "$1")
packages=${2:-}
# The mirror that this machine uses.
mirror=${3:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)}
skip() {
  echo "skipped: $*"
  exit 77
}
[[ $EUID -eq 0 ]] || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
if [[ -z $packages ]]; then
  (cd "$source" && ./dev package)
  packages=$source/out/package
fi
packages=$(realpath "$packages")

root=$(mktemp -d)
leave() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap leave EXIT
echo "installing Debian 12"
timeout 1200 debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
  tail -n 5 "$root.log"
  skip "debootstrap cannot install from $mirror"
}
rm -f "$root.log"
mount -t proc proc "$root/proc"
cp "$packages"/*.deb "$root/tmp/"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive HOME=/root PATH="$PATH" "$@"; }
# Files of the system that may be ours.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp \) -prune -o \
    -iname '*firm*' ! -iname '*firmware*' -print | sort)
}

echo "installing the packages"
before=$(files)
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends bash-completion python3-scipy >/dev/null 2>&1
inside sh -c 'apt-get install -y -qq --no-install-recommends /tmp/*.deb' >/dev/null 2>&1
inside firm --version
(cd "$root/tmp" && inside firm demo --out /tmp/demo | tail -n 20)
test -s "$root/tmp/demo/report.html"
test -s "$root/usr/share/man/man1/firm-recon.1.gz"
inside bash -c '. /usr/share/bash-completion/completions/firm
  COMP_WORDS=(firm rec); COMP_CWORD=1; _firm; test "${COMPREPLY[*]}" = recon'
for unit in firm-site@ firm-coordinator@; do test -s "$root/lib/systemd/system/$unit.service"; done
inside python3 -c '
import firm, numpy as np
run = firm.recon(firm.simulate("/tmp/study", size=32, angles=12, noise=0.01))
assert run["xrt"].shape == (1, 32, 32), run
A = firm.Projector(np.linspace(0, np.pi, 8), size=16)
print(run, A)'
test -s "$root/usr/include/firm/run.h"
inside sh -c 'apt-get purge -y -qq firm libfirm-dev python3-firm' >/dev/null 2>&1
after=$(files)
if [[ $before != "$after" ]]; then
  diff <(echo "$before") <(echo "$after")
  echo "purge has left files"
  exit 1
fi
echo "installed, used and purged"
