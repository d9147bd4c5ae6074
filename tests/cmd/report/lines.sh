# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# The highest cost first, with source line and caret; accesses without extra cost are counted.
sample run.db
probe-report lines run.db
