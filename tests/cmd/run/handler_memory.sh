# SPDX-License-Identifier: MIT
# A handler that used up its memory: the message names the option. The records are there.
probe-run -q -d . -o run.db --handler-memory 64 -a count:fail=eat "$FAKE_APP" connect announce=x memory=2 exit-record
echo "status $?"
sqlite3 run.db "SELECT count(*) FROM probe_counter"
