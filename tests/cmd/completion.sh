#!/bin/bash
# SPDX-License-Identifier: MIT
# completion.sh bash|zsh|fish BIN SOURCE: the shell offers every option of every program, and the verbs.
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

# What zsh's completion system would call, with its compadd replaced.
cat >offers.zsh <<'END'
fpath=($1 $fpath)
shift
autoload -Uz compinit
compinit -u -D
[[ $_comps[$1] == _probe ]] || { print "no completion for $1"; exit 1 }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
_files() { print files }
words=("$@") CURRENT=$#
_probe
END
zsh_offers()
{
	zsh -f offers.zsh "$source/completions" "$@"
}

for program in probe-run probe-report probe-config; do
	"$program" --print-options | sort >wanted
	[ "$(wc -l <wanted)" -gt 5 ]
	# --print-options prints the options that --help shows.
	"$program" --help | grep -o '^ *\(-., \)\?--[a-z-]*' | grep -o -e '--.*' | sort >shown
	sed 's/=$//' wanted | diff shown -
	case $shell in
	bash) bash_offers "$program" -- | sort | diff wanted - ;;
	zsh) zsh_offers "$program" -- | sort | diff wanted - ;;
	fish)
		fish -c "source $source/completions/probe.fish; complete -C '$program --'" |
			cut -f1 | sort | diff <(sed 's/=$//' wanted) -
		;;
	esac
done
case $shell in
bash)
	bash_offers probe-report li | sort | tr '\n' ' ' | grep -qx 'lines list '
	bash_offers probe-run -- ./app --ver | grep -qx ''
	;;
zsh)
	zsh_offers probe-report li | sort | diff <({ probe-report --print-verbs; echo files; } | sort) -
	zsh_offers probe-run -- ./app --ver | grep -qx files
	;;
esac
