# SPDX-License-Identifier: MIT
probe-run -q "$FAKE_APP" connect announce=x memory=1 exit-record exit=37
