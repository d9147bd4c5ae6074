# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# A view that never ends, a cell of 140 MB, names that grow as they are read: a sentence and status 1, and no more than
# 512 MB of memory. That the case ends shows that queries do.
cat >peak.py <<'END'
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print("status %d%s" % (status, "" if peak < 512 or os.environ.get("SANITIZED") else ", %d MB" % peak))
END
attack()
{
	echo "== $*"
	python3 peak.py probe-report "$@" 2>err
	head -c 300 err
}
sample view.db
sql view.db <<'END'
ALTER TABLE probe_site RENAME TO site_was;
CREATE VIEW probe_site AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
	SELECT s.* FROM site_was s, n;
END
attack lines view.db
sample cell.db
sql cell.db <<'END'
UPDATE probe_run SET value = CAST(zeroblob(140000000) AS TEXT) WHERE key = 'partial_reason';
UPDATE probe_run SET value = 1 WHERE key = 'partial';
END
attack info cell.db
attack export --format html -o page cell.db
sample grow.db
sql grow.db <<'END'
PRAGMA legacy_alter_table = ON;
ALTER TABLE rocpd_info_kernel_symbol_t RENAME TO symbol_was;
CREATE VIEW rocpd_info_kernel_symbol_t AS SELECT id, guid, nid, pid, code_object_id, kernel_name,
	replace(hex(zeroblob(60000000)), '0', 'ab') AS display_name, kernel_object, kernarg_segment_size,
	kernarg_segment_alignment, group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count,
	accum_vgpr_count, extdata FROM symbol_was;
END
attack kernels grow.db
