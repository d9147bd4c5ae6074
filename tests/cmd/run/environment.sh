# SPDX-License-Identifier: MIT
PROBE_KIND=trace PROBE_DISPATCHES=first probe-run -q -k "copy.*" sh -c 'for name in KIND \
	WHEN_FULL INSTRUMENTED KERNEL_INCLUDE KERNEL_EXCLUDE DISPATCHES; do
	eval "echo $name=\$PROBE_$name"
done
echo $HSA_TOOLS_LIB $LD_PRELOAD
test -S "$PROBE_SOCKET" && echo socket'
PROBE_LIBRARY_INCLUDE='*.so
memory' PROBE_LIBRARY_EXCLUDE=x PROBE_TRACE=hip probe-run --library-exclude=y -q sh -c 'for name in LIBRARY_INCLUDE LIBRARY_EXCLUDE \
	TRACE INSTRUMENTED; do
	eval "echo $name=\$PROBE_$name"
done'
PROBE_KIND=tape probe-run true
echo $?
ASAN_OPTIONS=verify_asan_link_order=0 # probe-run itself has the library, too
export ASAN_OPTIONS
cp "$TEST_HANDLERS/preload/nothing.so" "$PROBE/other.so"
HSA_TOOLS_LIB=other.so LD_PRELOAD=$PROBE/other.so probe-run -q sh -c 'echo $HSA_TOOLS_LIB $LD_PRELOAD'
