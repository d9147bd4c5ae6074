#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Generate opcode_syntax.inc: for every row of the tables of opcode_tables.py, the bits that LLVM 15
insists on and how it shows constants. Found by flipping every bit of well-formed instructions: a bit whose
flip is always refused (or makes another instruction) is fixed; one whose flip never changes the
text is quiet.

usage: opcode_syntax.py OUTPUT-FILE
"""
import itertools
import sys

from opcode_tables import ALIASES, ENC, base_name, disassemble, encode, find_base, operands, split

SDWA_BASES = (0x06060620 & ~0x06060600, 0x00808020)
DPP_BASES = (0xff010020, 0xff015020)
SOURCES = ("src0", "src1", "src2", "srsrc", "saddr", "sbase", "sdata", "vdst", "soffset")


def name_of(word):
    text = disassemble(word)
    return (text, base_name(split(text)[0])) if text and not text.startswith(".") else (None, None)


def bases(enc, op, name):
    """Well-formed words of one opcode that use its fields in different ways."""
    found = {}
    for variant in ENC[enc][4]:
        used = [f for f in ENC[enc][3] if f in variant]
        for size in range(len(used), -1, -1):
            for keep in itertools.combinations(used, size):
                values = {f: v for f, v in variant.items() if f in keep or f == "bits"}
                word = encode(enc, op, values)
                text, got = name_of(word)
                if got == name:
                    found[word] = text
    # Try constants and scalars where the base variants have vector registers.
    for word in list(found)[:4]:
        for field, (at, width) in ENC[enc][3].items():
            if field not in SOURCES:
                continue
            for value in (2, 4, 16, 128, 130, 242):
                other = word & ~(((1 << width) - 1) << at) | (value & ((1 << width) - 1)) << at
                text, got = name_of(other)
                if got == name:
                    found[other] = text
    return found


def flips(words, name, bits, known=lambda text: True):
    """(fixed mask, value of the fixed bits, quiet mask) over the given bit numbers."""
    fixed = value = quiet = 0
    some = next(iter(words))
    for bit in bits:
        ok = same = 0
        for word, text in words.items():
            text2, got = name_of(word ^ 1 << bit)
            if got != name or not known(text2):
                continue
            ok += 1
            same += text2 == text
        if not ok:
            fixed |= 1 << bit
            value |= some & 1 << bit
        elif same == ok:
            quiet |= 1 << bit
    return fixed, value, quiet


def extra_dword(enc, op, variant, name, src, starts, suffix):
    """Fixed and quiet bits of the SDWA or DPP dword."""
    word = encode(enc, op, {**variant, "src0": 0}) & 0xffffffff | src
    words = {}
    for start in starts:
        text, got = name_of(word | start << 32)
        if got == name and split(text)[0].endswith(suffix):
            words[word | start << 32] = text
    if not words:
        return 0, 0
    fixed, _, quiet = flips(words, name, range(32, 64), lambda t: split(t)[0].endswith(suffix))
    return fixed >> 32, quiet >> 32


def show(enc, op, variant, index, field):
    """How an operand's constants look: by 1/(2 pi), 1.0 and the literal 0x3c00."""
    alone = {**variant, field: 248}
    if field == "src1v" or field not in ("src0", "src1", "src2"):
        return "32"
    text = disassemble(encode(enc, op, {**variant, field: 130}))
    if text and index < len(split(text)[1]) and "invalid" in split(text)[1][index]:
        return "REG"
    seen = []
    for word in (encode(enc, op, alone), encode(enc, op, {**alone, field: 255}) | 0x3c00 << 32):
        text = disassemble(word)
        ops = split(text)[1] if text else []
        seen.append(ops[index].strip("|-") if index < len(ops) else "")
    if seen[0] == "0.15915494309189532":
        return "64"
    if seen[0] == "0x3118":
        return "I16"
    text = disassemble(encode(enc, op, {**alone, field: 255}) | 0x13c00 << 32)
    if enc == "VOP2" and text and "1.0" in split(text)[1]:
        return "V16"
    return "F16" if seen[1] == "1.0" and enc in ("VOP1", "VOP2", "VOPC") else "32"


def row_text(enc, op):
    variant, text = find_base(enc, op)
    shown = split(text)[0]
    name = base_name(shown)
    pos, count = ENC[enc][1:3]
    width = max(count - 1, 1).bit_length()
    words = bases(enc, op, name)
    opcode = set(range(pos, pos + width))
    bits = [b for b in range(64) if b not in opcode and not ENC[enc][0] >> b & 1]
    if enc in ("SOP2", "SOPK", "SOP1", "SOPC", "SOPP", "VOP1", "VOP2", "VOPC"):
        bits = [b for b in bits if b < 32]
    fixed, value, quiet = flips(words, name, bits)
    sdwa = dpp = (0, 0)
    if enc in ("VOP1", "VOP2", "VOPC"):
        sdwa = extra_dword(enc, op, variant, name, 0xf9, SDWA_BASES, "_sdwa")
        dpp = extra_dword(enc, op, variant, name, 0xfa, DPP_BASES, "_dpp")
    kinds = [show(enc, op, variant, i, f) for i, (f, _) in enumerate(operands(enc, op, variant, text))]
    suffix = int(shown.endswith(("_e32", "_e64")))
    return "{%#x, %#x, %#x, {%#x, %#x}, {%#x, %#x}, %d, {%s}}, /* %s */" % (
        fixed, value, quiet, *sdwa, *dpp, suffix,
        ", ".join("SHOW_" + k for k in kinds) or "0", name)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with open(sys.argv[1], "w") as out:
        out.write("/* SPDX-License-Identifier: MIT */\n"
                  "/* Generated by gen/opcode_syntax.py from LLVM 15; do not edit. */\n")
        for enc in ENC:
            out.write("static const struct sim_text_row text_%s[] = {\n" % enc.lower())
            for op in range(ENC[enc][2]):
                if find_base(enc, op)[1] and (enc, op) not in ALIASES:
                    out.write("\t%s\n" % row_text(enc, op))
            out.write("};\n")
            print(enc)


if __name__ == "__main__":
    main()
