#!/bin/sh
# SPDX-License-Identifier: MIT
# Unusual surroundings of a program: it writes, reads and ends as it does without probe-run, and is recorded.
# Folder: cmds/run
. "$(dirname "$0")/lib.sh"

cat >sums.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void fill(int *p, int n) { p[threadIdx.x] = threadIdx.x + n; }
int main(int argc, char **argv)
{
	int *p, host[64], n = atoi(argv[1]);
	if (hipMalloc(&p, sizeof(host)) != hipSuccess) return 99;
	for (int i = 0; i < n; i++) {
		fill<<<1, 64>>>(p, i);
		if (hipMemcpy(host, p, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess) return 98;
		printf("%d\n", host[63]);
		fflush(stdout);
	}
	return ferror(stdout) ? 6 : argc;
}
END
compile sums.hip sums

# The program as the snippets start it.
cat >plain <<END
#!/bin/sh
LD_PRELOAD="$build/lib/probe/sim/libprobe-sim.so" exec "\$@"
END
cat >recorded <<END
#!/bin/sh
exec "$build/bin/probe-run" --device=sim -q -d "$work/out" --force -o run.db "\$@"
END
chmod +x plain recorded

# launches DB: of the program's kernel. HIP may copy by kernels of its own.
launches()
{
	sqlite3 "$1" "SELECT count(*) FROM rocpd_kernel_dispatch d JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id
		WHERE k.kernel_name LIKE '%fill%'"
}

# same NAME LAUNCHES SNIPPET: the snippet, in which $run starts a program, has the same output with both, and so many
# kernels are in the first process's database ("": any number; a pipe may end the program).
same()
{
	for run in ./plain ./recorded; do
		export run
		sh -c "$3" >"${run#./}.out" 2>"${run#./}.err" </dev/null || true
	done
	cmp plain.out recorded.out || fail "$1: stdout differs: $(diff plain.out recorded.out)"
	cmp plain.err recorded.err || fail "$1: stderr differs: $(diff plain.err recorded.err)"
	[ -n "$2" ] || return 0
	expect "$1: launches" "$(launches out/run.db)" "$2"
	balanced out/run.db
}

# No file of probe-run may take the place of a closed descriptor.
for closed in '2>&-' '0<&- 1>&-' '0<&- 1>&- 2>&-'; do
	same "closed: $closed" 2 "exec 3>status; \$run ./sums 2 $closed 3>&-; echo \$? >&3"
done
same 'reader leaves' '' '{ $run ./sums 1000; echo $? >&2; } | head -n 1'
same 'SIGPIPE ignored' 3 '{ trap "" PIPE; $run ./sums 3 2>/dev/null; echo $? >&2; } | true'
same 'output device full' 3 '$run ./sums 3 >/dev/full; echo $?'
same 'long input' 1 'head -c 5000000 /dev/zero | $run sh -c "./sums 1; wc -c"; echo $?'
same 'input is a FIFO' 1 'mkfifo in; echo word >in & $run sh -c "./sums 1; cat" <in; echo $?; rm in'
# shellcheck disable=SC2016
same 'environment empty' 1 'env -i PATH="$PATH" $run ./sums 1; echo $?'
same 'arguments' 1 '$run ./sums 1 "a
b" "" "$(printf "\377\001")" -- -q; echo $?'
same '20000 arguments' 1 '$run ./sums 1 $(seq 20000) ; echo $?'
same 'program without #!' 1 'printf "./sums 1; exit 7\n" >script; chmod +x script; $run ./script; echo $?'
same 'in a probe-run' 1 'probe-run --device=sim -q -d other --force -o outer.db $run ./sums 1; echo $?'
same 'malloc checks' 1 'MALLOC_PERTURB_=165 LD_BIND_NOW=1 $run ./sums 1; echo $?'
same 'directory changed' 1 '$run sh -c "here=\$PWD; cd /; \$here/sums 1"; echo $?'

# Twelve processes at once, one database each.
rm -rf out
# shellcheck disable=SC2016
./recorded sh -c 'for n in $(seq 12); do ./sums 1 >/dev/null & done; wait'
expect 'twelve processes' "$(for db in out/*.db; do launches "$db"; done | sort | uniq -c | tr -s ' ')" " 12 1"
expect 'spools left' "$(find out -name '*-spool')" ''
