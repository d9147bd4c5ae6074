# SPDX-License-Identifier: MIT
probe-run -a no_symbol "$FAKE_APP" connect announce=x memory=1 exit-record
