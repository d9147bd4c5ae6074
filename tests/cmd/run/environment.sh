# SPDX-License-Identifier: MIT
PROBE_KIND=trace PROBE_DISPATCHES=first probe-run -q -k "copy.*" sh -c 'for name in KIND \
	WHEN_FULL INSTRUMENTED KERNEL_INCLUDE KERNEL_EXCLUDE DISPATCHES; do
	eval "echo $name=\$PROBE_$name"
done
echo $HSA_TOOLS_LIB $LD_LIBRARY_PATH
test -S "$PROBE_SOCKET" && echo socket'
PROBE_KIND=tape probe-run true
echo $?
HSA_TOOLS_LIB=other.so LD_LIBRARY_PATH=/x probe-run -q sh -c 'echo $HSA_TOOLS_LIB $LD_LIBRARY_PATH'
