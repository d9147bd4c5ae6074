# SPDX-License-Identifier: MIT
probe-run -d . -o both.db sh -c "\"$FAKE_APP\" connect announce=x memory=1 exit-record; \"$FAKE_APP\" connect announce=x memory=2 exit-record" 2>err
sed "s|process [0-9]*|process PID|" err | sort >&2
ls | grep -c "both.*db"
