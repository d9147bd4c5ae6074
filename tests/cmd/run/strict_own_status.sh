# SPDX-License-Identifier: MIT
probe-run --strict -q "$FAKE_APP" connect announce=x lost=5 exit-record exit=4
