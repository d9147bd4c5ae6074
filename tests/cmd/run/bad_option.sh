# SPDX-License-Identifier: MIT
probe-run --kernel-includ x true
