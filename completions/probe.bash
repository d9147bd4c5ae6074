# SPDX-License-Identifier: MIT
# Completion of probe-run, probe-report and probe-config for bash. The options come from the
# programs, so that they are always those of the version installed.
_probe_options()
{
	"$1" --print-options 2>/dev/null
}

_probe()
{
	local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} i
	COMPREPLY=()
	# Behind the program that probe-run starts, its own words.
	if [[ ${program##*/} == probe-run ]]; then
		for ((i = 1; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -- ]] && return
		done
	fi
	if [[ $word == --* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_probe_options "$program")" -- "$word")
		# The value follows without a blank.
		if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
			compopt -o nospace 2>/dev/null || true
		fi
	elif [[ ${program##*/} == probe-report && $COMP_CWORD == 1 ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" --print-verbs 2>/dev/null)" -- "$word")
	fi
}

complete -o default -F _probe probe-run probe-report probe-config
