# SPDX-License-Identifier: MIT
# Sourced by every end-to-end test: `. "$(dirname "$0")/lib.sh"` with the test's own arguments.
# Sets $build, $source, a fresh $work as working directory, and PATH. A script that runs as several tests
# at once sets $test before.
# shellcheck shell=sh disable=SC2034
set -eu

build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
name=${test:-$(basename "$0" .sh)}
work="$build/e2e/$name"
PATH="$build/bin:$PATH"
export PATH
unset PROBE_KINDS PROBE_SCOPE PROBE_SPACES PROBE_TIME PROBE_SITES_MEASURED HSA_TOOLS_LIB || true

rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail()
{
	echo "$name: $*" >&2
	exit 1
}

# compile SOURCE OUTPUT [FLAGS...]: as a user would, with the plugin, for $target
compile()
{
	_source=$1
	_output=$2
	shift 2
	hipcc "--offload-arch=${target:-gfx90a}" -g -O2 "-fpass-plugin=$(probe-config --pass-plugin)" "$@" \
		"$_source" -o "$_output"
}

# The LLVM major of hipcc.
hip_llvm()
{
	hipcc --version | sed -n 's/.*clang version \([0-9]*\).*/\1/p' | head -n 1
}

# LLVM 17 compiles programs wrongly at -O0, also without Probe: it reloads spilled registers before it
# restores EXEC, so that most lanes lose their pointer.
wrong_at_O0()
{
	[ "$(hip_llvm)" = 17 ]
}

# simulated COMMAND...: without Probe, on the simulated GPU
simulated()
{
	LD_PRELOAD="$build/lib/probe/sim/libprobe-sim.so" "$@"
}

# machine_sums PROGRAM PATTERN COUNTER...: of each kernel, as the simulator counts the original; CSV
machine_sums()
{
	_program=$1 _pattern=$2
	shift 2
	rm -f stats
	PROBE_SIM_STATS=$PWD/stats simulated "$_program"
	jq -r --arg pattern "$_pattern" 'select(.kernel | test($pattern)) | . as $row |
		[.kernel] + [$ARGS.positional[] | $row[.]] | @csv' stats --args "$@" | sort
}

# probed_sums DB COLUMN...: the same sums of the accesses of each kernel
probed_sums()
{
	_db=$1
	shift
	probe-report lines --all --unfold -n 0 --format json "$_db" | jq -r 'group_by(.kernel)[] | . as $rows |
		[.[0].kernel] + [$ARGS.positional[] as $column | $rows | map(.[$column]) | add] | @csv' --args "$@" | sort
}

# record DB OPTIONS... -- COMMAND...: under probe-run on the simulated GPU; its database becomes DB
record()
{
	_db=$1
	shift
	rm -rf "$_db.dir"
	_status=0
	probe-run --device=sim -d "$_db.dir" "$@" || _status=$?
	for _found in "$_db.dir"/"$(hostname)"/*.db; do
		[ -e "$_found" ] || fail "no database in $_db.dir"
		mv "$_found" "$_db"
	done
	rm -rf "$_db.dir"
	return "$_status"
}

# expect WHAT GOT WANT
expect()
{
	[ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
}

# balanced DB: every stream of the accounting satisfies emitted = stored + dropped
balanced()
{
	_bad=$(sqlite3 "$1" "
		SELECT stream || ': ' || emitted || ' <> ' || stored || ' + ' || dropped FROM (
			SELECT stream,
				sum(CASE WHEN name = 'emitted' THEN value ELSE 0 END) emitted,
				sum(CASE WHEN name = 'stored' THEN value ELSE 0 END) stored,
				sum(CASE WHEN name LIKE 'dropped%' THEN value ELSE 0 END) dropped
			FROM probe_account
			WHERE name IN ('emitted', 'stored') OR name LIKE 'dropped%'
			GROUP BY stream)
		WHERE emitted <> stored + dropped")
	[ -z "$_bad" ] || fail "account of $1: $_bad"
	[ "$(sqlite3 "$1" "SELECT count(DISTINCT stream) FROM probe_account WHERE name = 'emitted'")" -ge 2 ] ||
		fail "account of $1 has fewer than two streams"
}

# accounted DB LEAST: more samples than that; none is lost, and the sums of instructions and of
# dispatches have all of them
accounted()
{
	balanced "$1"
	_samples=$(sqlite3 "$1" "SELECT sum(samples) FROM probe_sample")
	[ "$_samples" -gt "$2" ] || fail "$1: $_samples samples, more than $2 wanted"
	expect "$1: lost, invalid or not attributed" "$(sqlite3 "$1" "SELECT sum(value) FROM probe_account
		WHERE stream = 'samples' AND (name LIKE 'dropped%' OR name = 'no_dispatch')")" 0
	expect "$1: of instructions and of dispatches" \
		"$(sqlite3 "$1" "SELECT sum(samples) FROM probe_sampled")" "$_samples"
}
