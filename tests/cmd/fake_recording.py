# SPDX-License-Identifier: MIT
"""Records the stand-in of a program (fake-app), for tests in which something of probe-run fails."""
import os
import shutil
import subprocess

ACTS = ["connect=4", "announce=x", "memory=5", "trace=3", "exit-record", "exit=4"]
CHECK = """PRAGMA integrity_check;
    SELECT count(*) FROM probe_counter; SELECT sum(size) FROM probe_record; SELECT sum(executions) FROM probe_counter;
    SELECT count(*) FROM probe_site; SELECT coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%';
    SELECT stream FROM probe_account GROUP BY stream HAVING stream <> 'dispatches' AND
        sum(value) FILTER (WHERE name = 'emitted') <> sum(value) FILTER (WHERE name = 'stored' OR name LIKE 'dropped.%');"""


def check(err):
    """What is in the database of a run with these messages."""
    if not os.path.exists("out/x.db"):
        return b"none"
    # A message names a -wal that is left; only a reader that may write can read with it.
    mode = [] if "keep " in err else ["-readonly"]
    return subprocess.run(["sqlite3"] + mode + ["out/x.db", CHECK], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False).stdout


def record(environment):
    shutil.rmtree("out", ignore_errors=True)
    command = [os.path.join(os.environ["PROBE_BIN"], "probe-run"), "-q", "-d", "out", "-o", "x.db", "--kind", "memory", "-a",
               "count", os.environ["FAKE_APP"]] + ACTS
    run = subprocess.run(command, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         check=False)
    err = run.stderr.decode("utf-8", "replace")
    return run.returncode, err, check(err)
