# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
sample run.db
traced run.db
echo "== ROCpd's tables and views with its columns; rows of some of them"
python3 "$here/../rocpd_schema.py" "$data/rocpd_columns.txt" run.db
echo "== rocmProfileData's views"
sqlite3 -header run.db 'SELECT * FROM api; SELECT id, size, kind, dstDevice, apiName FROM copyop; SELECT apiName, size, kind FROM copy;
SELECT id, description, opType FROM op ORDER BY opType, id; SELECT * FROM ktop'
