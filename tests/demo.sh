#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's first session: compile an example with the plugin, run it under probe-run, report.
#   demo.sh BUILD_DIR
set -eu

build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$build/bin:$PATH"
work="$build/demo"

rm -rf "$work"
mkdir -p "$work"
cd "$work"

step()
{
	printf '\n$ %s\n' "$*"
	"$@"
}

step hipcc --offload-arch=gfx90a -g -O2 "-fpass-plugin=$(probe-config --pass-plugin)" \
	"$source/examples/transpose.hip" -o transpose
step probe-run -- ./transpose
step probe-report lines probe-out/*/*.db
