#!/bin/bash
# SPDX-License-Identifier: MIT
# completion.sh bash|fish BIN SOURCE: the shell offers every option of every program, and the verbs.
set -eu
shell=$1
bin=$2
source=$3
PATH=$bin:$PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# shellcheck disable=SC1091
. "$source/completions/probe.bash"
bash_offers() # WORDS...: what is offered for the last
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_probe
	printf '%s\n' "${COMPREPLY[@]:-}"
}

for program in probe-run probe-report probe-config; do
	"$program" --print-options | sort >wanted
	[ "$(wc -l <wanted)" -gt 5 ]
	# --print-options prints the options that --help shows.
	"$program" --help | grep -o '^ *\(-., \)\?--[a-z-]*' | grep -o -e '--.*' | sort >shown
	sed 's/=$//' wanted | diff shown -
	if [ "$shell" = bash ]; then
		bash_offers "$program" -- | sort | diff wanted -
	else
		fish -c "source $source/completions/probe.fish; complete -C '$program --'" |
			cut -f1 | sort | diff <(sed 's/=$//' wanted) -
	fi
done
[ "$shell" = bash ] || exit 0
bash_offers probe-report li | sort | tr '\n' ' ' | grep -qx 'lines list '
bash_offers probe-run -- ./app --ver | grep -qx ''
