# SPDX-License-Identifier: MIT
"""How fast the recorder makes a database from what a program writes."""

# Name, options, words of the fake program (tests/cmd/fake_app), records, rows of the database per record. A batch is
# read before the next one is written, as most programs give the recorder that much time.
STREAMS = (
    ("dispatches", (), ["refused=10000", "drained"] * 50, 500_000, 3),
    ("dispatches with 100 counter rows each", (), ["rows=100"] + ["memory=500", "drained"] * 40, 2_000_000, 1.03),
    ("calls", (), ["calls=20000", "drained"] * 25, 500_000, 2),
    ("trace records", ("--kind=trace",), ["records=1999"] + ["trace=50"] * 20, 2_000_000, 0),
    ("PC samples", ("--pc-sampling-method=host_trap", "--pc-sampling-unit=time", "--pc-sampling-interval=1"),
     ["sampler=0"] + ["samples=5000"] * 200, 1_000_000, 0),
)


def record(bench, options, words):
    """Seconds of CPU time of the recorder's thread."""
    bench.timed([*bench.probe_run(*options), bench.build / "tests/fake-app", "connect=1024", "announce=x", *words,
                 "exit-record"])
    facts = dict(bench.database().execute("SELECT key, value FROM probe_run"))
    return (facts["supervisor_user_us"] + facts["supervisor_system_us"]) / 1e6


def ingest(bench):
    for name, options, words, count, rows in STREAMS:
        seconds = [record(bench, options, words) for _ in range(3)]
        bench.row(f"recorder, {name}", [count / s / 1e6 for s in seconds], "M records/s of CPU", "-")
        if rows:
            bench.row("  of them rows of the database", [count * rows / s / 1e6 for s in seconds], "M rows/s of CPU",
                      "at least 2")


PARTS = (ingest,)
