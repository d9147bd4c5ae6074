# SPDX-License-Identifier: MIT
probe-run -Z true
