# SPDX-License-Identifier: MIT
# A whole path to -o is taken as it is; its directory must be there.
probe-run -q -a count -o "$PWD/a.b" "$FAKE_APP" connect announce=x memory=1 exit-record
ls
probe-run -a count -o /nonexistent/a/b.db "$FAKE_APP" connect
status=$?
ls
exit $status
