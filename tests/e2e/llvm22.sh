#!/bin/sh
# SPDX-License-Identifier: MIT
# Every kind with LLVM 22.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"
. "$source/tests/e2e/majors/check.sh"
check 22
