#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kills.py PROBE_BIN FAKE_APP TEST_HANDLERS COUNT [SEED]: the program, probe-run and the recorder are
killed with SIGKILL at random times, one, two or all of them; then probe-run --recover. No record that
the program had handed over may be lost, by the count that the program itself keeps, and no file may be
left behind but the databases. Goal R2 of docs/reliability.md."""
import glob
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

KINDS = ("program", "probe-run", "recorder", "recorder twice", "probe-run and recorder", "all")


def children(pid, name):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            pids = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return [child for child in pids if state(child)[0] == name]


def state(pid):
    """Name and state of a process; ("", "Z") if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            text = file.read()
    except OSError:
        return "", "Z"
    return text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2]


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def install(top, binaries, handlers):
    for folder in ("bin", "lib/probe/sim", "lib/probe/handlers", "tmp"):
        os.makedirs(f"{top}/{folder}")
    shutil.copy(f"{binaries}/probe-run", f"{top}/bin")
    for path in glob.glob(f"{handlers}/*.so"):
        shutil.copy(path, f"{top}/lib/probe/handlers")
    shutil.copy(f"{handlers}/count.so", f"{top}/lib/probe/handlers/memory.so")
    shutil.copy(f"{handlers}/preload/nothing.so", f"{top}/lib/probe/sim/libprobe-sim.so")
    open(f"{top}/lib/probe/libprobe-hsa.so", "w").close()


def program(own, dispatches, waves):
    """Words for fake-app: after each step it adds what it has handed over to the file `own`."""
    words, step = ["connect=64", "announce=x"], max(1, dispatches // 20)
    for _ in range(0, dispatches, step):
        words += [f"memory={step}", f"count={own}"]
        if waves:
            words += [f"trace={waves}", f"count={own}"]
    return words + ["exit-record", f"count={own}"]


def kill_some(kind, run, wait):
    """Kills after `wait` seconds; returns the program's process ids."""
    app = []
    while not app and run.poll() is None:
        app = children(run.pid, "fake-app")
    time.sleep(wait)
    recorder = children(run.pid, "probe-recorder")
    victims = {"program": app, "probe-run": [run.pid], "recorder": recorder, "recorder twice": recorder,
               "probe-run and recorder": [run.pid] + recorder, "all": [run.pid] + recorder + app}[kind]
    random.shuffle(victims)
    kill(victims)
    if kind == "recorder twice":
        time.sleep(random.random() * 0.05)
        kill(children(run.pid, "probe-recorder"))
    return app


def check_database(path, own, killed=False):
    """Problems of a database, and its counter rows. `killed`: the program was, whose only thread writes."""
    database = sqlite3.connect(path)
    query = lambda sql: database.execute(sql).fetchall()
    problems = [row[0] for row in query("PRAGMA integrity_check") if row[0] != "ok"]
    problems += query("SELECT stream, 'sum' FROM probe_account WHERE stream <> 'dispatches' GROUP BY stream "
                      "HAVING sum(value) FILTER (WHERE name = 'emitted') <> sum(value) FILTER "
                      "(WHERE name = 'stored' OR name LIKE 'dropped.%')")
    # A record that the program was writing when it was killed is not handed over: one for which it had no space yet is missing.
    problems += query("SELECT stream, name, value FROM probe_account WHERE value > 0 AND (name = 'unread' OR "
                      "name LIKE 'dropped.%' AND name <> 'dropped.uncommitted' AND NOT (stream = 'host' AND "
                      f"name = 'dropped.missing' AND value <= {int(killed)}))")
    traced = query("SELECT coalesce(sum(value), 0) FROM probe_account WHERE stream = 'trace' AND name = 'stored'")
    if own and traced[0][0] < own[2]:
        problems.append(f"{traced[0][0]} of {own[2]} trace records")
    rows = query("SELECT count(*) FROM probe_counter")[0][0]
    database.close()
    return problems, rows


def databases_of(directory):
    """A recorder that was killed before it wrote anything leaves an empty file, which could be anybody's."""
    return [path for path in glob.glob(f"{directory}/*.db") if os.path.getsize(path)]


def left_segments():
    left = glob.glob("/dev/shm/*")
    for path in left:
        os.unlink(path)
    return left


def settings(top):
    environment = dict(os.environ, TMPDIR=f"{top}/tmp", PROBE_DEVICE="sim", LC_ALL="C")
    environment.pop("XDG_RUNTIME_DIR", None)
    return environment


def check_recovered(top, directory, temporary, killed=False):
    """Recovers a directory; problems, and the counter rows by the program's own count. `temporary`: nothing may be
    left in TMPDIR, either."""
    own_file = f"{top}/own"
    recovered = subprocess.run([f"{top}/bin/probe-run", "-q", "--recover", directory], env=settings(top),
                               capture_output=True)
    own, problems, rows = [0, 0, 0], [], 0
    if os.path.exists(own_file):
        with open(own_file) as file:
            lines = file.read().splitlines()  # none: it was killed before it wrote the first
        own = [int(word) for word in lines[-1].split()] if lines else own
    for path in databases_of(directory):
        found = check_database(path, own, killed)
        problems += found[0]
        rows += found[1]
    if recovered.returncode:
        problems.append(f"--recover: {recovered.returncode}: {recovered.stderr.decode()}")
    if rows < own[1]:
        problems.append(f"{rows} of {own[1]} counter rows")
    left = sorted(set(glob.glob(f"{directory}/*")) - set(glob.glob(f"{directory}/*.db"))) + left_segments()
    if temporary:
        left += os.listdir(f"{top}/tmp")
    if left:
        problems.append(f"left behind: {left}")
    shutil.rmtree(directory, ignore_errors=True)
    return problems, own[1]


def one(top, number):
    directory, own_file = f"{top}/{number}", f"{top}/own"
    kind, dispatches = KINDS[number % len(KINDS)], random.choice((1, 30, 300, 3000, 20000))
    command = [f"{top}/bin/probe-run", "-q", "-d", directory, "-o", "x.db", "--kind", "trace", FAKE_APP]
    if os.path.exists(own_file):
        os.unlink(own_file)
    run = subprocess.Popen(command + program(own_file, dispatches, random.choice((0, 0, 3))), env=settings(top),
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    app = kill_some(kind, run, random.random() ** 2 * (0.02 + dispatches / 12000))
    said = run.communicate()[1].decode()
    # Often, --recover finds the program alive and records it.
    while number % 4 and any(state(pid)[0] == "fake-app" and state(pid)[1] != "Z" for pid in app):
        time.sleep(0.001)
    if os.path.exists(own_file) or glob.glob(f"{directory}/*"):
        problems, own = check_recovered(top, directory, kind in ("program", "recorder", "recorder twice"),
                                        kind in ("program", "all"))
    else:  # killed before it connected
        problems, own = [f"left behind: {path}" for path in left_segments()], 0
    if problems:
        print(f"{number}: {kind}, {dispatches} dispatches: {problems}\n{said}")
    return problems, own


def have_own_shared_memory():
    """Continues in a mount namespace with a /dev/shm of its own, where each file is a leftover of this test."""
    if os.environ.pop("KILLS_OWN_SHARED_MEMORY", None):
        return
    mount = ["sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh"]
    for way in (["unshare", "-m"], ["unshare", "-rm"]):
        if not subprocess.run(way + mount + ["true"], capture_output=True).returncode:
            os.environ["KILLS_OWN_SHARED_MEMORY"] = "1"
            os.execvp("unshare", way + mount + [sys.executable] + sys.argv)
    print("no mount namespace can be made here, which this test needs to see what is left in /dev/shm")
    sys.exit(77)


def main():
    global FAKE_APP
    have_own_shared_memory()
    binaries, FAKE_APP, handlers, count = sys.argv[1:4] + [int(sys.argv[4])]
    random.seed(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    bad = rows = 0
    with tempfile.TemporaryDirectory() as top:
        install(top, binaries, handlers)
        for number in range(count):
            problems, own = one(top, number)
            bad += bool(problems)
            rows += own
    print(f"{count} kills: {bad} with problems; {rows} counter rows by the program's own count")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
