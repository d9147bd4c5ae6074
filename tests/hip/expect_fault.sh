#!/bin/sh
# SPDX-License-Identifier: MIT
# expect_fault.sh PROGRAM WAY PATTERN...: the program dies, and stderr has a line for each pattern.
set -u
program=$1
way=$2
shift 2
text=$("$program" "$way" 2>&1)
status=$?
if [ "$status" -lt 128 ]; then
	echo "exit status $status, expected death by a signal" >&2
	echo "$text" >&2
	exit 1
fi
for pattern; do
	echo "$text" | grep -Eq -- "$pattern" && continue
	echo "no line matches: $pattern" >&2
	echo "$text" >&2
	exit 1
done
