# SPDX-License-Identifier: MIT
probe-run -k "(" true
