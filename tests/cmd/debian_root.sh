#!/bin/sh
# SPDX-License-Identifier: MIT
# debian_root.sh SOURCE: where no root of another Debian can be made, cmake/debian-root.sh says why in
# one sentence, and does nothing. Commands that need root's rights or a network are stand-ins.
set -eu
source=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
export PATH="$dir/bin:$PATH"
export PROBE_ROOTS="$dir/roots"

# stand_in COMMAND BODY
stand_in()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/$1"
	chmod 755 "$dir/bin/$1"
}

# refused WHAT SENTENCE [STATUS]: that is all that is printed
refused()
{
	got=0
	sh "$source/cmake/debian-root.sh" forky >"$dir/out" 2>&1 || got=$?
	if [ "$got" != "${3:-1}" ] || [ "$(cat "$dir/out")" != "probe: $2" ]; then
		echo "$1: exit $got, printed '$(cat "$dir/out")', should be 'probe: $2'" >&2
		exit 1
	fi
}

stand_in id 'echo 1000'
refused 'not root' "a root of Debian forky needs root's rights: run this with sudo"
stand_in id 'echo 0'
stand_in unshare 'echo "unshare: Operation not permitted" >&2; exit 1'
refused 'a container' 'a root of Debian forky needs the right to mount (CAP_SYS_ADMIN), which this container does not give'
stand_in unshare ':'
: >"$PROBE_ROOTS"
refused 'a file' "cannot keep a root of Debian forky in $PROBE_ROOTS: set PROBE_ROOTS to a directory that can be written"
export PROBE_ROOTS=/proc/no/directory
refused 'a path that cannot be made' "cannot keep a root of Debian forky in $PROBE_ROOTS: set PROBE_ROOTS to a directory that can be written"
export PROBE_ROOTS="$dir/new"
stand_in apt-get ':'
refused 'no mirror' 'no root of Debian forky: apt has no mirror of Debian'
stand_in apt-get 'echo "Debian main http://mirror.invalid/debian"'
stand_in mmdebstrap 'echo "no network" >&2; exit 1'
refused 'no network' "making a root of Debian forky in $PROBE_ROOTS/forky (about 2.5 GB)
probe: cannot make a root of Debian forky; $PROBE_ROOTS/forky.log says why"
[ "$(cat "$PROBE_ROOTS/forky.log")" = 'no network' ]
[ "$(ls "$PROBE_ROOTS")" = forky.log ]
