# SPDX-License-Identifier: MIT
probe-run --print-options
