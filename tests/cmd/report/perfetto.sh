# SPDX-License-Identifier: MIT
# Perfetto's protobuf, decoded here by the rules of the wire format and shown as slices: a track per
# queue, for copies and per thread, with lanes where slices overlap; flows from calls. Names are UTF-8.
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
sample run.db
traced run.db
overlapping run.db
sql run.db <<'END'
UPDATE rocpd_info_kernel_symbol_t SET display_name = CAST(X'61ffc3a9e280' AS TEXT) WHERE id = 1;
END
sql run.db <<'END'
INSERT INTO probe_allocation VALUES (1, 4096, 1000, 1, '', 1, NULL), (2, 8192, 64, 2, '', 2, 2), (3, 8192, 128, 1, '', 1, 0);
END
probe-report export --format perfetto -o run.pftrace run.db
probe-report export --format perfetto -k copy run.db >copy.pftrace
cat >decode.py <<'END'
import sys

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at

def fields(data):
    """number: values of one message; nested ones are bytes."""
    ret, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        ret.setdefault(key >> 3, []).append(value)
    return ret

tracks, events = {}, []
for packet in map(fields, fields(open(sys.argv[1], "rb").read())[1]):
    assert packet[10] == [1]
    if 60 in packet:
        track = fields(packet[60][0])
        name = track[2][0] if 2 in track else None
        for field, kind, at in ((3, "process", 6), (4, "thread", 5)):
            if field in track:
                inner = fields(track[field][0])
                name = b"%s %s: %s" % (kind.encode(), b"/".join(str(v[0]).encode() for k, v in sorted(inner.items()) if k != at),
                                       inner[at][0])
        parent = tracks[track[5][0]] + " > " if 5 in track else ""
        if 8 in track:  # counter, with a unit: 2 count, 3 bytes
            name += b" [counter, unit %d]" % fields(track[8][0]).get(3, [0])[0]
        assert track[1][0] not in tracks, "two tracks with one uuid"
        tracks[track[1][0]] = parent + name.decode()
    else:
        events.append((packet[8][0], len(events), fields(packet[11][0])))
stacks = {}
for time, _, event in sorted(events, key=lambda e: e[:2]):
    uuid = event[11][0]
    assert uuid in tracks
    stack = stacks.setdefault(uuid, [])
    assert ("[counter" in tracks[uuid]) == (event[9][0] == 4)
    if event[9][0] == 4:
        print(f"{tracks[uuid]}: {time}: {event[30][0]}")
        continue
    if event[9][0] == 2:
        start, depth, name, rest = stack.pop()
        print(f"{tracks[uuid]} (lane {uuid & 63}): {start} to {time}, depth {depth}: {name} {rest}")
        continue
    notes = {fields(a)[10][0].decode(): next(v[0] for k, v in fields(a).items() if k != 10) for a in event.get(4, [])}
    rest = [event[22][0].decode(), {k: v.decode() if isinstance(v, bytes) else v for k, v in notes.items()},
            "begins flow %d" % event[47][0] if 47 in event else "", "ends flow %d" % event[48][0] if 48 in event else ""]
    if event[9][0] == 1:
        stack.append((time, len(stack), event[23][0].decode(), rest))
    else:
        print(f"{tracks[uuid]}: {time}: {event[23][0].decode()} {rest}")
assert not any(stacks.values()), stacks
END
python3 decode.py run.pftrace
echo "== one kernel"
python3 decode.py copy.pftrace | grep -c "'dispatch'"
