#!/bin/sh
# SPDX-License-Identifier: MIT
# hardening.sh PROGRAM... [--loaded LIBRARY...]: checks that programs and libraries have read-only
# relocations, immediate binding and no executable stack; and programs stack protection and FORTIFY,
# which abort: libraries that are loaded into a program of the user's must not.
status=0
wrong()
{
	echo "$program: $1"
	status=1
}
loaded=
for program in "$@"; do
	if [ "$program" = --loaded ]; then
		loaded=yes
		continue
	fi
	readelf -h "$program" | grep -q 'Type:.*DYN' || wrong "not position independent"
	readelf -lW "$program" | grep -q GNU_RELRO || wrong "no RELRO"
	readelf -dW "$program" | grep -q -E 'BIND_NOW|FLAGS.*NOW' || wrong "no BIND_NOW"
	readelf -dW "$program" | grep -q TEXTREL && wrong "relocations in its text"
	readelf -lW "$program" | grep 'GNU_STACK' | grep -q 'RW ' || wrong "executable stack"
	[ "$loaded" ] && continue
	readelf --dyn-syms -W "$program" | grep -q __stack_chk_fail || wrong "no stack protector"
	readelf --dyn-syms -W "$program" | grep -q -E '__[a-z]+_chk' || wrong "no FORTIFY"
done
exit $status
