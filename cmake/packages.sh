#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the Debian packages that a goal needs and the machine lacks; says which.
#   packages.sh demo|check|bench
set -eu

build="gcc g++ cmake ninja-build pkg-config
	clang-15 lld-15 llvm-15-dev hipcc libamdhip64-dev rocm-device-libs
	libhsa-runtime-dev libhsakmt-dev libamd-comgr-dev
	libdwarf-dev libelf-dev libsqlite3-dev sqlite3 zlib1g-dev git"
check="libcmocka-dev llvm-15-tools python3 jq chromium"
bench="pocl-opencl-icd ocl-icd-opencl-dev"

case "${1:-}" in
demo) want="$build" ;;
check) want="$build $check" ;;
bench) want="$build $check $bench" ;;
*)
	echo "usage: packages.sh demo|check|bench" >&2
	exit 2
	;;
esac

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
