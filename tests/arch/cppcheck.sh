#!/bin/sh
# SPDX-License-Identifier: MIT
# cppcheck.sh SOURCE [FOLDER...]: cppcheck over all code, or over some folders. Each suppression in
# cmake/cppcheck-suppressions.txt has its reason.
set -eu
command -v cppcheck >/dev/null || { echo "needs the package cppcheck"; exit 77; }
cd "$1"
shift
[ $# -gt 0 ] || set -- cmds codeobj common devlib examples handlers hsa-plugin include llvm-plugin \
	model pcsample rules simgpu store tests wire
exec cppcheck --quiet --std=c11 --enable=warning,portability --max-configs=1 --inline-suppr -j2 -I . \
	-I include -D__linux__ '-DElfW(type)=Elf64_##type' -DLLVM_VERSION_MAJOR=15 -DSIM_LEVEL=base \
	--suppressions-list=cmake/cppcheck-suppressions.txt --error-exitcode=1 "$@"
