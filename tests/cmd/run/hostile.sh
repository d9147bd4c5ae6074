# SPDX-License-Identifier: MIT
# Processes that violate the protocol are refused or counted; they never end probe-run.
probe-run -a count python3 -c '
import os, socket, struct
def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(os.environ["PROBE_SOCKET"])
    return s
def status(s):
    return struct.unpack("<IIiIQ", s.recv(100))[2]
for hello in (b"", b"x", b"x" * 16, struct.pack("<IIII", 0x4f4c4c45, 99, 0, 0)):
    s = connect()
    s.send(hello) if hello else s.close()
    if hello: print(status(s))
silent = [connect() for i in range(5)]
s = connect()
s.send(struct.pack("<IIII", 0x4f4c4c45, 1, 0, 0xffffffff))
print(status(s))
'
ls probe-out/* | wc -l
