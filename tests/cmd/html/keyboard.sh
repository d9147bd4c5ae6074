#!/bin/sh
# SPDX-License-Identifier: MIT
# keyboard.sh PROBE_REPORT: a page with all kinds of data, by keyboard alone and at 400 pixels.
set -eu
report=$1
tests=$(cd "$(dirname "$0")" && pwd)
database_inc=$tests/../report
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$tests/../report/database.inc"
. "$tests/page_database.inc"
cd "$dir"
sampled_page_database run.db
# A kernel with a name that is longer than a line.
sql run.db <<END
UPDATE rocpd_info_kernel_symbol_t SET display_name = replace(hex(zeroblob(100)), '0', 'k') WHERE id = 2;
END
"$report" export --format html -o page.html run.db
python3 -B "$tests/keyboard.py" page.html
