# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
sample run.db
probe-report lines -n 1 --color always run.db | head -n 5
NO_COLOR=1 probe-report lines -n 1 run.db | grep -c "$(printf '\033')"
exit 0
