#!/bin/sh
# with_kernel.sh FIRM KERNEL PROGRAM FILTER: runs the tests of a GoogleTest program that match a
# filter, with FIRM_KERNEL=KERNEL, so that every projector uses that kernel.
#
# Exits with 77 if the plain tests use this kernel already, or if the program at FIRM says that this
# processor lacks it. Fails if a pattern of the filter matches no test, as after a test is renamed.
firm=$1
kernel=$2
program=$3
filter=$4

set -f  # patterns are not file names
for pattern in $(printf '%s' "${filter#-}" | tr ':' ' '); do
  if [ -z "$("$program" --gtest_list_tests --gtest_filter="$pattern" | grep '^  ')" ]; then
    echo "tests/kernels.cmake: filter of $program: expected tests that match $pattern, found none"
    exit 1
  fi
done

if [ "$kernel" = "${FIRM_KERNEL:-$("$firm" --version | awk '$1 == "kernel" { print $2 }')}" ]; then
  echo "$kernel is the kernel of the plain tests"
  exit 77
fi
export FIRM_KERNEL="$kernel"
if ! message=$("$firm" bench --size 8 --angles 2 --seconds 0 2>&1); then
  echo "$message"
  case $message in
    *FIRM_KERNEL*) exit 77 ;;
    *) exit 1 ;;
  esac
fi
exec "$program" --gtest_brief=1 --gtest_filter="$filter"
