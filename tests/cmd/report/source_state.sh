# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# A source file that differs from the compiled one is named; the text shown is that of the run.
sample run.db
printf 'one\n' >a.hip
hash=$(sha256sum a.hip | cut -d ' ' -f 1)
sql run.db <<END
INSERT INTO probe_sourcefile VALUES ('a.hip', '$hash', 1, 0), ('b.hip', 'x', 1, 1), ('none.hip', 'x', 1, 0);
END
state()
{
	echo "== $1"
	probe-report lines run.db | sed -n 3p
	probe-report lines --all --format csv -f file,source_state run.db | sort -u
}
state "as it was; b.hip is newer than the program"
echo two >>a.hip
state "changed since"
probe-report lines run.db | grep -A1 '^a.hip:12'
echo "== check: as a warning where the run breaks a rule"
probe-report check --fail-on 'line.conflicts > 0' run.db 2>&1 | grep -v '^file'
probe-report check --fail-on 'line.conflicts > 99999' run.db 2>&1
