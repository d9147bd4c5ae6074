# SPDX-License-Identifier: MIT
# A process that closes all its descriptors, the library's socket too, is recorded to its end.
probe-run -q "$FAKE_APP" connect announce=x close-fds memory=2 drained memory=2 exit-record
sqlite3 probe-out/*/*.db "SELECT count(*) FROM kernels"
