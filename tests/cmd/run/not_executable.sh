# SPDX-License-Identifier: MIT
: >file
probe-run ./file
