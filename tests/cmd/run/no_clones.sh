# SPDX-License-Identifier: MIT
probe-run "$FAKE_APP" connect refused=3 exit-record
