# SPDX-License-Identifier: MIT
probe-run sh -c "echo out; echo err >&2; exit 7"
