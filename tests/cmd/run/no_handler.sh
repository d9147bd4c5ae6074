# SPDX-License-Identifier: MIT
probe-run -a nothing true
