#!/bin/sh
# SPDX-License-Identifier: MIT
# Accesses and samples are at the user's line, whatever header or function of the compiler their
# instructions are in.
# Folder: cmds/report
. "$(dirname "$0")/lib.sh"

program=$source/tests/e2e/users_lines.hip
line()
{
	grep -n "// $1\$" "$program" | cut -d: -f1
}
compile "$program" users_lines
record run.db -q --twice -- ./users_lines
balanced run.db

probe-report lines --all --format json run.db >lines.json
expect "accesses of the copy" "$(jq -c '[.[] | select(.kernel | test("copies")) | select(.access) | .line] | unique' lines.json)" \
	"[$(line copy)]"
expect "accesses of the sum" "$(jq -c '[.[] | select(.kernel | test("computes")) | select(.access) | [.access, .line]] | unique' lines.json)" \
	"[[\"load\",$(line sum)],[\"store\",$(line result)]]"
probe-report samples --format json run.db >samples.json
expect "positions of samples outside of the program" "$(jq -c '[.[] | select(.kernel | test("^(copies|computes)")) |
	select(.position | (test("users_lines.hip:[1-9]") | not)) | .position] | unique' samples.json)" '[]'
expect "the copy has most samples of its kernel" "$(jq -r '[.[] | select(.kernel | test("copies"))] | max_by(.samples) |
	.position | sub(".*:"; "")' samples.json)" "$(line copy)"
