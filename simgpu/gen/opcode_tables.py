#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Generate the decode tables of gfx90a (*_opcodes.inc) and the list of all mnemonics (opcode_list.h)
by driving the LLVM 15 disassembler over every opcode field of every encoding. What gfx942 has
otherwise comes from gfx942_changes.py.

For each valid (encoding, opcode) the script takes one well-formed base instruction, then changes
one operand field at a time: the operand of the text that changes is bound to that field, and the
register range printed gives its size. Nothing is typed in by hand but the bit layouts below
("AMD Instinct MI200" ISA manual, chapter "Microcode Formats") and the type rules of optype().

usage: opcode_tables.py OUTPUT-DIRECTORY
"""
import ctypes
import itertools
import re
import struct
import sys

LLVM = ctypes.CDLL("libLLVM-15.so.1")
for init in ("TargetInfo", "TargetMC", "Disassembler"):
    getattr(LLVM, "LLVMInitializeAMDGPU" + init)()
LLVM.LLVMCreateDisasmCPU.restype = ctypes.c_void_p
LLVM.LLVMCreateDisasmCPU.argtypes = [ctypes.c_char_p] * 2 + [
    ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
LLVM.LLVMDisasmInstruction.restype = ctypes.c_size_t
LLVM.LLVMDisasmInstruction.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p,
    ctypes.c_size_t]
# LLVM 15 knows gfx942's instructions by the name of its first stepping.
GFX942 = "gfx940"
CONTEXTS = {cpu: LLVM.LLVMCreateDisasmCPU(b"amdgcn-amd-amdhsa", cpu.encode(), None, 0, None, None)
            for cpu in ("gfx90a", GFX942)}
CONTEXT = CONTEXTS["gfx90a"]
TEXT = ctypes.create_string_buffer(512)


def choose_cpu(cpu):
    """From here on everything is about this GPU."""
    global CONTEXT
    CONTEXT = CONTEXTS[cpu]
    ENC["SCRATCH"] = ENC["SCRATCH"][:4] + (SCRATCH_VARIANTS[cpu],)


def disassemble(word):
    """Text of the 64-bit instruction, or None."""
    size = LLVM.LLVMDisasmInstruction(CONTEXT, struct.pack("<Q", word) + bytes(8), 16, 0, TEXT, 512)
    return TEXT.value.decode().strip() if size else None


# name: (fixed bits, opcode position, opcode count, {field: (position, width)}, base variants)
# A variant gives start values of fields; the second value of a field is start + step.
VSRC = {"src0": 256 + 32, "src1": 256 + 64, "src2": 256 + 96}
SSRC = {"src0": 32, "src1": 64}
FLAT_FIELDS = {"addr": (32, 8), "data0": (40, 8), "saddr": (48, 7), "vdst": (56, 8),
               "offset13": (0, 13)}
FLAT_BASE = {"addr": 32, "data0": 64, "saddr": 0x7f, "vdst": 96}
BUF_FIELDS = {"vaddr": (32, 8), "vdata": (40, 8), "srsrc": (48, 5), "soffset": (56, 8),
              "offset12": (0, 12)}
BUF_BASE = {"vaddr": 32, "vdata": 64, "srsrc": 4, "soffset": 32, "bits": 1 << 12}
VOP3_FIELDS = {"vdst": (0, 8), "sdst": (8, 7), "src0": (32, 9), "src1": (41, 9), "src2": (50, 9)}
VOP3P_FIELDS = {k: v for k, v in VOP3_FIELDS.items() if k != "sdst"}
ENC = {
    "SOP2": (0x80000000, 23, 96, {"sdst": (16, 7), "src1": (8, 8), "src0": (0, 8)},
             [{"sdst": 16, **SSRC}]),
    "SOPK": (0xb0000000, 23, 29, {"sdst": (16, 7), "simm16": (0, 16)}, [{"sdst": 16}, {"simm16": 0xf801},
             {"sdst": 16, "simm16": 0xf801}]),
    "SOP1": (0xbe800000, 8, 256, {"sdst": (16, 7), "src0": (0, 8)}, [{"sdst": 16, **SSRC}]),
    "SOPC": (0xbf000000, 16, 128, {"src1": (8, 8), "src0": (0, 8)}, [SSRC]),
    "SOPP": (0xbf800000, 16, 128, {"simm16": (0, 16)}, [{}]),
    "SMEM": (0xc0000000, 18, 256, {"sdata": (6, 7), "sbase": (0, 6), "offset21": (32, 21)},
             [{"sdata": 16, "sbase": 16, "bits": 1 << 17 | 1 << 16},
              {"sdata": 16, "sbase": 16, "bits": 1 << 17}, {"sdata": 16, "sbase": 16}]),
    "VOP2": (0x00000000, 25, 62, {"vdst": (17, 8), "src1v": (9, 8), "src0": (0, 9)},
             [{"vdst": 16, "src1v": 64, **VSRC}]),
    "VOP1": (0x7e000000, 9, 256, {"vdst": (17, 8), "src0": (0, 9)},
             [{"vdst": 16, **VSRC}]),
    "VOPC": (0x7c000000, 17, 256, {"src1v": (9, 8), "src0": (0, 9)}, [{"src1v": 64, **VSRC}]),
    "VOP3": (0xd0000000, 16, 896, VOP3_FIELDS, [{"vdst": 16, "sdst": 0, **VSRC},
             {"vdst": 16, "sdst": 16, **VSRC}, {"vdst": 16, "src0": 288, "src1": 32, "src2": 32}]),
    "VOP3P": (0xd3800000, 16, 128, VOP3P_FIELDS, [{"vdst": 16, **VSRC},
              {"vdst": 16, "bits": 3 << 59, **VSRC}]),
    "DS": (0xd8000000, 17, 256, {"addr": (32, 8), "data0": (40, 8), "data1": (48, 8),
           "vdst": (56, 8), "offset0": (0, 8), "offset1": (8, 8)},
           [{"addr": 32, "data0": 64, "data1": 96, "vdst": 16},
            {"addr": 32, "data0": 64, "data1": 96, "vdst": 16, "bits": 1 << 16}]),
    "FLAT": (0xdc000000, 18, 128, FLAT_FIELDS, [{**FLAT_BASE, "bits": 1 << 16}, FLAT_BASE]),
    "SCRATCH": (0xdc004000, 18, 128, FLAT_FIELDS, [{**FLAT_BASE, "bits": 1 << 16}, FLAT_BASE]),
    "GLOBAL": (0xdc008000, 18, 128, FLAT_FIELDS, [{**FLAT_BASE, "bits": 1 << 16}, FLAT_BASE]),
    "MUBUF": (0xe0000000, 18, 128, BUF_FIELDS, [{**BUF_BASE, "bits": 1 << 12 | 1 << 14}, BUF_BASE,
              {**BUF_BASE, "bits": 1 << 12 | 1 << 16}, {**BUF_BASE, "bits": 1 << 16},
              {**BUF_BASE, "bits": 0}]),
    "MTBUF": (0xe8000000, 15, 16, BUF_FIELDS, [{**BUF_BASE, "bits": 1 << 12 | 1 << 14 | 1 << 19}]),
    "MIMG": (0xf0000000, 18, 128, {"vaddr": (32, 8), "vdata": (40, 8), "srsrc": (48, 5),
             "ssamp": (53, 5)},
             [{"vaddr": 32, "vdata": 64, "srsrc": 4, "ssamp": 8, "bits": v << 8 | g << 13}
              for v in (1, 15) for g in (1, 0)]),
}
# gfx942 has a bit that says whether scratch has a vector address ("SVE").
SCRATCH_VARIANTS = {"gfx90a": ENC["SCRATCH"][4],
                    GFX942: [{**FLAT_BASE, "bits": v | 1 << 13} for v in (1 << 16, 0)] + ENC["SCRATCH"][4]}
# LLVM 15 also accepts the gfx6 opcode of buffer_wbinvl1; gfx9 has it at 62 only.
ALIASES = {("MUBUF", 113)}
STEP = {"src0": 8, "src1": 8, "src2": 8, "srsrc": 4, "ssamp": 4, "sbase": 8, "saddr": -0x7f + 16}

REG = re.compile(r"^-?\|?(?:[vsa]|ttmp)(?:(\d+)|\[(\d+):(\d+)\])\|?$")


def encode(enc, op, values):
    fixed, pos, _, fields, _ = ENC[enc]
    word = fixed | op << pos | values.get("bits", 0)
    for name, (at, width) in fields.items():
        word |= (values.get(name, 0) & ((1 << width) - 1)) << at
    return word


def split(text):
    """(mnemonic, [operands], trailing modifiers)"""
    name, _, rest = text.partition(" ")
    ops = [o.strip() for o in rest.strip().split(", ")] if rest.strip() else []
    mods = ""
    if ops and " " in ops[-1] and "(" not in ops[-1]:
        ops[-1], _, mods = ops[-1].partition(" ")
    elif ops == ["gds"]:
        ops, mods = [], "gds"
    return name, ops, mods


def regsize(text):
    m = REG.match(text)
    if not m:
        return {"vcc": 2, "exec": 2, "flat_scratch": 2, "vcc_lo": 1, "m0": 1}.get(text, 0)
    return 1 if m.group(1) else int(m.group(3)) - int(m.group(2)) + 1


def base_name(name):
    return re.sub(r"_(e32|e64|sdwa|dpp|e64_dpp)$", "", name)


def optypes(name):
    """Bits of the (destination, sources) for values whose inline constants are 16 bits wide."""
    n = base_name(name)
    if n.startswith("v_pk_") and re.search(r"_(f16|i16|u16|b16)$", n):
        return "P", "PPP"
    if n in ("v_pk_fma_f32", "v_pk_mul_f32", "v_pk_add_f32", "v_pk_mov_b32"):
        return "K", "KKK"
    if n.startswith("v_dot2"):
        return "W", "PPW"
    if n.startswith(("v_fma_mix", "v_mad_mix")):
        return "W", "WWW"
    if n.startswith(("v_mfma", "v_smfmac", "s_")):
        return "W", "WWW"
    if n in ("v_mad_i32_i16", "v_mad_u32_u16"):
        return "W", "HHW"
    if n in ("v_cvt_pkrtz_f16_f32", "v_cvt_pknorm_i16_f32", "v_cvt_pknorm_u16_f32",
             "v_cvt_pk_i16_i32", "v_cvt_pk_u16_u32"):
        return "W", "WWW"
    if n in ("v_cvt_pknorm_i16_f16", "v_cvt_pknorm_u16_f16", "v_pack_b32_f16"):
        return "W", "HHW"
    m = re.match(r"v_(?:cvt|frexp_exp)_(?:\w+_)?([fiub]\d+)_([fiub]\d+)$", n)
    if m:
        return ("H" if m.group(1)[1:] == "16" else "W"), ("H" if m.group(2)[1:] == "16" else "W") * 3
    if n in ("v_sat_pk_u8_i16",):
        return "W", "WWW"
    if n.startswith("v_cmp") and n.endswith("class_f16"):
        return "W", "HWW"
    if re.search(r"_(f16|i16|u16|b16)$", n) or "legacy_f16" in n or "legacy_i16" in n \
            or "legacy_u16" in n:
        return "H", "HHH"
    return "W", "WWW"


CLASS_RULES = [
    (r"^s_(c?branch|setpc|swappc|call|cbranch|getpc|rfe)", "BRANCH"),
    (r"^s_(nop|waitcnt|barrier|sleep|sethalt|setkill|setprio|endpgm|icache_inv|incperflevel|"
     r"decperflevel|ttracedata|set_gpr_idx|trap|inst_prefetch|code_end)", "INTERNAL"),
    (r"^s_sendmsg", "MESSAGE"),
    (r"^v_s?mfma", "MFMA"),
    (r"^v_(rcp|rsq|sqrt|exp|log|sin|cos)_", "TRANS"),
    (r"^v_(mul_lo_u32|mul_hi_[iu]32|mad_[iu]64_[iu]32)", "MUL32"),
    (r"^v_(?!cvt|cmp|mov|frexp).*_f64", "F64"),
    (r"^v_", "VALU"),
    (r"^(ds_gws|ds_.*barrier)", "GWS"),
    (r"^ds_", "LDS"),
]


def iclass(enc, name):
    if enc in ("GLOBAL", "MUBUF", "MTBUF", "MIMG", "SCRATCH"):
        return "VMEM"
    if enc in ("FLAT", "SMEM"):
        return enc
    for rule, cls in CLASS_RULES:
        if re.match(rule, name):
            return cls
    return "SALU"


def find_base(enc, op):
    """
    The valid base instruction with the most operand fields in use: fields that an opcode does not
    have must be zero, so every subset is tried, larger ones first.
    """
    for size in range(len(ENC[enc][3]), -1, -1):
        for variant in ENC[enc][4]:
            used = [f for f in ENC[enc][3] if f in variant]
            for keep in itertools.combinations(used, min(size, len(used))):
                values = {f: v for f, v in variant.items() if f in keep or f == "bits"}
                text = disassemble(encode(enc, op, values))
                if text and not text.startswith("."):
                    return values, text
    return None, None


def operands(enc, op, variant, text):
    """[(field, dwords)] in the order of the text."""
    name, ops, mods = split(text)
    bound = [(None, regsize(o), o) for o in ops]
    for field in ENC[enc][3]:
        if field.startswith("offset") and field not in ("offset21",):
            continue
        other = dict(variant)
        other[field] = variant.get(field, 0) + STEP.get(field, 8)
        alt = disassemble(encode(enc, op, other))
        if alt is None:
            continue
        name2, ops2, _ = split(alt)
        if name2 != name:
            raise SystemExit("%s op %d: %s turns into %s by field %s" % (enc, op, name, name2, field))
        if len(ops2) != len(ops):
            continue
        changed = [i for i, (a, b) in enumerate(zip(ops, ops2)) if a != b]
        for i in changed:
            if bound[i][0] is None:
                bound[i] = (field, regsize(ops[i]) or regsize(ops2[i]), ops[i])
    result = []
    for field, size, shown in bound:
        if field is None:
            field = {"vcc": "vcc", "exec": "exec", "off": "off", "m0": "m0"}.get(shown, "text")
        result.append((field, size))
    return result


def flags(enc, op, variant, name):
    out = []
    if enc in ("VOP1", "VOP2", "VOPC"):
        word = encode(enc, op, {**variant, "src0": 0}) & 0xffffffff
        for flag, src, extra in (("SDWA", 0xf9, 0x06060620), ("SDWA", 0xf9, 0x00060620),
                                 ("DPP", 0xfa, 0xff010020),
                                 ("DPP", 0xfa, 0xff015020)):
            text = disassemble(word | src | extra << 32)
            if text and text.split()[0].endswith("_" + flag.lower()) and flag not in out:
                out.append(flag)
    if re.match(r"v_(madmk|madak|fmamk|fmaak)_", name) or name == "s_setreg_imm32_b32":
        out.append("LITERAL")
    if re.search(r"_atomic_|^ds_.*_rtn_|^ds_wrxchg", name) and not name.endswith("nop"):
        out.append("ATOMIC")
    if enc in ("DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG"):
        if re.search(r"(load|read|permute|swizzle|atomic|_rtn_|consume|append|sample|resinfo)", name):
            out.append("LOAD")
        if re.search(r"(store|write|atomic|_rtn_)", name) or \
                (enc == "DS" and "LOAD" not in out and name not in ("ds_nop",)):
            out.append("STORE")
    return out


def gfx942_name(name, ops):
    """LLVM 15 disassembles what gfx908 has too under gfx908's names, that do not tell the blocks."""
    m = re.match(r"(v_mfma_[fi]32)_(\d+)x(\d+)x(\d+)(f32|f16|i8)$", name)
    if CONTEXT != CONTEXTS[GFX942] or not m:
        return name
    blocks = ops[0][1] * 64 // (int(m.group(2)) * int(m.group(3)))
    shape = "x".join(m.group(2, 3, 4)) + ("_%db" % blocks if blocks > 1 else "")
    return "_".join((m.group(1), shape, m.group(5)))


def rows(enc):
    for op in range(ENC[enc][2]):
        variant, text = find_base(enc, op)
        if not text or (enc, op) in ALIASES:
            continue
        name = base_name(split(text)[0])
        ops = operands(enc, op, variant, text)
        name = gfx942_name(name, ops)
        dst, src = optypes(name)
        cells = []
        nsrc = 0
        for field, size in ops:
            field = "src1" if field == "src1v" else field
            kind = "W"
            if enc.startswith("VOP"):
                if field == "vdst":
                    kind = dst
                elif field in ("src0", "src1", "src2"):
                    kind = src[nsrc]
                    nsrc += 1
            cells.append("{F_%s, %d, T_%s}" % (field.upper(), size, kind))
        fl = ["I_" + f for f in flags(enc, op, variant, name)] or ["0"]
        yield name, "{%d, OP_%s, C_%s, %s, %d, {%s}}," % (
            op, name, iclass(enc, name), " | ".join(fl), len(cells), ", ".join(cells))


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    head = "/* SPDX-License-Identifier: MIT */\n/* Generated by gen/opcode_tables.py from LLVM 15; do not edit. */\n"
    names = set()
    total = 0
    files = {"scalar": ["SOP2", "SOPK", "SOP1", "SOPC", "SOPP", "SMEM"],
             "vop": ["VOP2", "VOP1", "VOPC"], "vop3": ["VOP3", "VOP3P"],
             "memory": ["DS", "FLAT", "SCRATCH", "GLOBAL", "MUBUF", "MTBUF", "MIMG"]}
    for part, encs in files.items():
        with open("%s/%s_opcodes.inc" % (sys.argv[1], part), "w") as out:
            out.write(head)
            for enc in encs:
                table = list(rows(enc))
                names.update(n for n, _ in table)
                total += len(table)
                out.write("static const struct sim_opcode table_%s[] = {\n" % enc.lower())
                out.writelines("\t%s\n" % row for _, row in table)
                out.write("};\n")
                print("%-8s %4d" % (enc, len(table)))
    choose_cpu(GFX942)
    for enc in ENC:
        names.update(n for n, _ in rows(enc))
    with open(sys.argv[1] + "/opcode_list.h", "w") as out:
        out.write(head + "#ifndef PROBE_SIMGPU_ISA_OPCODE_LIST_H\n#define PROBE_SIMGPU_ISA_OPCODE_LIST_H\n\n")
        out.write("/* X(mnemonic) for every mnemonic of gfx90a and gfx942, without encoding suffix. */\n")
        out.write("#define SIM_OPS(X) \\\n")
        out.write(" \\\n".join("\tX(%s)" % n for n in sorted(names)))
        out.write("\n\n#endif\n")
    print("total    %4d encodings, %d mnemonics" % (total, len(names)))


if __name__ == "__main__":
    main()
