#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with habits that break tools inside them have the output, messages, status, descriptors, threads and
# signal handlers that they have without Probe, and no record is lost.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/habits.hip" habits -lpthread

# output_of FILE COMMAND...: runs the program, with output in FILE.out and FILE.err, status in FILE.status. Waits for
# all processes that have its output, as that of a daemon.
output_of()
{
	_file=$1
	shift
	{
		_got=0
		"$@" ./habits "$habit" 7 2>"$_file.err" </dev/null || _got=$?
		echo "$_got" >"$_file.status"
	} | cat >"$_file.out"
}

# same NAME: compares a run without and with Probe
same()
{
	habit=$1
	output_of plain simulated
	output_of run probe-run --device=sim -q -d "$work/out" --force -o "$1.db" --
	expect "$1: status" "$(cat run.status)" "$(cat plain.status)"
	cmp plain.out run.out || fail "$1: stdout differs: $(diff plain.out run.out)"
	grep -v '^probe: ' run.err >run.own || true
	# The shell names the process that a signal ended.
	cmp plain.err run.own || fail "$1: stderr differs: $(diff plain.err run.own)"
	ls "$work/out/" | grep -q -e "-spool" && fail "$1: a spool is left"
	return 0
}

# unknown NAME: true if the account says that a dispatch was not recorded. A program that goes away just after a kernel
# ended, by a kill or an exec, may be ahead of the thread that records it.
unknown()
{
	[ "$(sqlite3 "out/$1.db" "SELECT count(*) FROM probe_account WHERE name = 'unknown' AND value > 0")" -ge 1 ]
}

# recorded NAME DISPATCHES: the run was recorded, and nothing of it is lost
recorded()
{
	same "$1"
	# comgr 7 ends the program itself where its folder was removed.
	[ "$1" = deleted-folder ] && grep -q '^LLVM ERROR' plain.err && return 0
	# HIP 7.2.4 crashes if a kernel is launched before the program has registered it.
	[ "$1" = static ] && [ "$(cat plain.status)" = 139 ] && return 0
	balanced "out/$1.db"
	found=$(sqlite3 "out/$1.db" "SELECT count(*) FROM rocpd_kernel_dispatch")
	[ "$found" -ge "$2" ] || { [ "$1" = exec ] && unknown exec; } || fail "$1: $found dispatches"
	lost=$(sqlite3 "out/$1.db" "SELECT coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%'")
	expect "$1: lost" "$lost" 0
}

for how in plain static closed-before no-stdin no-stderr deleted-folder few-files no-core small-stack umask \
	huge-environment not-dumpable own-session all-blocked locale rounding tick child-handler fault exec callback \
	threads small-thread fork spawn at-exit much-output stop dlclose close-after exit-elsewhere; do
	recorded "$how" 1
done
for how in kill terminate abort _exit exit-while-running; do
	same "$how"
	[ "$(sqlite3 "out/$how.db" "SELECT count(*) FROM rocpd_kernel_dispatch")" -ge 1 ] || unknown "$how" ||
		fail "$how: nothing recorded"
done
# The tool is not called, cannot connect, or the program ends before its first kernel.
for how in no-environment sandbox no-file-size; do
	same "$how"
done
# The program's first process ends at once; the daemon has another second.
same daemon
