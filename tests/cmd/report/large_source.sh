# SPDX-License-Identifier: MIT
# Many sites in a large source file: hashing it for each of them would exceed the time that a report may take.
. "$(dirname "$0")/database.inc"
sample run.db
head -c 15000000 /dev/zero | tr '\0' 'x' >a.hip
hash=$(sha256sum a.hip | cut -d ' ' -f 1)
sql run.db <<END
INSERT INTO probe_sourcefile VALUES ('a.hip', '$hash', 1, 0);
WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2099)
	INSERT INTO probe_site SELECT 1, i, 'a.hip', i, 1, 'transpose(float*)', 2, 1, 4, 4, 4, '_Z9transposePf', 2, '[]' FROM n;
INSERT INTO probe_memory_site SELECT site, 1, 1, site, 16, 1024, 1024, 512, 64, 448, 512, 32, 480, 0, 0, 0, 0, 0, 0, 0,
	'lanes are 4096 B apart', 'swap the loops' FROM probe_site WHERE site >= 100;
END
probe-report lines --all --format csv -f file,source_state run.db | sort | uniq -c | sed 's/^ *//'
echo >>a.hip
probe-report lines --all --format csv -f file,source_state run.db | sort | uniq -c | sed 's/^ *//'
