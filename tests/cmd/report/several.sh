# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Several files: one head per file as text, else a column `run`; a bad file ends the output.
sample one.db
sample two.db
probe-report lines one.db two.db | grep -e 'db:' -e '^a.hip'
probe-report lines --format csv -f line,cycles one.db two.db
probe-report lines --format json -f line one.db two.db | jq -c '.'
probe-report lines -i one.db --format csv -f line two.db none.db
