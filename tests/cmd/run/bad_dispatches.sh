# SPDX-License-Identifier: MIT
probe-run --dispatches 3-in-2 true
