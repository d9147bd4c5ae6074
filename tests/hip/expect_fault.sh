#!/bin/sh
# SPDX-License-Identifier: MIT
# expect_fault.sh PROGRAM WAY PATTERN...: the program dies, and stderr has a line for each pattern.
# %NAME% in a pattern is the number of the line of fault.hip that is marked "// LINE NAME".
# UNDER: words of a command to run it under, such as probe-run.
set -u
program=$1
way=$2
shift 2
source=$(dirname "$0")/fault.hip
# shellcheck disable=SC2086
text=$(${UNDER:-} "$program" "$way" 2>&1)
status=$?
if [ "$status" -lt 128 ]; then
	echo "exit status $status, expected death by a signal" >&2
	echo "$text" >&2
	exit 1
fi
lines=$(grep -o '^probe-sim:' <<END | wc -l
$text
END
)
if [ "$lines" != 1 ]; then
	echo "$lines lines of probe-sim, expected one" >&2
	echo "$text" >&2
	exit 1
fi
for pattern; do
	name=$(expr "$pattern" : '.*%\([a-z]*\)%')
	if [ -n "$name" ]; then
		number=$(grep -n "// LINE $name\$" "$source" | cut -d: -f1)
		pattern=$(echo "$pattern" | sed "s/%$name%/${number:-no such mark}/")
	fi
	echo "$text" | grep -Eq -- "$pattern" && continue
	echo "no line matches: $pattern" >&2
	echo "$text" >&2
	exit 1
done
