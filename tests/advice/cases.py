# SPDX-License-Identifier: MIT
"""
Kernels whose fix can be made mechanically, for advice.py: the families.

A case is a family, its parameters and one marked access (MARK). `kernel(case, change)` gives the kernel with
the changes that a fix names: a dictionary of
    lds: a function of byte offsets in LDS, as text of C; pitch: bytes of a row; columns: bytes of a column, and
    their number, for an exclusive-or with the row; element: bytes, row and padding in elements; soa, swap, tile, wide, multiple, align, sort,
    reduce, pieces, neighbours, runs: True; copies, sum: a number; moved: True, where the fix says that indices
    swapped alone would move the cost.
KeyError-free on purpose: a family that cannot make a change raises Inapplicable, and then a fix that
promised something of it is false.
"""
import itertools
import random

import global_cases
import lds_cases
from kernels import Case, Inapplicable, in_two_arrays


def values(seed, most, **axes):
    """`most` of the combinations, spread by a fixed shuffle; each axis keeps all of its values if it can."""
    every = [dict(zip(axes, row)) for row in itertools.product(*axes.values())]
    random.Random(seed).shuffle(every)
    return every[:most]


SIZES, OPS = [1, 2, 4, 8, 12, 16], ["load", "store"]
BLOCKS = [(8, 8), (16, 16), (32, 8), (16, 4), (4, 64), (32, 2), (8, 32), (64, 4), (32, 32), (24, 8)]
DATA = ["random", "window64", "window256", "reversed", "clustered", "stride", "rising", "equal"]

# family: (function, maximum number of cases, axes)
FAMILIES = {
    "column": (lds_cases.column, 320, dict(size=SIZES, pitch=lds_cases.PITCHES, op=OPS, first=[0, 1, "a"], runtime=[0, 0, 1],
                                 block=[(64, 1), (128, 1), (32, 2), (16, 4), (8, 8), (32, 8)])),
    # Rows of a power of two elements: padding and exclusive-or of columns are alternatives.
    "power": (lds_cases.column, 500, dict(size=[4, 8, 16], pitch=[8, 16, 32, 64, 128], op=OPS, first=[0, 1, 2, "a"], runtime=[0, 1],
                                block=[(64, 1), (128, 1), (32, 2), (32, 4), (32, 8), (16, 4), (16, 16), (8, 8)])),
    # The same in arrays of arrays.
    "declared": (lds_cases.declared, 360, dict(size=[1, 2, 2, 4, 1, 8], op=OPS, first=[0, 1, "a"],
                                     pitch=[16, 17, 20, 30, 32, 33, 34, 36, 48, 63, 64, 65, 66, 68, 100, 130],
                                     block=[(64, 1), (32, 2), (32, 8), (64, 4), (16, 16), (24, 8), (16, 4)])),
    "folded": (lds_cases.folded, 160, dict(size=SIZES, pitch=lds_cases.PITCHES[3:], rows=[8, 16, 32, 64], items=[64, 128, 256], op=OPS)),
    "lds_struct": (lds_cases.lds_struct, 110, dict(bytes=[8, 12, 16, 20, 24, 28, 32, 48, 64, 128], member=[0, 1, 3],
                                         items=[64, 128, 96], op=OPS)),
    "skipped": (lds_cases.skipped, 70, dict(size=[1, 4, 8, 16], times=[2, 3, 4], pitch=[8, 16, 20, 32, 33], first=[0, 1], op=OPS)),
    "permuted": (lds_cases.permuted, 100, dict(size=SIZES, how=["product", "xor", "clamp", "wrap", "square"], by=[3, 8, 16, 21, 32],
                                     times=[1, 2, 8, 16, 33], op=OPS)),
    "lds_gather": (lds_cases.lds_gather, 60, dict(size=SIZES, table=[16, 64, 256, 1024], op=OPS)),
    # Unrolled, each step is an access of its own.
    "reduction": (lds_cases.reduction, 40, dict(items=[64, 128, 256, 512, 1024, 32], test=["rem", "scaled"], first=[0, 1, 8],
                                      kind=["float", "double", "int", "short"], rows=[1, 2, 4], groups=[1, 2],
                                      runtime=[0])),
    "tree": (lds_cases.reduction, 640, dict(items=[64, 128, 256, 512, 1024, 32], test=["rem", "scaled"], first=[0, 1, 8],
                                  kind=["float", "double", "int", "short"], rows=[1, 2, 4], groups=[1, 2],
                                  runtime=[1])),
    "lds_atomic": (lds_cases.lds_atomic, 640, dict(bins=[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], how=["data", "one", "modulo", "stride"],
                                         items=[64, 128, 256, 512], data=["random", "clustered", "equal"], word=[4, 8])),
    # Tables that lanes update at distances that follow from the code.
    "lds_table": (lds_cases.lds_atomic, 300, dict(bins=[2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256], how=["modulo", "stride"],
                                        items=[64, 128, 256, 192, 512], data=["random"], word=[4, 8])),
    "lds_chunk": (lds_cases.lds_chunk, 290, dict(size=[4, 8, 16], count=[2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32],
                                       items=[64, 128, 96, 256, 100, 192, 320])),
    "own_row": (lds_cases.own_row, 160, dict(size=[4, 4, 8, 16, 2], pitch=[8, 12, 16, 20, 32, 64], count=[8, 12, 16, 32], op=OPS,
                                   items=[64, 128], runtime=[0, 0, 1], declared=[0, 0, 1])),
    "struct_member": (global_cases.struct_member, 420, dict(bytes=[8, 12, 16, 20, 24, 32, 36, 40, 48, 64, 96, 128], size=[4, 8, 16],
                                               used=[1, 1, 2, 3, 4], op=OPS, first=[0, 1, 5])),
    "strided": (global_cases.strided, 220, dict(size=SIZES, step=[2, 3, 4, 5, 8, 16, 17, 32, 64, 100, 256], first=[0, 1, 7], op=OPS,
                                   items=[64, 256, 100])),
    "transposed": (global_cases.transposed, 900, dict(size=SIZES, pitch=[64, 100, 128, 256, 333, 512], first=[0, 3], op=OPS,
                                         block=BLOCKS)),
    "short_rows": (global_cases.short_rows, 220, dict(size=SIZES, pitch=[64, 100, 128, 256, 333, 512], first=[0, 3], op=OPS,
                                         block=BLOCKS)),
    "volume": (global_cases.volume, 360, dict(size=SIZES, order=list(global_cases.ORDERS), pitch=[64, 100, 130, 37], rows=[9, 16], op=OPS,
                                 block=[(8, 8, 4), (16, 4, 4), (4, 4, 4), (32, 2, 2), (16, 8, 1), (8, 8, 8), (64, 2, 1),
                                        (4, 64, 1), (24, 4, 2)])),
    "row_gather": (global_cases.row_gather, 200, dict(size=SIZES, pitch=[16, 64, 100, 128], per=["row", "lane"], op=OPS,
                                                      block=BLOCKS)),
    # A fix that swaps indices would move the cost to the other access, but not in sums of rows.
    "staged": (global_cases.staged, 400, dict(size=SIZES, pitch=[128, 130, 160, 200, 333], runtime=[0, 1], op=OPS, block=BLOCKS,
                                             how=["rows", "rows", "loop", "sum", "channels"])),
    "tile": (global_cases.tile, 300, dict(size=SIZES, pitch=[64, 100, 128, 333, 512], first=[0, 3], op=OPS, block=BLOCKS,
                             how=["tile", "literal", "lines", "plain"])),
    "runs": (global_cases.runs, 400, dict(size=SIZES, run=[2, 4, 8, 16, 32], pitch=[8, 32, 48, 64, 100, 128, 333], first=[0, 3],
                             local=[1, 1, 0], items=[64, 128, 256, 1024], op=OPS)),
    "row_members": (global_cases.row_members, 320, dict(size=[1, 2, 4], bytes=[2, 3, 4, 6, 8, 12, 16], pitch=[64, 100, 128, 333], last=[0, 1],
                                           block=BLOCKS, op=OPS)),
    # Members of one or two bytes, of which a wave fills less than a cache line.
    "byte_member": (global_cases.struct_member, 320, dict(bytes=[2, 3, 4, 6, 8, 12, 16, 24], size=[1, 2], used=[1, 1, 2], op=OPS, first=[0, 1, 5])),
    "shifted": (global_cases.shifted, 400, dict(size=SIZES, first=[1, 2, 3, 7, 8, 16, 24, 33], n=[4096, 1000, 960, 512, 100, 70],
                                   items=[64, 256, 128], runtime=[0, 1], op=OPS)),
    "pitched": (global_cases.pitched, 120, dict(size=SIZES, pitch=[65, 66, 72, 80, 96, 100, 104, 127, 144, 160], rows=[1, 4],
                                   runtime=[0, 1], op=OPS)),
    "gather": (global_cases.gather, 420, dict(size=SIZES, items=[64, 256, 100, 128, 192], op=OPS,
                                 data=DATA + ["window16", "window1024"])),
    "periodic": (global_cases.periodic, 200, dict(size=[4, 8, 16, 2, 1], by=[1, 2, 3, 5, 7], items=[64, 256, 128],
                                     how=["and", "rem", "clamp", "low", "ternary", "lattice", "lattice-y", "lattice-z",
                                          "odd"])),
    "guarded": (global_cases.guarded, 280, dict(size=SIZES, how=["every", "some", "data", "from"], by=[2, 3, 4, 7, 8], first=[0, 1, 3, 16],
                                   op=OPS)),
    "chase": (global_cases.chase, 60, dict(items=[64, 256, 100], steps=[1, 2, 4, 8, 16], data=["random", "stride", "rising", "window64"])),
    "chunk": (global_cases.chunk, 400, dict(size=[4, 8, 16], count=[2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32], items=[64, 256, 96, 128, 192, 512],
                               runtime=[0, 1])),
    # Pieces that the compiler reads with several wide loads.
    "pieces": (global_cases.chunk, 420, dict(size=[4, 8, 16], count=[4, 6, 8, 12, 16], items=[64, 256, 96, 128, 320, 192, 512], runtime=[0],
                                first=[0, 1, 2, 5])),
    "pitches": (global_cases.pitches, 60, dict(size=SIZES, pitches=[(64, 100), (3, 5), (2, 1), (1, 33), (256, 512), (16, 17, 18)],
                                  op=OPS)),
    "halo": (global_cases.halo, 120, dict(size=[4, 8, 16, 2], pitch=[64, 100, 128, 130], block=BLOCKS, op=OPS,
                             side=["left", "right", "up", "corner", "rim"])),
    "odd_group": (global_cases.odd_group, 320, dict(size=SIZES, items=[16, 20, 32, 33, 40, 48, 65, 80, 96, 100, 112, 150, 160, 200, 224,
                                                          240, 250, 300, 500, 52, 72, 88, 104, 120, 136,
                                                          144, 168, 176, 208, 280, 400, 600, 1000], op=OPS)),
    "contended": (global_cases.contended, 460, dict(size=[4, 8], how=["one", "group", "wave", "argument", "few", "data", "row", "line",
                                                         "column"],
                                       by=[2, 4, 8, 16, 32], items=[64, 128, 256, 100, 192, 512])),
    "row_words": (global_cases.row_words, 120, dict(size=SIZES, pitch=[1, 32, 64, 100, 128, 333], block=BLOCKS, first=[0, 3])),
    "global_table": (global_cases.global_table, 40, dict(bins=[1, 2, 16, 64, 256], data=DATA)),
    # Pieces of 32 and 64 B, for which the advice is to exchange the pieces of neighbouring lanes.
    "wide_pieces": (global_cases.chunk, 80, dict(size=[4, 8], count=[8], runtime=[0], first=[3, 4, 6, 7],
                                    items=[64, 96, 128, 160, 192, 256, 320, 384, 448, 512])),
    # Members of structs whose index is swapped.
    "element_member": (global_cases.element_member, 700, dict(
        bytes=[8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 100, 128, 144, 152, 160], size=[4, 8, 16], last=[0, 1], op=OPS,
        how=["argument", "literal", "loop", "unrolled", "rows", "rows-argument", "neighbours"], pitch=[37, 64, 90],
        block=[(16, 16), (8, 8), (32, 2), (64, 4), (16, 4)])),
    "handed": (global_cases.handed, 120, dict(size=SIZES, how=["row", "column", "word"], pitch=[64, 100, 128, 333], op=OPS,
                                              block=BLOCKS)),
    # Rows that do not divide a wave.
    "odd_runs": (global_cases.runs, 240, dict(size=SIZES, run=[3, 5, 6, 7, 12, 20, 24, 40, 48, 100], pitch=[100, 128, 200, 333], first=[0, 3],
                                              local=[1, 0], items=[64, 128, 192, 120, 256], op=OPS)),
}


def kernel(case, change):
    try:
        return FAMILIES[case.family][0](case, change)
    except Inapplicable:
        if "soa" not in change or case.p.get("size") != 12:
            raise
    return in_two_arrays(FAMILIES[case.family][0](case, {k: v for k, v in change.items() if k != "soa"}), case.p["op"])


def all_cases(share):
    """Every case, or one in `share` of each family."""
    ret = []
    for number, (family, (_, most, axes)) in enumerate(FAMILIES.items()):
        rows = [Case(family, i, **p) for i, p in enumerate(values(number, most, **axes))]
        rows = [case for case in rows if kernel(case, {})]
        ret += rows[::share]
    return ret
