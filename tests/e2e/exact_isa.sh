#!/bin/sh
# SPDX-License-Identifier: MIT
# Probes and the simulator count the same at each source position: executions, lanes, bytes, quads,
# cache lines, LDS passes and conflicts. They are two implementations that share no code, and find
# the position in two ways: site table and DWARF.
# Folder: devlib
. "$(dirname "$0")/lib.sh"
. "$source/tests/e2e/isa/same.sh"

same "$build/examples/transpose" 10,0,0,0,0,0,0 22=10,0,0,0,0,0,0
same "$build/examples/strided_copy" 12,0,0,0,0,0,0 22=12,0,0,0,0,0,0
# ds_read2_b32 for two reads of a line
same "$build/examples/reduction" 10,4,0,0,0,0,0 22=9,6,0,0,0,0,0
# blockDim, from the dispatch packet
same "$build/examples/histogram" 5,0,0,0,1,0,0 22=5,0,0,0,0,0,0
same "$build/examples/convolution" 5,0,0,0,0,0,0 22=5,0,0,0,0,0,0
