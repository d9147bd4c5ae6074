# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
probe-report list | head -n 12
probe-report list | grep -c .
