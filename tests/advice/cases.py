# SPDX-License-Identifier: MIT
"""
Kernels whose fix can be made mechanically, for advice.py.

A case is a family, its parameters and one marked access (MARK). `kernel(case, change)` gives the kernel with
the changes that a fix names: a dictionary of
    lds: a function of byte offsets in LDS, as text of C; soa, swap, wide, multiple, align, sort,
    reduce, pieces, neighbours: True; copies: a number.
KeyError-free on purpose: a family that cannot make a change raises Inapplicable, and then a fix that
promised something of it is false.
"""
import itertools
import math
import random

MARK = "/*@*/"
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "double", 12: "float3", 16: "float4"}
ARGS = "char *in, char *out, const int *idx, int n, int a, int b"
LDS_MAX = 61440
LDS_LEAST = 12288  # for indices of the copies of stores


class Inapplicable(Exception):
    pass


class Case:
    def __init__(self, family, number, **parameters):
        self.family, self.name, self.p = family, f"{family}_{number}", parameters

    def access(self):
        """enum probe_access_kind of the marked access."""
        if self.family in ("lds_atomic", "lds_table", "contended", "global_table"):
            return 3
        return 2 if self.p.get("op") == "store" else 1

    def classes(self):
        """Words of enum probe_address_class that are true of the marked access."""
        if self.p.get("bins") == 1:
            return {"uniform", "gather", "rows", "affine"}
        if self.family == "chase":
            return {"chase"}
        if self.family in ("gather", "lds_gather", "global_table") or (
                self.p.get("how") == "data" and self.family != "guarded"):
            return {"gather"}
        arithmetic = {"uniform", "affine", "rows", "computed"}
        return arithmetic | {"wrapped"} if self.family in ("periodic", "permuted", "folded", "lds_atomic", "lds_table",
                                                           "contended", "tree",
                                                           "reduction") else arithmetic

    def __str__(self):
        return self.name + " " + " ".join(f"{k}={v}" for k, v in self.p.items())


class Kernel:
    """body: lines of C; groups and block: the launch; arguments: one list (n, a, b) for each launch."""

    def __init__(self, body, block, groups, arguments=((4096, 0, 0),), data="random"):
        self.body, self.block, self.groups = body, block, groups
        self.arguments, self.data = arguments, data


def lines_of(elements, size):
    """The elements, rounded up to whole cache lines."""
    whole = 128 // math.gcd(128, size)
    return (elements + whole - 1) // whole * whole


def allow(change, *names):
    for name in change:
        if name not in names:
            raise Inapplicable(name)


def values(seed, most, **axes):
    """`most` of the combinations, spread by a fixed shuffle; each axis keeps all of its values if it can."""
    every = [dict(zip(axes, row)) for row in itertools.product(*axes.values())]
    random.Random(seed).shuffle(every)
    return every[:most]


# ---- LDS ------------------------------------------------------------------------------------------------


def lds_kernel(size, span, index, op, change, block, groups=2, arguments=((4096, 0, 0),), before=""):
    """
    Lane's element of `size` bytes at element index; the array is `span` bytes, as it is. It is never filled, as
    layouts are proposed only if they harm other accesses less than they help.
    """
    kind = TYPES[size]
    if span > LDS_MAX:
        return None
    # A layout that needs more space is proposed only if the workgroup's LDS has it.
    declared = 65536 if change else max(span, LDS_LEAST) // 16 * 16
    at = change.get("lds", "(byte)")
    place = f"({{ unsigned byte = (unsigned)({index}) * {size}u; {at}; }})"
    body = [
        f"__shared__ __attribute__((aligned(16))) char raw[{declared}];",
        "unsigned x = threadIdx.x, y = threadIdx.y, w = blockDim.x, t = x + y * w, all = w * blockDim.y;",
        f"if (n < 0) for (unsigned i = t; i < {declared // 4}; i += all) ((int *)raw)[i] = idx[i & 1023];",
        "__syncthreads();", before,
    ]
    if op == "load":
        body += [f"{kind} *p = ({kind} *)(raw + {place});", f"(({kind} *)out)[t + blockIdx.x * all] = *p; {MARK}"]
    else:
        body += [f"{kind} *p = ({kind} *)(raw + {place});", f"*p = (({kind} *)in)[t]; {MARK}",
                 "__syncthreads();", f"(({kind} *)out)[t] = (({kind} *)raw)[t + b];"]
    return Kernel(body, block, groups, arguments)


PITCHES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 20, 24, 32, 33, 36, 40, 48, 64, 65, 80, 96, 100, 128, 160, 256]


def column(case, change):
    """Lanes go down a column of rows of `pitch` elements."""
    allow(change, "lds")
    p = case.p
    shape = p["block"]
    column_of = f"y + {p['first']}" if p["first"] != "a" else "y + a"
    pitch = "b" if p["runtime"] else p["pitch"]
    return lds_kernel(p["size"], (shape[0] + 1) * (p["pitch"] + 8) * p["size"] + 512, f"x * {pitch} + {column_of}",
                      p["op"], change, shape, arguments=((4096, 3, p["pitch"]),))


def folded(case, change):
    """The same with rows and columns made of one id."""
    allow(change, "lds")
    p = case.p
    return lds_kernel(p["size"], (p["rows"] + 1) * (p["pitch"] + 8) * p["size"] + 512,
                      f"t % {p['rows']} * {p['pitch']} + t / {p['rows']}", p["op"], change, (p["items"], 1))


def lds_struct(case, change):
    """A member of structs of `bytes`."""
    p = case.p
    allow(change, "lds", "soa")
    words = p["bytes"] // 4
    index = f"t * {words} + {p['member'] % words}"
    if change.get("soa"):
        index = f"t + {p['items']} * {p['member'] % words}"
    return lds_kernel(4, p["items"] * p["bytes"] * 2, index, p["op"], change, (p["items"], 1))


def skipped(case, change):
    """Every second or third row."""
    allow(change, "lds")
    p = case.p
    return lds_kernel(p["size"], 64 * p["times"] * p["pitch"] * p["size"] * 2,
                      f"x * {p['times']} * {p['pitch']} + {p['first']}", p["op"], change, (64, 1))


def permuted(case, change):
    """Indices by arithmetic that is not affine."""
    allow(change, "lds")
    p = case.p
    index = {"product": f"(t * {p['by']} % 64)", "xor": f"(t ^ {p['by']})", "clamp": f"min(t, {p['by']}u)",
             "wrap": f"((t + {p['by']}) % 61)", "square": f"(t * t % {p['by'] + 2})"}[p["how"]]
    return lds_kernel(p["size"], 64 * p["times"] * p["size"] + 4096, f"{index} * {p['times']}", p["op"], change,
                      (64, 1))


def lds_gather(case, change):
    allow(change, "lds")
    p = case.p
    return lds_kernel(p["size"], p["table"] * p["size"], "own", p["op"], change, (64, 1),
                      before=f"int own = idx[t + blockIdx.x * 64] & {p['table'] - 1};")


UNROLLED = ["", "#pragma unroll 1"]  # by the values of "runtime"


def reduction(case, change):
    """A tree; the gaps between its active lanes double with each step."""
    allow(change, "lds", "neighbours", "pieces")
    p = case.p
    items, kind, first = p["items"], p["kind"], p["first"]
    size, bound = {"float": 4, "double": 8, "int": 4, "short": 2}[kind], "(unsigned)n" if p["runtime"] else items
    start = [f"__shared__ {kind} raw[4096];", "unsigned t = threadIdx.x + threadIdx.y * blockDim.x;",
             f"raw[t + {first}] = (({kind} *)in)[t + blockIdx.x * {items}];"]
    place = lambda index: (f"raw[({{ unsigned byte = ({index} + {first}) * {size}; {change.get('lds', 'byte')}; }})"
                           f" / {size}]")
    if change.get("lds"):
        start[2] = f"{place('t')} = (({kind} *)in)[t + blockIdx.x * {items}];"
    if change.get("neighbours") or change.get("pieces"):
        loop = [UNROLLED[p["runtime"]], f"for (unsigned s = {bound} / 2; s; s >>= 1) {{", "__syncthreads();", "if (t < s) {",
                f"{kind} v = {place('t + s')}; {MARK}", f"{place('t')} += v;", "} }"]
    else:
        loop = [UNROLLED[p["runtime"]], f"for (unsigned s = 1; s < {bound}; s *= 2) {{", "__syncthreads();",
                "if (t % (2 * s) == 0) {" if p["test"] == "rem" else f"unsigned i = 2 * s * t; if (i < {bound}) {{",
                f"{kind} v = {place('t + s' if p['test'] == 'rem' else 'i + s')}; {MARK}",
                f"{place('t' if p['test'] == 'rem' else 'i')} += v;", "} }"]
    return Kernel(start + loop + ["__syncthreads();", f"if (!t) (({kind} *)out)[blockIdx.x] = raw[{first}];"],
                  (items // p["rows"], p["rows"]), p["groups"], arguments=((items, 0, 0),))


def lds_atomic(case, change):
    """A table that lanes update."""
    allow(change, "copies", "reduce", "lds")
    p = case.p
    copies, word = change.get("copies", 1), p.get("word", 4)
    kind, one, all_words = ("int", "1", 16384) if word == 4 else ("unsigned long long", "1ull", 8192)
    bin_of = {"data": f"(idx[t + blockIdx.x * 64] & {p['bins'] - 1})", "one": f"{p['bins'] - 1}",
              "modulo": f"(t % {p['bins']})", "stride": f"(t * {p['bins']} & 1023)"}[p["how"]]
    update = f"atomicAdd(&table[{bin_of} * {copies} + t % {copies}], {one});"
    if change.get("lds"):
        update = f"atomicAdd(&table[({{ unsigned byte = {bin_of} * {word}u; {change['lds']}; }}) / {word}], {one});"
    if change.get("reduce"):
        update = f"if (t % 64 == 0) atomicAdd(&table[{bin_of}], 64);"
    words = max(p["bins"], 1024 if p["how"] == "stride" else 0)
    if copies * words > all_words:
        raise Inapplicable("copies")
    words = all_words if change else max(words, p["items"])
    return Kernel([f"__shared__ {kind} table[{words}];", "unsigned t = threadIdx.x;",
                   f"if (n < 0) for (unsigned i = t; i < {words}; i += blockDim.x) table[i] = 0;", "__syncthreads();",
                   f"{update} {MARK}", "__syncthreads();", f"(({kind} *)out)[t] = table[t];"], (p["items"], 1), 2,
                  data=p["data"])


def lds_chunk(case, change):
    """Each lane reads a piece of its own."""
    allow(change, "lds", "pieces")
    p = case.p
    kind, count = TYPES[p["size"]], p["count"]
    if p["items"] * count * p["size"] > LDS_MAX // 2:
        return None
    index = f"(t * {count} + j)" if not change.get("pieces") else f"(t + {p['items']} * j)"
    declared = 65536 if change else p["items"] * count * p["size"]
    return Kernel([f"__shared__ __attribute__((aligned(16))) char raw[{declared}];", "unsigned t = threadIdx.x;",
                   f"if (n < 0) for (unsigned i = t; i < {declared // 4}; i += blockDim.x) ((int *)raw)[i] = idx[i & 1023];",
                   "__syncthreads();", "float sum = 0;", f"for (int j = 0; j < {count}; j++)",
                   f"sum += *(float *)(raw + ({{ unsigned byte = {index} * 4u; {change.get('lds', 'byte')}; }})); {MARK}"
                   if p["size"] == 4 else
                   f"{{ {kind} v = *({kind} *)(raw + ({{ unsigned byte = {index} * {p['size']}u; "
                   f"{change.get('lds', 'byte')}; }})); sum += *(float *)&v + ((float *)&v)[{p['size'] // 4 - 1}]; }} {MARK}",
                   "((float *)out)[t] = sum;"], (p["items"], 1), 2)


# ---- Global memory --------------------------------------------------------------------------------------


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
    if used > words:
        return None

    def place(member):
        if change.get("soa") or change.get("swap"):
            return f"(({kind} *)(in + {member * 262144}))[t + {p['first']}]"
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
    allow(change, "swap", "soa")
    p = case.p
    step = 1 if change else p["step"]
    return Kernel([ID] + access(TYPES[p["size"]], f"t * {step} + {p['first']}", p["op"]), (p["items"], 1), 2)


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
    index = f"t * {count} + j + {start}" if not change or change.get("align") else f"t + j * {p['items'] * 2}"
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
    word = {"one": "0", "group": "blockIdx.x * 32", "wave": "t / 64 * 32", "argument": "a", "few": f"t % {p['by']}",
            "data": f"idx[t] % {p['by']}", "row": f"t / {p['by']} * 32"}[p["how"]]
    kind, one = ("int", "1") if p["size"] == 4 else ("unsigned long long", "1ull")
    update = f"atomicAdd(({kind} *)out + {word}, {one}); {MARK}"
    if change:
        if p["how"] in ("few", "data", "row"):
            raise Inapplicable("different words")
        update = f"if (threadIdx.x % 64 == 0) {update}"
    return Kernel([ID, update], (p["items"], 1), 4, arguments=((4096, 5, 0),))


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


SIZES, OPS = [1, 2, 4, 8, 12, 16], ["load", "store"]
BLOCKS = [(8, 8), (16, 16), (32, 8), (16, 4), (4, 64), (32, 2), (8, 32), (64, 4), (32, 32), (24, 8)]
DATA = ["random", "window64", "window256", "reversed", "clustered", "stride", "rising", "equal"]

# family: (function, maximum number of cases, axes)
FAMILIES = {
    "column": (column, 320, dict(size=SIZES, pitch=PITCHES, op=OPS, first=[0, 1, "a"], runtime=[0, 0, 1],
                                 block=[(64, 1), (128, 1), (32, 2), (16, 4), (8, 8), (32, 8)])),
    # Rows of a power of two elements: padding and exclusive-or of columns are alternatives.
    "power": (column, 500, dict(size=[4, 8, 16], pitch=[8, 16, 32, 64, 128], op=OPS, first=[0, 1, 2, "a"], runtime=[0, 1],
                                block=[(64, 1), (128, 1), (32, 2), (32, 4), (32, 8), (16, 4), (16, 16), (8, 8)])),
    "folded": (folded, 160, dict(size=SIZES, pitch=PITCHES[3:], rows=[8, 16, 32, 64], items=[64, 128, 256], op=OPS)),
    "lds_struct": (lds_struct, 110, dict(bytes=[8, 12, 16, 20, 24, 28, 32, 48, 64, 128], member=[0, 1, 3],
                                         items=[64, 128, 96], op=OPS)),
    "skipped": (skipped, 70, dict(size=[1, 4, 8, 16], times=[2, 3, 4], pitch=[8, 16, 20, 32, 33], first=[0, 1], op=OPS)),
    "permuted": (permuted, 100, dict(size=SIZES, how=["product", "xor", "clamp", "wrap", "square"], by=[3, 8, 16, 21, 32],
                                     times=[1, 2, 8, 16, 33], op=OPS)),
    "lds_gather": (lds_gather, 60, dict(size=SIZES, table=[16, 64, 256, 1024], op=OPS)),
    # Unrolled, each step is an access of its own.
    "reduction": (reduction, 40, dict(items=[64, 128, 256, 512, 1024, 32], test=["rem", "scaled"], first=[0, 1, 8],
                                      kind=["float", "double", "int", "short"], rows=[1, 2, 4], groups=[1, 2],
                                      runtime=[0])),
    "tree": (reduction, 640, dict(items=[64, 128, 256, 512, 1024, 32], test=["rem", "scaled"], first=[0, 1, 8],
                                  kind=["float", "double", "int", "short"], rows=[1, 2, 4], groups=[1, 2],
                                  runtime=[1])),
    "lds_atomic": (lds_atomic, 640, dict(bins=[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], how=["data", "one", "modulo", "stride"],
                                         items=[64, 128, 256, 512], data=["random", "clustered", "equal"], word=[4, 8])),
    # Tables that lanes update at distances that follow from the code.
    "lds_table": (lds_atomic, 300, dict(bins=[2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256], how=["modulo", "stride"],
                                        items=[64, 128, 256, 192, 512], data=["random"], word=[4, 8])),
    "lds_chunk": (lds_chunk, 290, dict(size=[4, 8, 16], count=[2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32],
                                       items=[64, 128, 96, 256, 100, 192, 320])),
    "struct_member": (struct_member, 420, dict(bytes=[8, 12, 16, 20, 24, 32, 36, 40, 48, 64, 96, 128], size=[4, 8, 16],
                                               used=[1, 1, 2, 3, 4], op=OPS, first=[0, 1, 5])),
    "strided": (strided, 220, dict(size=SIZES, step=[2, 3, 4, 5, 8, 16, 17, 32, 64, 100, 256], first=[0, 1, 7], op=OPS,
                                   items=[64, 256, 100])),
    "transposed": (transposed, 900, dict(size=SIZES, pitch=[64, 100, 128, 256, 333, 512], first=[0, 3], op=OPS,
                                         block=BLOCKS)),
    "short_rows": (short_rows, 220, dict(size=SIZES, pitch=[64, 100, 128, 256, 333, 512], first=[0, 3], op=OPS,
                                         block=BLOCKS)),
    "shifted": (shifted, 400, dict(size=SIZES, first=[1, 2, 3, 7, 8, 16, 24, 33], n=[4096, 1000, 960, 512, 100, 70],
                                   items=[64, 256, 128], runtime=[0, 1], op=OPS)),
    "pitched": (pitched, 120, dict(size=SIZES, pitch=[65, 66, 72, 80, 96, 100, 104, 127, 144, 160], rows=[1, 4],
                                   runtime=[0, 1], op=OPS)),
    "gather": (gather, 420, dict(size=SIZES, items=[64, 256, 100, 128, 192], op=OPS,
                                 data=DATA + ["window16", "window1024"])),
    "periodic": (periodic, 200, dict(size=[4, 8, 16, 2, 1], by=[1, 2, 3, 5, 7], items=[64, 256, 128],
                                     how=["and", "rem", "clamp", "low", "ternary", "lattice", "lattice-y", "lattice-z",
                                          "odd"])),
    "guarded": (guarded, 280, dict(size=SIZES, how=["every", "some", "data", "from"], by=[2, 3, 4, 7, 8], first=[0, 1, 3, 16],
                                   op=OPS)),
    "chase": (chase, 60, dict(items=[64, 256, 100], steps=[1, 2, 4, 8, 16], data=["random", "stride", "rising", "window64"])),
    "chunk": (chunk, 400, dict(size=[4, 8, 16], count=[2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32], items=[64, 256, 96, 128, 192, 512],
                               runtime=[0, 1])),
    # Pieces that the compiler reads with several wide loads.
    "pieces": (chunk, 420, dict(size=[4, 8, 16], count=[4, 6, 8, 12, 16], items=[64, 256, 96, 128, 320, 192, 512], runtime=[0],
                                first=[0, 1, 2, 5])),
    "pitches": (pitches, 60, dict(size=SIZES, pitches=[(64, 100), (3, 5), (2, 1), (1, 33), (256, 512), (16, 17, 18)],
                                  op=OPS)),
    "halo": (halo, 120, dict(size=[4, 8, 16, 2], pitch=[64, 100, 128, 130], block=BLOCKS, op=OPS,
                             side=["left", "right", "up", "corner", "rim"])),
    "odd_group": (odd_group, 320, dict(size=SIZES, items=[16, 20, 32, 33, 40, 48, 65, 80, 96, 100, 112, 150, 160, 200, 224,
                                                          240, 250, 300, 500, 52, 72, 88, 104, 120, 136,
                                                          144, 168, 176, 208, 280, 400, 600, 1000], op=OPS)),
    "contended": (contended, 360, dict(size=[4, 8], how=["one", "group", "wave", "argument", "few", "data", "row"],
                                       by=[2, 4, 8, 16, 32], items=[64, 128, 256, 100, 192, 512])),
    "row_words": (row_words, 120, dict(size=SIZES, pitch=[1, 32, 64, 100, 128, 333], block=BLOCKS, first=[0, 3])),
    "global_table": (global_table, 40, dict(bins=[1, 2, 16, 64, 256], data=DATA)),
    # Pieces of 32 and 64 B, for which the advice is to exchange the pieces of neighbouring lanes.
    "wide_pieces": (chunk, 80, dict(size=[4, 8], count=[8], runtime=[0], first=[3, 4, 6, 7],
                                    items=[64, 96, 128, 160, 192, 256, 320, 384, 448, 512])),
    # Members of structs whose index is swapped.
    "element_member": (element_member, 700, dict(
        bytes=[8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 100, 128, 144, 152, 160], size=[4, 8, 16], last=[0, 1], op=OPS,
        how=["argument", "literal", "loop", "unrolled", "rows", "rows-argument", "neighbours"], pitch=[37, 64, 90],
        block=[(16, 16), (8, 8), (32, 2), (64, 4), (16, 4)])),
}


def kernel(case, change):
    return FAMILIES[case.family][0](case, change)


def all_cases(share):
    """Every case, or one in `share` of each family."""
    ret = []
    for number, (family, (_, most, axes)) in enumerate(FAMILIES.items()):
        rows = [Case(family, i, **p) for i, p in enumerate(values(number, most, **axes))]
        rows = [case for case in rows if kernel(case, {})]
        ret += rows[::share]
    return ret
