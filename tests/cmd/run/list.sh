# SPDX-License-Identifier: MIT
probe-run --list | grep -v "^  gpu"
