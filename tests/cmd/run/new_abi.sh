# SPDX-License-Identifier: MIT
probe-run -a new_abi "$FAKE_APP" connect announce=x memory=2 exit-record
