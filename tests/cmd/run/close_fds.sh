# SPDX-License-Identifier: MIT
# A process that closes all its descriptors, including the library's socket, is recorded until its
# end.
probe-run -q "$FAKE_APP" connect announce=x close-fds memory=2 drained memory=2 exit-record
sqlite3 probe-out/*/*.db "SELECT count(*) FROM kernels"
