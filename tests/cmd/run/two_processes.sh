# SPDX-License-Identifier: MIT
probe-run -d . -o both.db sh -c "\"$FAKE_APP\" connect announce=x memory=1 exit-record; \"$FAKE_APP\" connect announce=x memory=2 exit-record" 2>err
sort err >&2
ls | grep -c "both.*db"
