# SPDX-License-Identifier: MIT
# A handler that ends its process or prints when it is loaded: probe-run says so, and its own process and the program's
# output are not touched.
for what in exit crash print; do
	TEST_HANDLER_LOADS=$what probe-run -q -o $what.db -a "$PROBE/lib/probe/handlers/count.so" "$FAKE_APP" out=program exit=7
	echo " $what: status $?"
done
TEST_HANDLER_LOADS=exit probe-run --list | grep '^  count .*refused'
