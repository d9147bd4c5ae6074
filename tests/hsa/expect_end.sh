#!/bin/sh
# SPDX-License-Identifier: MIT
# expect_end.sh STATUS PROGRAM ARGUMENT...: the program ends with that status, within thirty seconds,
# and says nothing but what TOLERATED, a regular expression, matches: words of the runtime.
set -u
want=$1
shift
text=$(timeout -s KILL 30 "$@" 2>&1)
got=$?
text=$(echo "$text" | grep -Ev "^(${TOLERATED:-})\$")
[ "$got" = "$want" ] && [ -z "$text" ] && exit 0
echo "exit status $got, expected $want; output:" >&2
echo "$text" >&2
exit 1
