# SPDX-License-Identifier: MIT
# Counters do not heed the filter of workgroups: refused, not ignored.
probe-run --filter-y 1:2 -- true
