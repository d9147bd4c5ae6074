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
"$report" export --format html -o page.html run.db
python3 -B "$tests/keyboard.py" page.html
