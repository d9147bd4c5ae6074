#!/bin/sh
# SPDX-License-Identifier: MIT
# Inside a root made by debian-root.sh: configure, build, and run the tests that depend on ROCm, or those
# that the arguments choose (arguments of ctest).
set -eu
cd /src
cmake -G Ninja -S . -B /build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPROBE_BUILD_TESTS=ON \
	-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache --log-level=WARNING
cmake --build /build
[ $# -gt 0 ] || set -- -L 'hip|hsa|e2e|unit'
exec ctest --test-dir /build --output-on-failure -j2 "$@"
