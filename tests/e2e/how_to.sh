#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of docs/how-to with a program: their files are written, their commands run, and the report that
# each step ends with has the finding.
# Folder: docs
. "$(dirname "$0")/lib.sh"
PROBE_DEVICE=sim
export PROBE_DEVICE

for page in cmake modules; do
	mkdir "$work/$page"
	cd "$work/$page"
	# A block "```language NAME" is the file NAME; blocks "```sh" are steps.
	awk '/^```[^ ]+ [^ ]+$/ { to = $2; next } /^```sh$/ { to = "step" ++n ".sh"; next } /^```/ { to = ""; next }
		to { print >to }' "$source/docs/how-to/$page.md"
	for step in step*.sh; do
		sh -eu "$step" >"$step.out" 2>"$step.err" || fail "$page, $step: $(cat "$step.out" "$step.err")"
	done
	grep -q ': load from global, 4 B per lane, in ' step1.sh.out ||
		fail "$page: no finding: $(cat step1.sh.out step1.sh.err)"
done
