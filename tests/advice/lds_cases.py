# SPDX-License-Identifier: MIT
"""Families of kernels that access LDS (see cases.py)."""
from kernels import MARK, FREE, TYPES, Inapplicable, Kernel, allow

LDS_MAX = 61440
LDS_LEAST = 12288  # for indices of the copies of stores


def lds_kernel(size, span, index, op, change, block, groups=2, arguments=((4096, 0, 0),), before="", typed=False):
    """
    Lane's element of `size` bytes at element index; the array is `span` bytes, as it is. It is never filled, as
    layouts are proposed only if they harm other accesses less than they help. Of bytes, or `typed`: of elements.
    """
    kind = TYPES[size]
    if span > LDS_MAX:
        return None
    # A layout that needs more space is proposed only if the workgroup's LDS has it.
    declared = 65536 if change else max(span, LDS_LEAST) // 16 * 16
    at = change.get("lds", "(byte)")
    place = f"({{ unsigned byte = (unsigned)({index}) * {size}u; {at}; }})"
    body = [
        f"__shared__ __attribute__((aligned(16))) {kind} words[{declared // size}]; char *raw = (char *)words;" if typed else
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
                      p["op"], change, shape, arguments=((4096, 3, p["pitch"]),), typed=case.family == "power")


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


def declared(case, change):
    """A column of an array of arrays, which shows how long its rows are."""
    allow(change, "lds")
    p = case.p
    shape, pitch, kind = p["block"], p["pitch"], TYPES[p["size"]]
    rows, column_of = shape[0] + 1, f"y + {p['first']}" if p["first"] != "a" else "y + a"
    base = lds_kernel(p["size"], rows * (pitch + 8) * p["size"] + 512, f"x * {pitch} + {column_of}", p["op"], change, shape,
                      arguments=((4096, 3, pitch),))
    if change or not base or shape[1] + 3 > pitch:
        return base if shape[1] + 3 <= pitch else None
    use = f"{kind} *p = &raw[x][{column_of}];"
    body = [f"__shared__ {kind} raw[{rows}][{pitch}];", *base.body[1:2],
            f"if (n < 0) for (unsigned i = t; i < {rows * pitch}; i += all) raw[i / {pitch}][i % {pitch}] = (({kind} *)idx)[i & 255];",
            "__syncthreads();", use]
    if p["op"] == "load":
        body.append(f"(({kind} *)out)[t + blockIdx.x * all] = *p; {MARK}")
    else:
        body += [f"*p = (({kind} *)in)[t]; {MARK}", "__syncthreads();",
                 f"(({kind} *)out)[t] = raw[(t + b) % {rows}][(t + b) / {rows} % {pitch}];"]
    return Kernel(body, shape, base.groups, base.arguments)


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


def own_row(case, change):
    """Each lane has a row of an array of its own. Changes are made in the elements of the source."""
    allow(change, "pitch", "columns", "element", "pieces")
    p = case.p
    kind, size, pitch, items = TYPES[p["size"]], p["size"], change.get("pitch", p["pitch"] * p["size"]), p["items"]
    if pitch % size:
        raise Inapplicable("part of an element")
    pitch //= size
    if items * (p["pitch"] + 8) * size > LDS_MAX or p["count"] > p["pitch"]:
        return None
    column = "k"
    if "columns" in change:
        bytes_each, count = change["columns"]
        if bytes_each % size:
            raise Inapplicable("part of an element")
        column = f"((k / {bytes_each // size} ^ t % {count}) * {bytes_each // size} + k % {bytes_each // size})"
    flat = not p["declared"] or change.get("pieces")
    index = f"t + {items} * k" if change.get("pieces") else f"t * {pitch} + {column}"
    if "element" in change:
        bytes_each, row, by = change["element"]
        if bytes_each != size:
            raise Inapplicable("another element")
        pitch, index = pitch + pitch // row * by + by, f"({{ unsigned i = {index}; i + i / {row} * {by}; }})"
    flat = flat or "element" in change
    place = f"raw[{index}]" if flat else f"raw[t][{column}]"
    loop = f"for (unsigned k = 0; k < {p['count']}; k++)"
    last = f"(({kind} *)out)[t] = " + (f"raw[t + b];" if flat else f"raw[t][b];")
    body = [f"__shared__ {kind} raw" + (f"[{items * pitch}];" if flat else f"[{items}][{pitch}];"), "unsigned t = threadIdx.x;"]
    first = "raw" if flat else "raw[0]"
    if p["op"] == "load":
        value = "v.x + v.y + v.z + v.w" if size == 16 else "v"
        body += [f"if (n < 0) for (unsigned i = t; i < {items * pitch}; i += {items}) {first}[i] = (({kind} *)idx)[i & 255];",
                 "__syncthreads();", "float sum = 0;", UNROLLED[p["runtime"]],
                 f"{loop} {{ {kind} v = {place}; sum += {value}; }} {MARK}",
                 "((float *)out)[t] = sum;"]
    else:
        body += [UNROLLED[p["runtime"]], f"{loop} {place} = (({kind} *)in)[k * {items} + t]; {MARK}", "__syncthreads();", last]
    return Kernel(body, (items, 1), 2)


def lds_atomic(case, change):
    """A table that lanes update."""
    allow(change, "copies", "reduce", "lds", "sum")
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
    entries = words
    words = all_words if change else max(words, p["items"])
    result = [f"(({kind} *)out)[t] = table[t];"]
    if change.get("sum"):
        result = [f"for (unsigned e = t; e < {entries}; e += blockDim.x) {{ {kind} sum = 0;",
                  f"for (unsigned k = 0; k < {copies}; k++)",
                  f"sum += table[e * {copies} + (e / {change['sum']} + k) % {copies}]; {FREE}",
                  f"(({kind} *)out)[e] = sum; }}"]
    return Kernel([f"__shared__ {kind} table[{words}];", "unsigned t = threadIdx.x;",
                   f"if (n < 0) for (unsigned i = t; i < {words}; i += blockDim.x) table[i] = 0;", "__syncthreads();",
                   f"{update} {MARK}", "__syncthreads();"] + result, (p["items"], 1), 2, data=p["data"])


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
