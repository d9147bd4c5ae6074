#!/bin/sh
# SPDX-License-Identifier: MIT
# package-check.sh FILE.deb: install the package in a copy of this system that exists for this test only
# (an overlay in a mount namespace), compile and record an example as a user does, remove it again.
# Needs root, and hipcc. What it leaves behind: nothing.
set -eu
if [ "${2:-}" != inside ]; then
	[ "$(id -u)" = 0 ] || {
		echo "probe: the package is installed in a mount namespace: run this as root" >&2
		exit 1
	}
	layers=$(mktemp -d)
	status=0
	unshare --mount sh "$0" "$(realpath "$1")" inside "$layers" || status=$?
	rmdir "$layers"
	exit "$status"
fi
package=$1
layers=$3
fail() {
	echo "probe: package: $*" >&2
	exit 1
}

mount -t tmpfs probe-package "$layers"
for folder in usr var etc; do
	mkdir -p "$layers/$folder/new" "$layers/$folder/work"
	mount -t overlay probe-package -o \
		"lowerdir=/$folder,upperdir=$layers/$folder/new,workdir=$layers/$folder/work" "/$folder"
done
work=$layers/work
mkdir "$work"
cd "$work"

dpkg -i "$package" >install.txt 2>&1 || fail "dpkg -i: $(tail -3 install.txt)"
dpkg -s probe | grep -q '^Status: install ok installed' || fail "dpkg does not say that it is installed"
for page in probe-run probe-report probe-config; do
	[ -e "/usr/share/man/man1/$page.1" ] || [ -e "/usr/share/man/man1/$page.1.gz" ] || fail "no manual of $page"
done

cp /usr/share/doc/probe/examples/transpose.hip /usr/share/doc/probe/examples/check.h .
# shellcheck disable=SC2046 # words
hipcc --offload-arch=gfx90a -g -O2 $(probe-config --cflags) transpose.hip -o transpose ||
	fail "hipcc does not compile an example"
probe-run -q --device=sim -o "$work/run.db" ./transpose >out.txt 2>err.txt || fail "probe-run: $(cat err.txt)"
probe-report lines -q --format csv -f file,line,conflicts run.db >lines.csv
awk -F, 'NR > 1 && $3 > 0 { found = 1 } END { exit !found }' lines.csv || fail "no bank conflicts in $(cat lines.csv)"

cat >marked.cpp <<'END'
#include <roctx.h>
int main() { return roctxRangePush("all") || roctxRangePop(); }
END
g++ marked.cpp -I/usr/include/probe/roctracer -L/usr/lib/probe/roctx -lroctx64 \
	-Wl,-rpath,/usr/lib/probe/roctx -o marked && ./marked || fail "libroctx64.so"

dpkg -r probe >remove.txt 2>&1 || fail "dpkg -r: $(cat remove.txt)"
left=$(find /usr/bin/probe-* /usr/lib/probe /usr/include/probe /usr/share/doc/probe 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo "probe: $(basename "$package"): installed, compiled and recorded an example, removed"
