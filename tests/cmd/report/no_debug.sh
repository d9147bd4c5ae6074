# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Compiled without -g: shows kernel and site, and says what is missing.
sample run.db
sql run.db <<'END'
UPDATE probe_site SET file = '', line = 0, "column" = 0, frames = '[]';
DELETE FROM probe_source;
END
probe-report lines --all run.db | sed -n '4,/^$/p'
probe-report lines --all run.db | grep good
probe-report lines --format json -f file,line,site,source run.db | jq -c '.[]'
