# SPDX-License-Identifier: MIT
# An absolute path in -o is used unchanged; its directory must exist.
probe-run -q -a count -o "$PWD/a.b" "$FAKE_APP" connect announce=x memory=1 exit-record
ls
probe-run -a count -o /nonexistent/a/b.db "$FAKE_APP" connect
status=$?
ls
exit $status
