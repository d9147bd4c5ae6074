# SPDX-License-Identifier: MIT
probe-run -o
