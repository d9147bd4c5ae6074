# SPDX-License-Identifier: MIT
LD_PRELOAD= probe-run --print-env --device sim -k "it's"
