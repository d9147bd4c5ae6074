# SPDX-License-Identifier: MIT
probe-run -q "$FAKE_APP" connect announce=x close-fds memory=2 sleep=50 memory=2 exit-record
sqlite3 probe-out/*/*.db "SELECT count(*) FROM kernels"
