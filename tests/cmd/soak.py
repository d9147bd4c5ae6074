#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py PROBE_BIN FAKE_APP TEST_HANDLERS SECONDS [SEED]: one probe-run records program after program, of several
kinds, some of which are killed; at its side, others are started, killed with what they started, and recovered. Neither
the first one and its recorder may grow, nor what is left in shared memory, of files and of processes: the last quarter
of the time is compared with the first. Goal R2 of docs/reliability.md."""
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

GROWTH_KB = 2048  # of memory, which malloc() rounds


class Veteran:
    """The probe-run that lives as long as the test. Its application starts the programs that it reads from a pipe."""
    def __init__(self, top):
        self.directory, self.own, self.top = f"{top}/veteran", f"{top}/veteran-own", top
        command = [f"{top}/bin/probe-run", "-q", "-d", self.directory, "-o", "%pid%.db", "--kind", "trace", "sh", "-c",
                   "while read -r words; do $words & wait $!; echo ended; done 2>/dev/null"]
        self.run = subprocess.Popen(command, env=kills.settings(top), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def one(self):
        """A program, maybe killed. Returns problems and the counter rows by its own count."""
        if os.path.exists(self.own):
            os.unlink(self.own)
        words = mixed_program(self.own)
        self.run.stdin.write(" ".join(words) + "\n")
        self.run.stdin.flush()
        if random.random() < 0.4:
            shell = kills.children(self.run.pid, "sh")
            time.sleep(random.random() ** 2 * 0.2)
            kills.kill([pid for parent in shell for pid in kills.children(parent, "fake-app")])
        self.run.stdout.readline()
        own = own_count(self.own)
        problems, rows = [], 0
        for path in self.finished():
            found = kills.check_database(path, own)
            problems += found[0]
            rows += found[1]
            os.unlink(path)
        if rows < own[1]:
            problems.append(f"{rows} of {own[1]} counter rows")
        return problems, own[1]

    def finished(self):
        """Its databases, when the recorder has finished them."""
        while glob.glob(f"{self.directory}/*-spool") or glob.glob(f"{self.directory}/*-wal"):
            assert self.run.poll() is None
            time.sleep(0.002)
        return glob.glob(f"{self.directory}/*.db")

    def processes(self):
        return [self.run.pid] + kills.children(self.run.pid, "probe-recorder")

    def end(self):
        self.run.stdin.close()
        return self.run.wait()


def mixed_program(own):
    words, count = [kills.FAKE_APP, "connect=64", "announce=x"], random.choice((1, 10, 100, 1000))
    kind = random.randrange(4)
    for _ in range(5):
        words += [("memory", "refused", "memory", "trace")[kind] + f"={count if kind < 3 else 3}", f"count={own}"]
    return words + random.choice((["exit-record"], ["stored=0", "exit-record"], [], ["exit=4"]))


def own_count(path):
    if not os.path.exists(path):
        return [0, 0, 0]
    with open(path) as file:
        lines = file.read().splitlines()
    return [int(word) for word in lines[-1].split()] if lines else [0, 0, 0]


def killed(top, number):
    """Another probe-run, of which some processes are killed, and the recovery."""
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
        return []  # killed before it connected
    subprocess.run([f"{top}/bin/probe-run", "-q", "--recover", directory], env=kills.settings(top), check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    expected, rows, problems = own_count(own)[1], 0, []
    for path in glob.glob(f"{directory}/*.db"):
        found = kills.check_database(path, own_count(own))
        problems += found[0]
        rows += found[1]
    if rows < expected:
        problems.append(f"{kind}: {rows} of {expected} counter rows")
    shutil.rmtree(directory, ignore_errors=True)
    return problems


def status(pid, key):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))


def measure(veteran, top):
    ret = {}
    for name, pid in zip(("probe-run", "recorder"), veteran.processes()):
        # Anonymous memory: pages of files that are mapped come and go.
        ret[f"{name}: memory, KB"] = status(pid, "RssAnon:")
        ret[f"{name}: descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
        ret[f"{name}: threads"] = status(pid, "Threads:")
    ret["shared memory, files"] = len(os.listdir("/dev/shm"))
    space = os.statvfs("/dev/shm")
    ret["shared memory, KB"] = (space.f_blocks - space.f_bfree) * space.f_frsize // 1024
    ret["files"] = sum(len(files) + len(folders) for _, folders, files in os.walk(top))
    ret["processes"] = sum(kills.state(int(pid))[0] in ("fake-app", "probe-run", "probe-recorder") and session(pid) == os.getsid(0)
                           for pid in os.listdir("/proc") if pid.isdigit())
    return ret


def session(pid):
    try:
        return os.getsid(int(pid))
    except ProcessLookupError:
        return -1


def compare(samples):
    quarter = max(1, len(samples) // 4)
    problems = []
    for name in samples[0]:
        first, last = (statistics.median(sample.get(name, 0) for sample in part)
                       for part in (samples[:quarter], samples[-quarter:]))
        print(f"{name}: {first:g} in the first quarter, {last:g} in the last")
        if last > first + (GROWTH_KB if "KB" in name else 0):
            problems.append(f"{name} has grown from {first:g} to {last:g}")
    return problems


def main():
    kills.have_own_shared_memory()
    binaries, kills.FAKE_APP, handlers, seconds = sys.argv[1:4] + [float(sys.argv[4])]
    random.seed(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    os.setsid()
    problems, samples, number, rows = [], [], 0, 0
    with tempfile.TemporaryDirectory() as top:
        kills.install(top, binaries, handlers)
        veteran = Veteran(top)
        end = time.monotonic() + seconds
        while (time.monotonic() < end or number < 8) and len(problems) < 10:
            for _ in range(4):
                found, own = veteran.one()
                problems += found
                rows += own
            problems += killed(top, number)
            number += 1
            samples.append(measure(veteran, top))
        if veteran.end() not in (0, 1):
            problems.append(f"the first probe-run ended with status {veteran.run.returncode}")
    problems += compare(samples)
    print(f"{number * 5} programs, {rows} counter rows by their own count: {len(problems)} problems")
    print("\n".join(str(problem) for problem in problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
