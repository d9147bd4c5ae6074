#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py PROBE_BIN FAKE_APP TEST_HANDLERS SECONDS [PROGRAMS [SEED]]: run after run of an application that starts programs of
several kinds, some of which are killed. Between them, runs that are killed with what they started, and recovered. In a
run, descriptors, threads and shared memory may not grow with the programs that have ended, and memory by little; from the
first quarter of the time to the last, what is left between runs may not grow at all. Goal R2 of docs/reliability.md."""
import glob
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import kills

GROWTH_KB = 2048   # from the first quarter of the time to the last
# In a run, from its first quarter to its last, whatever the number of its programs: pages that are freed in pieces vary by
# some MB. Forty recordings that stayed open would cost 40 MB.
GROWTH_OF_RUN = {"probe-run: memory, KB": 64, "probe-run: descriptors": 0, "probe-run: threads": 0,
                 "recorder: memory, KB": 8192, "recorder: descriptors": 0, "recorder: threads": 0, "shared memory, files": 0,
                 "shared memory, KB": 0, "processes": 1}
# By each program that has ended: what the summary says of it.
GROWTH_OF_PROGRAM = {"recorder: shared memory, KB": 3}


class Generation:
    """A probe-run and its application, which starts the programs that it reads from a pipe."""
    def __init__(self, top, number):
        self.directory, self.own, self.rows, self.killed = f"{top}/run{number}", f"{top}/run-own", 0, set()
        command = [f"{top}/bin/probe-run", "-q", "-d", self.directory, "-o", "%pid%.db", "--kind", "trace", "sh", "-c",
                   "while read -r words; do $words & wait $!; echo ended; done 2>/dev/null"]
        self.run = subprocess.Popen(command, env=kills.settings(top), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def one(self):
        """A program, maybe killed."""
        if os.path.exists(self.own):
            os.unlink(self.own)
        self.run.stdin.write(" ".join(mixed_program(self.own)) + "\n")
        self.run.stdin.flush()
        if random.random() < 0.4:
            time.sleep(random.random() ** 2 * 0.2)
            app = [pid for shell in kills.children(self.run.pid, "sh") for pid in kills.children(shell, "fake-app")]
            self.killed.update(app)
            kills.kill(app)
        self.run.stdout.readline()
        # The recording is complete when its spool has gone, and is closed before the recorder sleeps again.
        while glob.glob(f"{self.directory}/*-spool") or asleep(self.processes()) < 2:
            time.sleep(0.002)
        self.rows += own_count(self.own)[1]

    def processes(self):
        return [self.run.pid] + kills.children(self.run.pid, "probe-recorder")

    def end(self):
        """Problems of what it has recorded."""
        self.run.stdin.close()
        problems, rows = [], 0
        if self.run.wait():
            problems.append(f"status {self.run.returncode}")
        for path in glob.glob(f"{self.directory}/*"):
            killed = os.path.basename(path).split(".")[0].split("-")[0] in map(str, self.killed)
            found = kills.check_database(path, None, killed) if path.endswith(".db") else ([f"left behind: {path}"], 0)
            problems += found[0]
            rows += found[1]
        if rows < self.rows:
            problems.append(f"{rows} of {self.rows} counter rows")
        shutil.rmtree(self.directory)
        return problems


def mixed_program(own):
    words, count = [kills.FAKE_APP, "connect=64", "announce=x"], random.choice((1, 10, 100, 1000))
    kind = random.randrange(4)
    for _ in range(5):
        words += [("memory", "refused", "memory", "trace")[kind] + f"={count if kind < 3 else 3}", f"count={own}"]
    return words + random.choice((["exit-record"], [], ["exit=4"]))


def own_count(path):
    if not os.path.exists(path):
        return [0, 0, 0]
    with open(path) as file:
        lines = file.read().splitlines()
    return [int(word) for word in lines[-1].split()] if lines else [0, 0, 0]


def killed(top, number):
    """A run of which some processes are killed, and the recovery."""
    directory, own = f"{top}/{number}", f"{top}/own"
    if os.path.exists(own):
        os.unlink(own)
    kind = kills.KINDS[number % len(kills.KINDS)]
    command = [f"{top}/bin/probe-run", "-q", "-d", directory, "-o", "x.db", "--kind", "trace"] + mixed_program(own)
    run = subprocess.Popen(command, env=kills.settings(top), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    app = kills.kill_some(kind, run, random.random() ** 2 * 0.1)
    run.wait()
    while any(kills.state(pid)[0] == "fake-app" and kills.state(pid)[1] != "Z" for pid in app):
        time.sleep(0.001)
    if not os.path.exists(own) and not glob.glob(f"{directory}/*"):
        shutil.rmtree(directory, ignore_errors=True)
        return []  # killed before it connected
    subprocess.run([f"{top}/bin/probe-run", "-q", "--recover", directory], env=kills.settings(top), check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    expected, rows, problems = own_count(own)[1], 0, []
    for path in kills.databases_of(directory):
        found = kills.check_database(path, own_count(own), kind in ("program", "all"))
        problems += found[0]
        rows += found[1]
    if rows < expected:
        problems.append(f"{kind}: {rows} of {expected} counter rows")
    shutil.rmtree(directory, ignore_errors=True)
    return problems


def status(pid, key):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))


def asleep(pids):
    return sum(kills.state(pid)[1] == "S" and status(pid, "Threads:") == 1 for pid in pids)


def of_processes(generation):
    ret = {}
    for name, pid in zip(("probe-run", "recorder"), generation.processes()):
        # Anonymous memory: pages of files that are mapped come and go.
        ret[f"{name}: memory, KB"] = status(pid, "RssAnon:")
        ret[f"{name}: shared memory, KB"] = status(pid, "RssShmem:")
        ret[f"{name}: descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
        ret[f"{name}: threads"] = status(pid, "Threads:")
    return dict(ret, **of_machine())


def of_machine():
    space = os.statvfs("/dev/shm")
    return {"shared memory, files": len(os.listdir("/dev/shm")),
            "shared memory, KB": (space.f_blocks - space.f_bfree) * space.f_frsize // 1024,
            "processes": sum(kills.state(int(pid))[0] in ("fake-app", "probe-run", "probe-recorder") and
                             namespace(pid) == namespace("self") for pid in os.listdir("/proc") if pid.isdigit())}


def of_files(top):
    return {"temporary files": sum(len(files) + len(folders) for _, folders, files in os.walk(top))}


def namespace(pid):
    """Of this test alone, also when others run at the same time: kills.have_own_shared_memory()."""
    try:
        return os.readlink(f"/proc/{pid}/ns/mnt")
    except OSError:
        return None


def quarters(samples):
    quarter = max(1, len(samples) // 4)
    for name in samples[0]:
        yield (name, *(statistics.median(sample.get(name, 0) for sample in part) for part in (samples[:quarter], samples[-quarter:])))


def growth_of_run(samples):
    return {name: last - first for name, first, last in quarters(samples)}


def compare(samples):
    problems = []
    for name, first, last in quarters(samples):
        print(f"{name}: {first:g} in the first quarter, {last:g} in the last")
        if last > first + (GROWTH_KB if "KB" in name else 0):
            problems.append(f"{name}: {first:g}, later {last:g}")
    return problems


def generation(top, number, programs):
    """One of them; its problems, what was left, its growth, and its rows."""
    run, samples = Generation(top, number), []
    for _ in range(programs):
        run.one()
        samples.append(of_processes(run))
    growth, most = growth_of_run(samples), dict(GROWTH_OF_RUN)
    most.update({name: kb * programs for name, kb in GROWTH_OF_PROGRAM.items()})
    problems = [f"{name} grows by {growth[name]:g} in a run" for name in most if growth[name] > most[name]]
    problems += run.end()
    left = dict(of_machine(), **of_files(f"{top}/tmp"))  # the run removes what killed ones have left there
    for i in range(6):
        problems += killed(top, 6 * number + i)
    return problems, left, growth, run.rows


def main():
    kills.have_own_shared_memory()
    binaries, kills.FAKE_APP, handlers, seconds = sys.argv[1:4] + [float(sys.argv[4])]
    programs = int(sys.argv[5]) if len(sys.argv) > 5 else 40  # of a run
    random.seed(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
    problems, samples, growths, number, rows = [], [], [], 0, 0
    with tempfile.TemporaryDirectory() as top:
        kills.install(top, binaries, handlers)
        end = time.monotonic() + seconds
        while (time.monotonic() < end or number < 2) and len(problems) < 10:
            found, left, growth, own = generation(top, number, programs)
            problems += found
            samples.append(left)
            growths.append(growth)
            number += 1
            rows += own
            print(f"run {number}: {rows} rows so far, {len(problems)} problems; {growth}", flush=True)
    for name in growths[0]:
        print(f"{name}: {statistics.median(growth[name] for growth in growths):+g} in a run of {programs} programs")
    problems += compare(samples)
    print(f"{number * (programs + 6)} programs, {rows} counter rows by their own count: {len(problems)} problems")
    print("\n".join(str(problem) for problem in problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
