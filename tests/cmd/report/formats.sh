# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# The same rows as JSON, CSV and a table of chosen columns; sorted; limited.
sample run.db
probe-report lines --format json run.db | jq -c '.[]'
probe-report lines --all --format json run.db | jq 'length, .[0].inlined[0].function'
probe-report lines --all --format csv -f file,line,column,access,conflicts,cause run.db
probe-report lines --format csv --no-header -t ';' -f line,cycles run.db
probe-report lines --all -f line,space,executions -s line,-column --color never run.db
probe-report lines --all --format csv -f line -s -line -n 2 run.db
