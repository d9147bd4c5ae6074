# SPDX-License-Identifier: MIT
probe-run ./not-there
