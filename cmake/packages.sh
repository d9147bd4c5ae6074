#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the Debian packages that a goal needs and the machine lacks; says which.
#   packages.sh demo|check|bench
#   packages.sh list GOAL RELEASE    print what a release of Debian needs, on one line
set -eu

usage() {
	echo "usage: packages.sh demo|check|bench; packages.sh list GOAL bookworm|trixie|forky|experimental" >&2
	exit 2
}

mode=install
if [ "${1:-}" = list ]; then
	mode=list
	shift
	release="${2:-}"
else
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
fi

# hipcc's LLVM determines which LLVM the plugin is built for. Packages that have different names in
# each release, or exist in one release only, are listed with it. `other`: an LLVM that no release's
# hipcc has, for tests of the plugin.
common="gcc g++ cmake ninja-build pkg-config hipcc libamdhip64-dev
	libhsa-runtime-dev libamd-comgr-dev libdwarf-dev libelf-dev libmd-dev libsqlite3-dev sqlite3 zlib1g-dev libzstd-dev libjansson-dev git"
other=
case "$release" in
trixie) build="$common clang-17 lld-17 llvm-17-dev rocm-device-libs-17" llvm=17 other=18 ;;
forky) build="$common clang-21 lld-21 llvm-21-dev rocm-device-libs-21" llvm=21 other=22 ;;
experimental) build="$common clang-22 lld-22 llvm-22-dev rocm-device-libs-22" llvm=22 ;;
bookworm) build="$common clang-15 lld-15 llvm-15-dev rocm-device-libs" llvm=15 ;;
*)
	[ "$mode" = install ] || usage
	# Another system with Debian packages: tries those of Debian 12.
	build="$common clang-15 lld-15 llvm-15-dev rocm-device-libs" llvm=15
	;;
esac
check="libcmocka-dev llvm-$llvm-tools python3 jq abigail-tools cppcheck"
[ -z "$other" ] || check="$check clang-$other lld-$other llvm-$other-dev"
bench="pocl-opencl-icd ocl-icd-opencl-dev"
if [ "$mode" = install ]; then
	# for tests of the HTML page, manuals, completions, exports
	check="$check chromium help2man fish zsh libotf2-trace-dev otf2-tools postgresql"
else
	check="$check ccache make"
fi

case "${1:-}" in
demo) want="$build" ;;
check) want="$build $check" ;;
bench) want="$build $check $bench" ;;
*) usage ;;
esac
if [ "$mode" = list ]; then
	# shellcheck disable=SC2086
	echo $want
	exit 0
fi

missing=""
for package in $want; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=""
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "probe: cannot install$missing: not root and there is no sudo; install them and run make again" >&2
		exit 1
	fi
	sudo="sudo"
fi
echo "probe: installing$missing"
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
