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
cp "$program" program.hip
compile program.hip users_lines
record run.db -q --twice -- ./users_lines
balanced run.db

probe-report lines --all --format json run.db >lines.json
expect "accesses of the copy" "$(jq -c '[.[] | select(.kernel | test("copies")) | select(.access) | .line] | unique' lines.json)" \
	"[$(line copy)]"
expect "accesses of the sum" "$(jq -c '[.[] | select(.kernel | test("computes")) | select(.access) | [.access, .line]] | unique' lines.json)" \
	"[[\"load\",$(line sum)],[\"store\",$(line result)]]"
probe-report samples --format json run.db >samples.json
expect "positions of samples outside of the program" "$(jq -c '[.[] | select(.kernel | test("^(copies|computes)")) |
	select(.position | (test("/program.hip:[1-9]") | not)) | .position] | unique' samples.json)" '[]'
expect "the copy has most samples of its kernel" "$(jq -r '[.[] | select(.kernel | test("copies"))] | max_by(.samples) |
	.position | sub(".*:"; "")' samples.json)" "$(line copy)"

# Every line of the source is stored, with the file's hash; what was changed is named.
stored()
{
	sqlite3 "$1" "SELECT (SELECT count(*) FROM probe_source s WHERE s.file = f.file), hash, newer
		FROM probe_sourcefile f"
}
hash=$(sha256sum program.hip | cut -d ' ' -f 1)
expect "source" "$(stored run.db)" "$(grep -c '' program.hip)|$hash|0"
expect "an unchanged source" "$(probe-report run.db | grep -c '^source:' || :)" 0
touch -d tomorrow program.hip
record newer.db -q -- ./users_lines
expect "newer than the program" "$(stored newer.db | cut -d '|' -f 3)" 1
expect "newer, in words" "$(probe-report newer.db | sed -n 's/^source: .*program.hip //p')" \
	"was modified after the program was built: its lines may not be those that ran"
echo "// changed" >>program.hip
expect "changed" "$(probe-report run.db | sed -n 's/^source: .*program.hip //p')" \
	"has changed since the run: lines are shown as they were then"
