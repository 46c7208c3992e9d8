#!/bin/sh
# with_kernel.sh FIRM KERNEL COMMAND...: runs a command with FIRM_KERNEL=KERNEL, so that every
# projector it makes uses that kernel. Exits with 77 if the program at FIRM says that this processor
# lacks the kernel, and with 1 if COMMAND, a GoogleTest program, would run no test.
firm=$1
export FIRM_KERNEL=$2
shift 2
if ! message=$("$firm" bench --size 8 --angles 2 --seconds 0 2>&1); then
  case $message in
    *FIRM_KERNEL*)
      echo "this processor lacks it: $message"
      exit 77
      ;;
    *)
      echo "$message"
      exit 1
      ;;
  esac
fi
case $("$@" --gtest_list_tests) in
  *.*) exec "$@" ;;
esac
echo "no test: $*"
exit 1
