# SPDX-License-Identifier: MIT
probe-run --device tpu true
