# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# The worst first, with source line and caret; what is good is counted.
sample run.db
probe-report lines run.db
