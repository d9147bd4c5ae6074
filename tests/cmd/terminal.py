#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
terminal.py [--both] COMMAND...: runs it with standard error on a pseudo-terminal of 80 columns, with --both
standard output, too. Prints the steps of its progress lines, each once, without times and percentages, and then
what the terminal shows at the end. Exits with the command's status.
"""
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import fcntl

both = sys.argv[1] == "--both"
command = sys.argv[2:] if both else sys.argv[1:]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
process = subprocess.Popen(command, stderr=theirs, stdout=theirs if both else subprocess.DEVNULL,
                           env=dict(os.environ, TERM="xterm", NO_COLOR="1"))
os.close(theirs)
written = b""
while True:
    try:
        part = os.read(ours, 65536)
    except OSError:  # the last writer has closed it
        break
    if not part:
        break
    written += part
status = process.wait()

steps, screen, line, column, saved = [], [], "", 0, 0
for token in re.findall(r"\x1b7|\x1b8|\x1b\[\?7[hl]|\x1b\[K|\r|\n|[^\x1b\r\n]+", written.decode()):
    if token == "\x1b7":
        saved = column
    elif token == "\x1b8":
        column = saved
    elif token == "\x1b[K":
        line = line[:column]
    elif token == "\r":
        column = 0
    elif token == "\n":
        screen.append(line)
        line, column = "", 0
    elif token.startswith("\x1b"):
        continue
    else:
        line = line[:column] + token + line[column + len(token):]
        column += len(token)
        step = re.sub(r"(, \d+ %)?, \d+ s$", "", token)
        if step != token and step not in steps:
            steps.append(step)
        if step != token and len(token) >= 80:
            print("too long:", token)
for step in steps:
    print("step:", step)
for text in screen + [line] * (line != ""):
    print("left:", text)
sys.exit(status)
