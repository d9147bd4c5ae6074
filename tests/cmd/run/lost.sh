# SPDX-License-Identifier: MIT
probe-run "$FAKE_APP" connect announce=x memory=1 lost=5 garbage exit-record
