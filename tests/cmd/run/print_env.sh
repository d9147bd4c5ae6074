# SPDX-License-Identifier: MIT
LD_LIBRARY_PATH= probe-run --print-env --device sim -k "it's"
