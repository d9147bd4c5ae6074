#!/bin/sh
# SPDX-License-Identifier: MIT
# config.sh BUILD SOURCE: probe-config prints what exists and rejects everything else.
set -eu
build=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "$*" >&2
	exit 1
}

# expect WHAT STATUS STDOUT STDERR-PATTERN COMMAND...
expect()
{
	what=$1 status=$2 out=$3 pattern=$4
	shift 4
	got=0
	"$@" >"$dir/out" 2>"$dir/err" || got=$?
	[ "$got" = "$status" ] || fail "$what: exit $got, should be $status"
	[ "$(cat "$dir/out")" = "$out" ] || fail "$what: printed '$(cat "$dir/out")', should be '$out'"
	[ -n "$pattern" ] || pattern='^no stderr expected$'
	[ -s "$dir/err" ] || echo 'no stderr expected' >"$dir/err"
	grep -qE "$pattern" "$dir/err" || fail "$what: stderr '$(cat "$dir/err")' lacks '$pattern'"
}

# A separate installation in which only some parts exist.
root=$dir/root
mkdir -p "$root/bin" "$root/lib/probe/llvm-15" "$root/lib/probe/handlers" "$root/include"
cp "$build/bin/probe-config" "$root/bin/"
: >"$root/lib/probe/llvm-15/libprobe.so"
config=$root/bin/probe-config
root=$(realpath "$root")

expect cflags 0 "-g -fpass-plugin=$root/lib/probe/llvm-15/libprobe.so" '' "$config" --cflags
expect 'default major' 0 "$root/lib/probe/llvm-15/libprobe.so" '' "$config" --pass-plugin
expect 'major 15' 0 "$root/lib/probe/llvm-15/libprobe.so" '' "$config" --pass-plugin --llvm 15
expect 'major 19' 1 '' '^probe: error: .*llvm-19/libprobe.so.*install llvm-19-dev' "$config" --pass-plugin --llvm 19
expect 'no major' 2 '' "^probe: error: invalid value 'x' for --llvm" "$config" --cflags --llvm x
expect includes 0 "-I$root/include" '' "$config" --includes
expect handlers 0 "$root/lib/probe/handlers" '' "$config" --handlers-dir
expect 'two things' 0 "-I$root/include
$root/lib/probe/handlers" '' "$config" --handlers-dir --includes
expect cmake 1 '' '^probe: error: .*/lib/cmake/probe does not exist' "$config" --cmake-dir
expect nothing 2 '' '^probe: error: nothing to print' "$config"
expect 'only llvm' 2 '' '^probe: error: nothing to print' "$config" --llvm 15
expect word 2 '' "^probe: error: unexpected argument 'cflags'" "$config" cflags
expect unknown 2 '' '^probe: error: ' "$config" --no-such-option
"$config" --help >"$dir/help" || fail "--help: $?"
for option in $("$config" --print-options); do
	grep -qe "${option%=}" "$dir/help" || fail "--help lacks $option"
done

# The targets are those whose kernels the pass clones.
if [ -e "$build/lib/probe/llvm-15/libprobe.so" ] && command -v opt-15 >/dev/null; then
	for target in $("$config" --targets) gfx803 gfx1201; do
		sed "s/TARGET/$target/" "$source/tests/cmd/config.ll" >"$dir/kernel.ll"
		opt-15 -load-pass-plugin "$build/lib/probe/llvm-15/libprobe.so" -passes=probe \
			-S "$dir/kernel.ll" -o "$dir/clones.ll"
		clones=$(grep -c '^define .*@__probe_memory_kernel(' "$dir/clones.ll") || true
		known=0
		"$config" --targets | grep -qx "$target" && known=1
		[ "$clones" = "$known" ] || fail "$target: $clones clones, listed $known"
	done
fi

# A handler built with pkg-config.
mkdir -p "$root/lib/pkgconfig"
cp "$build/lib/pkgconfig/probe.pc" "$root/lib/pkgconfig/"
cp "$build/lib/libprobe-rules.a" "$root/lib/"
cp -r "$source/include/probe" "$root/include/"
export PKG_CONFIG_PATH="$root/lib/pkgconfig"
if command -v pkg-config >/dev/null; then
	# shellcheck disable=SC2046 # words
	cc -shared -fPIC "$source/examples/handler/lds_conflicts.c" $(pkg-config --cflags --libs probe) -o "$dir/handler.so" ||
		fail "pkg-config: a handler cannot be built"
	[ -e "$(pkg-config --variable=passplugin probe)" ] || fail "pkg-config: no pass plugin"
fi
