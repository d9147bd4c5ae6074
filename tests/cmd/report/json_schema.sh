# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
# Rows of real verbs fit the schemas in docs/schema.
sample run.db
sample before.db
sql run.db <<END
UPDATE probe_memory_site SET conflicts = 5 WHERE site = 0;
END
fits()
{
	python3 "$here/../json_schema.py" "$PROBE_BIN" "$here/../../../docs/schema" "$@" && echo "$1"
}
fits kernels run.db
fits lines --all run.db
fits dispatches run.db
fits occupancy run.db
fits doctor run.db
fits diff before.db run.db
fits check --fail-on 'line.conflicts > 0' run.db 2>/dev/null
. "$here/../html/page_database.inc"
sampled_page_database sampled.db
fits samples sampled.db
for by in line kernel instruction; do
	fits samples --by $by sampled.db
done
fits annotate sampled.db
traced run.db
for verb in timeline stats api copies markers; do
	fits $verb run.db
done
