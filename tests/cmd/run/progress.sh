# SPDX-License-Identifier: MIT
# On a terminal, a line says what takes long, and nothing of it is left. Here the line comes at once.
PROBE_PROGRESS_DELAY=0
export PROBE_PROGRESS_DELAY
terminal()
{
	echo "== $*" | sed "s|$PROBE/||; s|$FAKE_APP|app|"
	"$(dirname "$0")/../terminal.py" "$@"
}
app="$FAKE_APP connect announce=x memory=500 exit-record"
# The terminal is the program's while it runs.
terminal probe-run --no-report -d one -o run.db -a count,memory $FAKE_APP connect announce=x memory=500 "err=its own text" exit-record
terminal probe-run -q -d quiet -o run.db $app
TERM=dumb probe-run --no-report -d pipe -o run.db $app
terminal probe-report replay -a "$PROBE/lib/probe/handlers/count.so" -o again.db one/run.db
terminal probe-report replay -q -a "$PROBE/lib/probe/handlers/count.so" -o quiet.db one/run.db
terminal --both probe-report kernels --format csv -f kernel one/run.db
