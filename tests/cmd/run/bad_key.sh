# SPDX-License-Identifier: MIT
probe-run -o %host%.db true
