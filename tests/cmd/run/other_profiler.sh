# SPDX-License-Identifier: MIT
# Under ROCr 6.1 and later a library that exports rocprofiler_configure keeps the tool from being called.
# The program is told to skip that, unless the user has decided otherwise.
# A sanitized build of probe-run takes it that this library comes before the sanitizer's.
ASAN_OPTIONS=verify_asan_link_order=0
export ASAN_OPTIONS
probe-run sh -c 'echo "register off: $HSA_TOOLS_DISABLE_REGISTER"'
LD_PRELOAD=$STAND_IN_PROFILER probe-run sh -c 'echo "register off: $HSA_TOOLS_DISABLE_REGISTER"' 2>&1 |
	sed 's|/[^ ]*/||'
LD_PRELOAD=$STAND_IN_PROFILER HSA_TOOLS_DISABLE_REGISTER=0 \
	probe-run sh -c 'echo "register off: $HSA_TOOLS_DISABLE_REGISTER"' 2>&1 | sed 's|/[^ ]*/||'
ROCP_TOOL_LIBRARIES=/x.so HSA_TOOLS_DISABLE_REGISTER=1 probe-run true
