#!/bin/sh
# Runs a command and succeeds if its exit status is the first argument.
expected=$1
shift
"$@"
actual=$?
if [ "$actual" -ne "$expected" ]; then
  echo "expected exit status $expected but got $actual: $*" >&2
  exit 1
fi
