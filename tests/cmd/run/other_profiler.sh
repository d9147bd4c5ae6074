# SPDX-License-Identifier: MIT
# Under ROCr 6.1 and later, a library that exports rocprofiler_configure prevents the tool from
# being called. probe-run makes ROCr skip that check, unless the user has set the variable. In a
# sanitized build of probe-run, this library may precede the sanitizer's.
ASAN_OPTIONS=verify_asan_link_order=0
export ASAN_OPTIONS
probe-run sh -c 'echo "register off: $HSA_TOOLS_DISABLE_REGISTER"'
LD_PRELOAD=$STAND_IN_PROFILER probe-run sh -c 'echo "register off: $HSA_TOOLS_DISABLE_REGISTER"' 2>&1 |
	sed 's|/[^ ]*/||'
LD_PRELOAD=$STAND_IN_PROFILER HSA_TOOLS_DISABLE_REGISTER=0 \
	probe-run sh -c 'echo "register off: $HSA_TOOLS_DISABLE_REGISTER"' 2>&1 | sed 's|/[^ ]*/||'
HSA_TOOLS_DISABLE_REGISTER=0 probe-run true
ROCP_TOOL_LIBRARIES=/x.so HSA_TOOLS_DISABLE_REGISTER=1 probe-run true
