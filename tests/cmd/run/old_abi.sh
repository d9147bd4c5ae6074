# SPDX-License-Identifier: MIT
probe-run -a old_abi,count "$FAKE_APP" connect announce=x memory=2 exit-record
