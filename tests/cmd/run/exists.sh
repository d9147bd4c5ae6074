# SPDX-License-Identifier: MIT
probe-run -q -d . -o x.db "$FAKE_APP" connect announce=x exit-record && ls
probe-run -d . -o x.db "$FAKE_APP" connect exit-record
echo $?
probe-run -q -d . -o x.db --force "$FAKE_APP" connect announce=x memory=1 exit-record
sqlite3 x.db "SELECT count(*) FROM kernels"
