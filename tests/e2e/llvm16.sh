#!/bin/sh
# SPDX-License-Identifier: MIT
# Every kind by LLVM 16.
. "$(dirname "$0")/lib.sh"
. "$source/tests/e2e/majors/check.sh"
check 16
