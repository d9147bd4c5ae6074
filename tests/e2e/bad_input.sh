#!/bin/sh
# SPDX-License-Identifier: MIT
# Errors say what happened, where, and what to do, with the documented exit status.
# Folder: cmds/run
. "$(dirname "$0")/lib.sh"

# try STATUS PATTERN COMMAND...
try()
{
	want=$1
	pattern=$2
	shift 2
	got=0
	"$@" >out.txt 2>&1 || got=$?
	expect "$*: status" "$got" "$want"
	grep -Eqi -- "$pattern" out.txt || fail "$*: no /$pattern/ in: $(cat out.txt)"
}

try 127 'not found|no such file' probe-run --device=sim -- ./no-such-program
echo 'not a program' >plain.txt
try 126 'permission|not executable|cannot' probe-run --device=sim -- ./plain.txt
try 125 'handler|nosuch' probe-run --device=sim -a nosuch -- /bin/true
mkdir -p hidden/bin
cp "$build/bin/probe-run" hidden/bin/
try 125 'simulat|libprobe-hsa' hidden/bin/probe-run --device=sim -- /bin/true
try 2 'usage|unknown|option' probe-report --no-such-option

# no clones: the report lists the kernels and the line to compile with
record plain.db -q -- "$build/examples/plain_transpose" >/dev/null
try 0 'fpass-plugin' probe-report lines plain.db
grep -q transpose_naive out.txt || fail "kernels of a program without clones are not listed"

# a program that never touches HSA
try 0 'nothing recorded.*HSA' probe-run --device=sim -d true -- /bin/true

# a handler of another ABI is refused by name, the run goes on
cat >old.c <<'END'
#include <probe/handler.h>
static int nothing(void *s, const struct probe_batch *b) { (void)s, (void)b; return 0; }
static int start(const struct probe_host *h, void **s) { (void)h, (void)s; return 0; }
static int stop(void *s) { (void)s; return 0; }
PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler), .abi = 999, .name = "future", .streams = 1,
	.open = start, .batch = nothing, .close = stop};
END
cc -shared -fPIC "-I$source/include" old.c -o future.so
try 125 '999' probe-run --device=sim --force -d abi -a ./future.so,memory -- "$build/examples/transpose"
[ ! -e abi ] || [ -z "$(find abi -name "*.db")" ] || fail "the program ran although a handler was refused"

# corrupt, truncated, foreign databases
record good.db -q -- "$build/examples/transpose" >/dev/null
head -c 20000 good.db >short.db
try 1 'short.db' probe-report lines short.db
head -c 100000 /dev/urandom >noise.db
try 1 'noise.db' probe-report lines noise.db
sqlite3 foreign.db 'CREATE TABLE t(x)'
try 1 'foreign.db' probe-report lines foreign.db
: >empty.db
try 1 'empty.db' probe-report lines empty.db
try 1 'missing.db' probe-report lines missing.db
head -c 3000 "$build/examples/transpose" >short.elf
try 1 'short.elf' probe-report info short.elf
