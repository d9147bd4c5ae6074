# SPDX-License-Identifier: MIT
# A loss of unknown size is one: the program ends well, and a dispatch of its never did.
probe-run --strict -q --kind trace "$FAKE_APP" connect=64 announce=x open=1 begin exit-record
