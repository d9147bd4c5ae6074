#!/bin/sh
# SPDX-License-Identifier: MIT
# hardening.sh PROGRAM...: checks that programs are position independent, with read-only
# relocations, immediate binding and stack protection.
status=0
for program in "$@"; do
	readelf -h "$program" | grep -q 'Type:.*DYN' || { echo "$program: not position independent"; status=1; }
	readelf -lW "$program" | grep -q GNU_RELRO || { echo "$program: no RELRO"; status=1; }
	readelf -dW "$program" | grep -q -E 'BIND_NOW|FLAGS.*NOW' || { echo "$program: no BIND_NOW"; status=1; }
	readelf -lW "$program" | grep 'GNU_STACK' | grep -q 'RW ' || { echo "$program: executable stack"; status=1; }
	readelf --dyn-syms -W "$program" | grep -q __stack_chk_fail || { echo "$program: no stack protector"; status=1; }
	readelf --dyn-syms -W "$program" | grep -q -E '__[a-z]+_chk' || { echo "$program: no FORTIFY"; status=1; }
done
exit $status
