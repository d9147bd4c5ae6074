#!/bin/sh
# SPDX-License-Identifier: MIT
# expect_end.sh STATUS PROGRAM ARGUMENT...: the program ends with that status and prints no line but
# those that TOLERATED, a regular expression, matches: messages of the runtime. With status 77 the
# program says why the runtime cannot run it.
set -u
want=$1
shift
text=$("$@" 2>&1)
got=$?
[ "$got" != 77 ] || {
	echo "$text"
	exit 77
}
# Debian's ROCr 7.2 counts signals of its own pool at the end.
text=$(echo "$text" | grep -Ev "^(${TOLERATED:-}|Warning: Resource leak detected by SharedSignalPool, .*)\$")
[ "$got" = "$want" ] && [ -z "$text" ] && exit 0
echo "exit status $got, expected $want; output:" >&2
echo "$text" >&2
exit 1
