# SPDX-License-Identifier: MIT
# No system tools are needed, whatever PATH says.
PATH=/nowhere "$PROBE/bin/probe-run" -q "$FAKE_APP" connect announce=x memory=1 exit-record
echo $?
