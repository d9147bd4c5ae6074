# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
probe-report --help
echo "--"
probe-report --print-options
