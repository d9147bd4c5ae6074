#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh SOURCE BUILD: compares the binary interfaces that others are compiled for with the .abi files
# here: what a handler and its host pass each other, and what the libraries loaded into a program
# export. UPDATE=1 writes the files.
set -u
source=$1 build=$2 status=0
command -v abidiff >/dev/null || { echo "needs the package abigail-tools"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while read -r name library; do
	committed=$source/tests/arch/$name.abi
	# Without what depends on the place of the tree.
	abidw --exported-interfaces-only --type-id-style hash --no-show-locs --no-corpus-path \
		--no-comp-dir-path --no-elf-needed "$build/lib/probe/$library" |
		sed "s#path='$source/#path='#" > "$work/$name.abi"
	grep -q abi-instr "$work/$name.abi" || { echo "$library has no debug information"; exit 77; }
	if [ "${UPDATE:-}" ]; then
		cp "$work/$name.abi" "$committed"
		continue
	fi
	abidiff "$committed" "$work/$name.abi" > "$work/changes" && continue
	status=1
	echo "$library: its binary interface is not that of tests/arch/$name.abi"
	cat "$work/changes"
done <<END
handler handlers/count.so
libprobe-hsa libprobe-hsa.so
libroctx64 roctx/libroctx64.so.4
END
[ $status = 0 ] || cat <<END
What was compiled before still works if members were only appended to structures that begin with
their size, or symbols added. Any other change needs a new PROBE_HANDLER_ABI (handlers) or a line in
CHANGELOG.md. Then: UPDATE=1 sh tests/arch/abi.sh SOURCE BUILD
END
exit $status
