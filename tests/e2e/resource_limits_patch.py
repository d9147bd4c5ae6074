# SPDX-License-Identifier: MIT
"""resource_limits_patch.py FROM TO KERNEL KEY VALUE: metadata of a kernel in a code object, or a bundle of some, says another
number: the MessagePack integer that follows its KEY, which must have room for it."""
import sys

source, target, kernel, key, value = sys.argv[1:]
value = int(value)
data = bytearray(open(source, "rb").read())
name = kernel.encode()
header = bytes([0xA0 | len(name)]) if len(name) < 32 else bytes([0xD9, len(name)])
at = data.find(b"\xa5.name" + header + name)
if at < 0:
	sys.exit(f"{source}: no metadata of {kernel}")
# Keys are sorted: those before ".name" stand in front of it.
label = bytes([0xA0 | len(key)] if len(key) < 32 else [0xD9, len(key)]) + key.encode()
at = data.rfind(label, 0, at) if key < ".name" else data.find(label, at)
if at < 0:
	sys.exit(f"{source}: {kernel} has no {key}")
at += len(label)
size = {0xCD: 2, 0xCE: 4}.get(data[at])
if not size:
	sys.exit(f"{source}: {key} of {kernel} is too short a number")
data[at + 1:at + 1 + size] = value.to_bytes(size, "big")
open(target, "wb").write(data)
