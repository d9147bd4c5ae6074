# SPDX-License-Identifier: MIT
probe-run --strict -q "$FAKE_APP" connect announce=x memory=1 lost=5 exit-record
