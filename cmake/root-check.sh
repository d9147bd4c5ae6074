#!/bin/sh
# SPDX-License-Identifier: MIT
# Inside of a root made by debian-root.sh: configures, builds, and runs the tests that depend on
# ROCm, or those selected by the arguments (arguments of ctest).
set -eu
cd /src
cmake -G Ninja -S . -B /build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPROBE_BUILD_TESTS=ON \
	-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache --log-level=WARNING
cmake --build /build
[ $# -gt 0 ] || set -- -L 'hip|hsa|e2e|unit'
# tests/cmd/compatibility.py --take STACK reads the results.
exec ctest --test-dir /build -LE "^long$" --output-on-failure -j2 --output-junit /build/results.xml "$@"
