# SPDX-License-Identifier: MIT
"""Families of kernels that access global memory (see cases.py)."""
import math

from kernels import MARK, TYPES, Inapplicable, Kernel, lines_of, allow


def access(kind, index, op, base="in"):
    if op == "load":
        return [f"(({kind} *)out)[t] = (({kind} *){base})[{index}]; {MARK}"]
    return [f"(({kind} *)out)[{index}] = (({kind} *)in)[t]; {MARK}"]


ID = "unsigned t = threadIdx.x + blockIdx.x * blockDim.x;"
ID2 = ("unsigned x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y, "
       "t = x + y * blockDim.x * gridDim.x;")


def struct_member(case, change):
    """Members of an array of structs; the marked line reads the last one used."""
    allow(change, "soa", "swap", "align")
    p = case.p
    kind, size, words = TYPES[p["size"]], p["size"], p["bytes"] // p["size"]
    used = p["used"]
    if used > words or p["bytes"] % size:
        return None

    def place(member):
        if change.get("soa") or change.get("swap"):
            return f"(({kind} *)(in + {member * 262144}))[t + {0 if change.get('align') else p['first']}]"
        return f"(({kind} *)in)[(t + {0 if change else p['first']}) * {words} + {member}]"

    body = [ID]
    for member in range(used):
        line = f"{kind} v{member} = {place(member)};" if p["op"] == "load" else f"{place(member)} = {kind}();"
        if p["op"] == "load":
            line += f" (({kind} *)out)[t * {used} + {member}] = v{member};"
        body.append(f"{line} {MARK}")
    return Kernel(body, (256, 1), 2)


def element_member(case, change):
    """A member of a struct, by an index that could be swapped with another one, or not ("neighbours")."""
    allow(change, "swap", "soa", "wide", "align")
    p = case.p
    kind, size, words, pitch, how = TYPES[p["size"]], p["size"], p["bytes"] // p["size"], p["pitch"], p["how"]
    if p["bytes"] % size or (words == 1 and p["last"]):
        return None
    rows, loop = how.startswith("rows"), how in ("loop", "unrolled")
    shape, groups = (p["block"], (2, 2)) if rows else ((p["block"][0] * p["block"][1], 1), 2)
    if change.get("wide"):
        shape = (max(64, shape[0]), max(1, shape[0] * shape[1] // max(64, shape[0])))
    far = "b" if how in ("argument", "rows-argument") else pitch
    swapped = change.get("swap") or change.get("soa")
    if how == "neighbours":
        index = "t"
    elif rows:
        index = f"y * {far} + x" if swapped else f"x * {far} + y"
    elif loop:
        index = f"k * {shape[0] * groups} + t" if swapped else "t * 8 + k"
    else:
        index = "t" if swapped else f"t * {far}"
    # An array for the member, from its own position in the first struct on.
    member = words - 1 if p["last"] else 0
    place = "({0})[{1}]" if change.get("soa") else f"((E *){{0}})[{{1}}].m[{member}]"
    soa = f"({kind} *)({{0}} + {member * size})"
    use = place.format((soa if change.get("soa") else "{0}").format("in" if p["op"] == "load" else "out"), index)
    own = f"(({kind} *){'out' if p['op'] == 'load' else 'in'})[{'k * 4096 + t' if loop else 't'}]"
    line = f"{own} = {use}; {MARK}" if p["op"] == "load" else f"{use} = {own}; {MARK}"
    body = [ID2 if rows else ID, f"struct E {{ {kind} m[{words}]; }};"]
    if loop:
        body.append(f"for (int k = 0; k < {'n' if how == 'loop' else 8}; k++)")
    return Kernel(body + [line], shape, groups, arguments=((8, 0, pitch),))


def strided(case, change):
    allow(change, "swap", "soa", "align")
    p = case.p
    step, first = 1 if change else p["step"], 0 if change.get("align") else p["first"]
    return Kernel([ID] + access(TYPES[p["size"]], f"t * {step} + {first}", p["op"]), (p["items"], 1), 2)


def transposed(case, change):
    """threadIdx.x goes down a column."""
    allow(change, "swap", "wide", "soa")
    p = case.p
    shape = p["block"]
    pitch = p["pitch"]
    if change.get("wide"):
        items = shape[0] * shape[1]
        shape = (max(64, shape[0]), max(1, items // max(64, shape[0])))
    index = f"y * {pitch} + x + {p['first']}" if change.get("swap") or change.get("soa") else f"x * {pitch} + y + {p['first']}"
    return Kernel([ID2] + access(TYPES[p["size"]], index, p["op"]), shape, (2, 2))


def short_rows(case, change):
    """threadIdx.x is contiguous, but a wave has several rows."""
    allow(change, "wide", "align")
    p = case.p
    shape, pitch, first = p["block"], p["pitch"], p["first"]
    if change.get("wide"):
        items = shape[0] * shape[1]
        shape = (max(64, shape[0]), max(1, items // max(64, shape[0])))
    if change.get("align"):
        pitch, first = lines_of(pitch, p["size"]), 0
    return Kernel([ID2] + access(TYPES[p["size"]], f"y * {pitch} + x + {first}", p["op"]), shape, (2, 2))


def staged(case, change):
    """A transposition, or sums of rows ("sum"): the other access of the marked line is contiguous."""
    allow(change, "swap", "tile", "wide", "moved", "soa", "align")
    p = case.p
    kind, how, load = TYPES[p["size"]], p["how"], p["op"] == "load"
    pitch = "b" if p["runtime"] else p["pitch"]
    arguments = ((4096, 0, p["pitch"]),)
    far, near = ("in", "out") if load else ("out", "in")
    if how == "sum":
        if not load or p["size"] not in (4, 8):
            return None
        if change.get("swap"):
            return Kernel(["unsigned l = threadIdx.x, r = blockIdx.x;", f"{kind} sum = 0;", "for (int k = l; k < 128; k += 64)",
                           f"sum += (({kind} *)in)[r * {pitch} + k]; {MARK}",
                           "for (int d = 32; d; d /= 2) sum += __shfl_down(sum, d);",
                           f"if (l == 0) (({kind} *)out)[r] = sum;"], (64, 1), 128, arguments=arguments)
        return Kernel([ID, f"{kind} sum = 0;", "for (int k = 0; k < 128; k++)",
                       f"sum += (({kind} *)in)[t * {pitch} + k]; {MARK}", f"(({kind} *)out)[t] = sum;"],
                      (64, 1), 2, arguments=arguments)
    if how == "channels":
        # The elements of a lane are neighbours in one array, and far apart in the other.
        count = {128: 2, 130: 3, 160: 4, 200: 5, 333: 12}[p["pitch"]]
        arguments, c = ((4096, 0, count),), "b" if p["runtime"] else count
        if 4 * count * p["size"] > 256:
            return None
        near, far = f"t * {c} + k", "k * 4096 + t"
        if change.get("soa"):
            near = far
        if not change.get("tile"):
            return Kernel([ID, f"for (int k = 0; k < {c}; k++)",
                           f"(({kind} *)out)[{far if load else near}] = (({kind} *)in)[{near if load else far}]; {MARK}"],
                          (64, 1), 8, arguments=arguments)
        outer, inner = ("blockIdx.x * 64 * {0} + k * 64 + l", "k * 64 + l"), ("k * 4096 + t", "l * {0} + k")
        first, second = (outer, inner) if load else (inner, outer)
        return Kernel([ID, f"__shared__ {kind} tile[64 * {count}];", "unsigned l = threadIdx.x;", f"for (int k = 0; k < {c}; k++) {{",
                       f"{kind} v = (({kind} *)in)[{first[0].format(c)}]; {MARK}", f"tile[{first[1].format(c)}] = v;", "}",
                       "__syncthreads();", f"for (int k = 0; k < {c}; k++) {{", f"{kind} v = tile[{second[1].format(c)}];",
                       f"(({kind} *)out)[{second[0].format(c)}] = v; {MARK}", "}"], (64, 1), 8, arguments=arguments)
    if change.get("tile") and not change.get("moved"):
        # Rows of 64 elements: read in the order of `in`, written in the order of `out`.
        row = 64 + (p["size"] < 16)
        return Kernel([f"__shared__ {kind} tile[64][{row}];", "unsigned x = blockIdx.x * 64, y = blockIdx.y * 64, l = threadIdx.x;",
                       "for (unsigned k = threadIdx.y; k < 64; k += 4) {",
                       f"{kind} v = (({kind} *)in)[(y + k) * {pitch} + x + l]; {MARK}", "tile[k][l] = v;", "}",
                       "__syncthreads();", "for (unsigned k = threadIdx.y; k < 64; k += 4) {",
                       f"{kind} v = tile[l][k];", f"(({kind} *)out)[(x + k) * {pitch} + y + l] = v; {MARK}", "}"],
                      (64, 4), (2, 2), arguments=arguments)
    if how == "loop":
        columns, rows = f"t * {pitch} + k", f"k * {pitch} + t"
        if change.get("moved") or change.get("swap"):
            columns, rows = rows, columns
        return Kernel([ID, "for (int k = 0; k < 128; k++)",
                       f"(({kind} *)out)[{rows if load else columns}] = (({kind} *)in)[{columns if load else rows}]; {MARK}"],
                      (64, 1), 2, arguments=arguments)
    shape = wider(p["block"]) if change.get("wide") else p["block"]
    if 128 % shape[0] or 128 % shape[1]:
        return None
    columns, rows = f"x * {pitch} + y", f"y * {pitch} + x"
    if change.get("moved") or change.get("swap"):
        columns, rows = rows, columns
    return Kernel([ID2, f"(({kind} *){near})[{rows}] = (({kind} *){far})[{columns}]; {MARK}" if load else
                   f"(({kind} *){far})[{columns}] = (({kind} *){near})[{rows}]; {MARK}"],
                  shape, (128 // shape[0], 128 // shape[1]), arguments=arguments)


def wider(shape):
    """As many work-items, with whole waves in a row."""
    return (max(64, shape[0]), max(1, math.prod(shape) // max(64, shape[0])))


ORDERS = {"xyz": "(z * a + y) * b + x", "zyx": "(x * a + y) * b + z", "yxz": "(z * a + x) * b + y",
          "yzx": "(x * a + z) * b + y", "zxy": "(y * a + x) * b + z", "xzy": "(y * a + z) * b + x"}


def volume(case, change):
    """Three indices, with two sizes that are arguments."""
    allow(change, "swap", "wide", "align", "soa")
    p = case.p
    shape, pitch = p["block"], lines_of(p["pitch"], p["size"]) if change.get("align") else p["pitch"]
    if change.get("wide"):
        shape = wider(shape)
    index = "t" if change.get("soa") else ORDERS["xyz" if change.get("swap") else p["order"]]
    ids = ("unsigned x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y, "
           "z = threadIdx.z + blockIdx.z * blockDim.z, t = x + blockDim.x * gridDim.x * (y + blockDim.y * gridDim.y * z);")
    return Kernel([ids, f"if ((int)x < n) {{ {access(TYPES[p['size']], index, p['op'])[0]} }}"], shape, (2, 2),
                  arguments=((4096, p["rows"], pitch),))


def runs(case, change):
    """Rows and columns of one id."""
    allow(change, "runs", "align", "soa")
    p = case.p
    run, pitch, first = 64 if change.get("runs") else p["run"], p["pitch"], p["first"]
    if change.get("align"):
        pitch, first = pitch if pitch == run else lines_of(pitch, p["size"]), 0
    # The compiler proves the bits of an id of the workgroup, not those of one of the grid.
    at, base = ("threadIdx.x", " + blockIdx.x * 4096") if p["local"] else ("t", "")
    index = f"{at}{base}" if change.get("soa") else f"{at} / {run} * {pitch} + {at} % {run} + {first}{base}"
    return Kernel([ID] + access(TYPES[p["size"]], index, p["op"]),
                  (p["items"], 1), 4)


def row_members(case, change):
    """Members of structs in several rows."""
    allow(change, "wide", "soa", "align")
    p = case.p
    if p["bytes"] % p["size"] or p["bytes"] == p["size"]:
        return None
    shape, pitch, words = p["block"], p["pitch"], p["bytes"] // p["size"]
    if change.get("wide"):
        shape = wider(shape)
    if change.get("align"):
        pitch = lines_of(pitch, p["size"])
    index = f"y * {pitch} + x" if change.get("soa") else f"(y * {pitch} + x) * {words} + {(words - 1) * p['last']}"
    return Kernel([ID2] + access(TYPES[p["size"]], index, p["op"]), shape, (2, 2))


def tile(case, change):
    """Workgroups whose shape is in the kernel: the size of a tile, or constants."""
    allow(change, "wide", "align")
    p = case.p
    shape, kind = p["block"], TYPES[p["size"]]
    if change:
        shape = wider(shape)
    across, down = (shape if p["how"] != "plain" else ("blockDim.x", "blockDim.y"))
    ids = [f"unsigned x = threadIdx.x + blockIdx.x * {across}, y = threadIdx.y + blockIdx.y * {down}, "
           "t = x + y * blockDim.x * gridDim.x;"]
    if p["how"] == "lines":
        ids = [f"unsigned x = threadIdx.x, y = threadIdx.y, t = x + y * {shape[0]};"]
    pitch, first = (lines_of(p["pitch"], p["size"]), 0) if change.get("align") else (p["pitch"], p["first"])
    index = f"y * {pitch} + x + {first}"
    body = ids + access(kind, index, p["op"])
    if p["how"] == "tile" and p["op"] == "load":
        body = ids + [f"__shared__ {kind} raw[{shape[1]}][{shape[0] + 1}];",
                      f"raw[threadIdx.y][threadIdx.x] = (({kind} *)in)[{index}]; {MARK}", "__syncthreads();",
                      f"(({kind} *)out)[t] = raw[threadIdx.y][{shape[0] - 1} - threadIdx.x];"]
    elif p["how"] == "tile":
        body = ids + [f"__shared__ {kind} raw[{shape[1]}][{shape[0] + 1}];",
                      f"raw[threadIdx.y][threadIdx.x] = (({kind} *)in)[t];", "__syncthreads();",
                      f"(({kind} *)out)[{index}] = raw[threadIdx.y][{shape[0] - 1} - threadIdx.x]; {MARK}"]
    elif p["how"] == "lines":
        body = ids + [f"for (unsigned k = 0; k < 64; k += {shape[1]}) {{", f"unsigned y = threadIdx.y + k, t = x + y * {shape[0]};",
                      *access(kind, index, p["op"]), "}"]
    return Kernel(body, shape, (2, 2))


def handed(case, change):
    """A function that is not inlined is handed the index: the compiler does not know what it depends on."""
    allow(change, "swap", "wide", "soa", "align")
    p = case.p
    kind, shape, pitch = TYPES[p["size"]], p["block"], p["pitch"]
    if change.get("wide"):
        shape = wider(shape)
    if change.get("align"):
        pitch = lines_of(pitch, p["size"])
    how = "row" if change.get("swap") or change.get("soa") else p["how"]
    index = {"row": f"y * {pitch} + x", "column": f"x * {pitch} + y", "word": f"y * {pitch}"}[how]
    if p["op"] == "load":
        return Kernel([ID2, f"auto get = [](const char *from, int i) __attribute__((noinline)) {{ return (({kind} *)from)[i]; }}; {MARK}",
                       f"(({kind} *)out)[t] = get(in, {index});"], shape, (2, 2))
    return Kernel([ID2, f"auto put = [](char *to, int i, {kind} v) __attribute__((noinline)) {{ (({kind} *)to)[i] = v; }}; {MARK}",
                   f"put(out, {index}, (({kind} *)in)[t]);"], shape, (2, 2))


def row_gather(case, change):
    """A row whose number was loaded, for each row of the workgroup or for each lane."""
    allow(change, "wide", "sort", "align", "swap")
    p = case.p
    shape, pitch = p["block"], lines_of(p["pitch"], p["size"]) if change.get("align") else p["pitch"]
    if change.get("wide"):
        shape = wider(shape)
    if change.get("swap"):
        raise Inapplicable("swap")
    of = {"row": "y & 4095", "lane": "t & 4095"}[p["per"]]
    return Kernel([ID2, f"int at = idx[{of}];"] + access(TYPES[p["size"]], f"at * {pitch} + x", p["op"]), shape, (2, 2),
                  data="sorted-random" if change.get("sort") else "random")


def shifted(case, change):
    """Contiguous, from an element on; the last wave may be partial, or all of them."""
    allow(change, "align")
    p = case.p
    first = 0 if change else p["first"]
    index = f"(size_t)t + {first}" if p["runtime"] == 0 else "(size_t)t + a"
    return Kernel([ID, "if (t < n) {"] + access(TYPES[p["size"]], index, p["op"]) + ["}"], (p["items"], 1), 4,
                  arguments=((p["n"], first, 0),))


def pitched(case, change):
    """Rows of whole waves whose pitch is no multiple of a cache line."""
    allow(change, "align")
    p = case.p
    pitch = lines_of(p["pitch"], p["size"]) if change else p["pitch"]
    return Kernel(["unsigned x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, t = x + y * blockDim.x;"] +
                  access(TYPES[p["size"]], f"y * {'b' if p['runtime'] else pitch} + x", p["op"]), (64, p["rows"]), 8,
                  arguments=((4096, 0, pitch),))


def gather(case, change):
    """Through an index that was loaded; `sort` is an order of all indices."""
    allow(change, "sort")
    p = case.p
    return Kernel([ID, "int at = idx[t];"] + access(TYPES[p["size"]], "at", p["op"]), (p["items"], 1), 4,
                  data="sorted-" + p["data"] if change else p["data"])


def periodic(case, change):
    """Neighbours with a periodic or clamped index: there is nothing to mend."""
    allow(change, "align")
    p = case.p
    if change:
        raise Inapplicable("a neighbour")
    index = {"and": f"((t + {p['by']}) & 511)", "rem": f"((t + {p['by']}) % n)", "clamp": f"min(t + {p['by']}, 511u)",
             "low": f"(unsigned)max((int)t - {p['by']}, 0)",
             "ternary": f"(t + {p['by']} >= n ? t + {p['by']} - n : t + {p['by']})",
             "lattice": f"(((t & 7) + {p['by']} & 7) + (t & ~7))",
             "lattice-y": f"((t & 7) + ((t >> 3 & 7) + {p['by']} & 7) * 8 + (t & ~63))",
             "lattice-z": f"((t & 63) + ((t >> 6) + {p['by']} & 7) * 64)",
             "odd": f"((t % 10 + {p['by']}) % 10 + t / 10 * 10)"}[p["how"]]
    kind = TYPES[p["size"]]
    body = [ID, f"(({kind} *)out)[2 * t] = (({kind} *)in)[t];",
            f"(({kind} *)out)[2 * t + 1] = (({kind} *)in)[{index}]; {MARK}"]
    return Kernel(body, (p["items"], 1), 4, arguments=((512, 0, 0),))


def guarded(case, change):
    """Some lanes are idle; the elements of the others stay where they are."""
    allow(change, "align")
    p = case.p
    active = {"every": f"t % {p['by']} == 0", "some": f"t % 64 < {p['by'] * 7}", "data": f"idx[t] % {p['by']} == 0",
              "from": f"t % 64 >= {p['by'] * 5}"}[p["how"]]
    first = 0 if change.get("align") else p["first"]
    if change.get("align") == "active lane" and p["how"] == "from":
        first = -(p["by"] * 5) % 64
    return Kernel([ID, f"if ({active}) {{"] + access(TYPES[p["size"]], f"t + {first}", p["op"]) + ["}"], (256, 1), 4)


def chase(case, change):
    allow(change, "sort")
    p = case.p
    if change and p["steps"] > 1:
        raise Inapplicable("a chase")
    return Kernel([ID, "int at = idx[t];", f"for (int i = 0; i < {p['steps']}; i++)", f"at = idx[at]; {MARK}",
                   "((int *)out)[t] = at;"], (p["items"], 1), 4,
                  data=("sorted-" if change else "chase-") + p["data"])


def chunk(case, change):
    """Each lane reads a piece of its own."""
    allow(change, "pieces", "soa", "swap", "align", "multiple")
    p = case.p
    kind, count = TYPES[p["size"]], p["count"]
    if change.get("multiple"):
        # The same elements by whole waves; the lanes beyond the last element are idle.
        items = p["items"] * 2
        return Kernel([ID, f"{kind} last = {kind}();", f"if (t < {items})",
                       f"for (int j = 0; j < {'n' if p['runtime'] else count}; j++)",
                       f"{{ {kind} v = (({kind} *)in)[t * {count} + j + {p.get('first', 0) * count}]; *(float *)&last += "
                       f"*(float *)&v + ((float *)&v)[{p['size'] // 4 - 1}]; }} {MARK}",
                       f"(({kind} *)out)[t] = last;"], ((p["items"] + 63) // 64 * 64, 1),
                      2, arguments=((count, 0, 0),))
    start = 0 if change else p.get("first", 0) * count
    index = f"t * {count} + j + {start}" if not change or set(change) == {"align"} else f"t + j * {p['items'] * 2}"
    if change and p["size"] == 16 and not change.get("pieces") and not change.get("align"):
        # One array per member that is read.
        return Kernel([ID, f"{kind} last = {kind}();", f"for (int j = 0; j < {'n' if p['runtime'] else count}; j++)",
                       f"*(float *)&last += ((float *)in)[{index}] + ((float *)in)[{index} + 65536]; {MARK}",
                       f"(({kind} *)out)[t] = last;"], (p["items"], 1), 2, arguments=((count, 0, 0),))
    return Kernel([ID, f"{kind} last = {kind}();", f"for (int j = 0; j < {'n' if p['runtime'] else count}; j++)",
                   f"{{ {kind} v = (({kind} *)in)[{index}]; *(float *)&last += *(float *)&v + ((float *)&v)[{p['size'] // 4 - 1}]; }} {MARK}",
                   f"(({kind} *)out)[t] = last;"], (p["items"], 1), 2, arguments=((count, 0, 0),))


def pitches(case, change):
    """One kernel, launched with several pitches."""
    allow(change, "swap")
    p = case.p
    index = "t + a" if change else "t * b + a"
    return Kernel([ID] + access(TYPES[p["size"]], index, p["op"]), (64, 1), 2,
                  arguments=tuple((4096, 0, pitch) for pitch in p["pitches"]))


def halo(case, change):
    """The rim of a tile, loaded by some lanes."""
    allow(change, "align", "wide")
    p = case.p
    shape, pitch, one = p["block"], p["pitch"], " + 1"
    if change.get("wide"):
        shape = (max(64, shape[0]), max(1, shape[0] * shape[1] // max(64, shape[0])))
    if change.get("align"):
        if p["side"] not in ("up", "rim"):
            raise Inapplicable("a column")
        pitch, one = lines_of(pitch, p["size"]), ""
    side = {"left": ("threadIdx.x == 0", "y * {0} + x"), "right": ("threadIdx.x == blockDim.x - 1", "y * {0} + x + 2"),
            "up": ("threadIdx.y == 0", "y * {0} + x" + one),
            "corner": ("threadIdx.x + threadIdx.y == 0", "y * {0} + x"),
            "rim": ("threadIdx.y < 2", "(y + threadIdx.y * blockDim.y) * {0} + x" + one)}[p["side"]]
    return Kernel([ID2, f"if ({side[0]}) {{"] + access(TYPES[p["size"]], side[1].format(pitch), p["op"]) + ["}"], shape,
                  (2, 2))


def odd_group(case, change):
    allow(change, "multiple")
    p = case.p
    items = (p["items"] + 63) // 64 * 64 if change else p["items"]
    n = p["items"] * 12
    return Kernel([ID, "if (t < n) {"] + access(TYPES[p["size"]], "t", p["op"]) + ["}"], (items, 1),
                  (n + items - 1) // items, arguments=((n, 0, 0),))


def contended(case, change):
    """Lanes that update words of global memory."""
    allow(change, "reduce")
    p = case.p
    by, how = p["by"], p["how"]
    word = {"one": "0", "group": "blockIdx.x * 32", "wave": "t / 64 * 32", "argument": "a", "few": f"t % {by}",
            "data": f"idx[t] % {by}", "row": f"t / {by} * 32", "line": "threadIdx.y * 32 + blockIdx.x * 8192",
            "column": "threadIdx.x"}[how]
    kind, one = ("int", "1") if p["size"] == 4 else ("unsigned long long", "1ull")
    update = f"atomicAdd(({kind} *)out + {word}, {one}); {MARK}"
    shape = (by, p["items"] // by) if how in ("line", "column") else (p["items"], 1)
    if change:
        if how == "data":
            raise Inapplicable("different words")
        lane = f"(threadIdx.x + threadIdx.y * {shape[0]}) % 64"
        first = {"few": f"threadIdx.x % 64 < {by}", "row": f"(t % {by} == 0 || threadIdx.x % 64 == 0)",
                 "line": f"(threadIdx.x == 0 || {lane} == 0)", "column": f"{lane} < {by}"}.get(how, f"{lane} == 0")
        update = f"if ({first}) {update}"
    return Kernel([ID, update], shape, 4, arguments=((4096, 5, 0),))


def row_words(case, change):
    """Each row of the workgroup uses one word."""
    allow(change, "wide")
    p = case.p
    shape = p["block"]
    if change:
        items = shape[0] * shape[1]
        shape = (max(64, shape[0]), max(1, items // max(64, shape[0])))
    return Kernel([ID2] + access(TYPES[p["size"]], f"y * {p['pitch']} + {p['first']}", "load"), shape, (2, 2))


def global_table(case, change):
    """Updates of a table in global memory, by data."""
    allow(change, "reduce")
    p = case.p
    if change:
        if p["bins"] > 1:
            raise Inapplicable("different words")
        return Kernel([ID, f"if (t % 64 == 0) atomicAdd((int *)out, 64); {MARK}"], (256, 1), 2)
    return Kernel([ID, f"atomicAdd((int *)out + (idx[t] & {p['bins'] - 1}), 1); {MARK}"], (256, 1), 2, data=p["data"])
