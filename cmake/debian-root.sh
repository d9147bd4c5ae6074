#!/bin/sh
# SPDX-License-Identifier: MIT
# Build and test in a root of another Debian release, for its ROCm:
#   debian-root.sh trixie|forky|experimental [ctest arguments]
# "experimental" is unstable (sid) with the ROCm of Debian's experimental.
# The root is made by mmdebstrap from the mirror that this machine's apt uses, and kept with its build
# directory and compiler cache in $PROBE_ROOTS (default: probe/roots in the user's cache), so that a
# later run needs no network. Needs to be root: the build runs in a chroot.
set -eu

say() {
	echo "probe: $*" >&2
}

release="${1:-}"
case "$release" in
trixie | forky | experimental) shift ;;
*)
	say "usage: debian-root.sh trixie|forky|experimental [ctest arguments]"
	exit 2
	;;
esac
tree=$(cd "$(dirname "$0")/.." && pwd)
roots="${PROBE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/probe/roots}"
packages=$("$tree/cmake/packages.sh" list check "$release")

if [ "$(id -u)" != 0 ]; then
	say "a root of Debian $release needs root's rights: run this with sudo"
	exit 1
fi
if ! unshare -m true 2>/dev/null; then
	say "a root of Debian $release needs the right to mount (CAP_SYS_ADMIN), which this container does not give"
	exit 1
fi
if ! mkdir -p "$roots" 2>/dev/null || [ ! -w "$roots" ]; then
	say "cannot keep a root of Debian $release in $roots: set PROBE_ROOTS to a directory that can be written"
	exit 1
fi
root=$(cd "$roots" && pwd)/$release

# The mirror of this machine's Debian: an address that apt knows for main, without the trailing
# slash.
mirror() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		sed -n 's|^Debian main \(.*[^/]\)/*$|\1|p' | head -n 1
}

# ROCm's packages of experimental are preferred; of others, only what these depend on comes from there.
# shellcheck disable=SC2016
pin_rocm='mkdir -p "$1/etc/apt/preferences.d"
printf "Package: %s\nPin: release a=experimental\nPin-Priority: 990\n" \
	"hipcc* libamdhip64* libhiprtc* libhsa-runtime* libamd-comgr* rocm-device-libs* librocprofiler-register*" \
	>"$1/etc/apt/preferences.d/rocm"'

# Created under another name and renamed when complete, so that a root is never incomplete.
make_root() {
	from=$(mirror)
	if [ -z "$from" ]; then
		say "no root of Debian $release: apt has no mirror of Debian"
		exit 1
	fi
	suite=$release
	set -- "deb $from $release main"
	if [ "$release" = experimental ]; then
		suite=sid
		set -- --setup-hook="$pin_rocm" "deb $from sid main" "$@"
	fi
	if ! command -v mmdebstrap >/dev/null; then
		say "installing mmdebstrap"
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap
	fi
	say "making a root of Debian $release in $root (about 2.5 GB)"
	rm -rf "$root.new"
	if ! mmdebstrap --variant=apt --include="$(echo "$packages" | tr ' ' ',')" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
		"$suite" "$root.new" "$@" >"$roots/$release.log" 2>&1; then
		rm -rf "$root.new"
		say "cannot make a root of Debian $release; $roots/$release.log says why"
		exit 1
	fi
	mkdir -p "$root.new/src" "$root.new/build" "$root.new/ccache"
	echo "$packages" >"$root.new/probe-packages"
	rm -rf "$root"
	mv "$root.new" "$root"
}

# Packages that were added to the list since the root was made.
add_packages() {
	say "installing packages that $root lacks"
	# shellcheck disable=SC2086
	if ! { chroot "$root" apt-get -o Acquire::Check-Valid-Until=false update -qq &&
		DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq \
			--no-install-recommends $packages; } >"$roots/$release.log" 2>&1; then
		say "cannot install packages in $root; $roots/$release.log says why. Remove the directory to make it anew"
		exit 1
	fi
	echo "$packages" >"$root/probe-packages"
}

if [ ! -e "$root/probe-packages" ]; then
	make_root
elif [ "$(cat "$root/probe-packages")" != "$packages" ]; then
	add_packages
fi

# In a mount namespace of its own: nothing stays mounted.
# shellcheck disable=SC2016
exec unshare -m sh -eu -c '
	root=$1 tree=$2
	shift 2
	mount --bind "$tree" "$root/src"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount --rbind /sys "$root/sys"
	exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		CCACHE_DIR=/ccache sh -eu /src/cmake/root-check.sh "$@"' sh "$root" "$tree" "$@"
