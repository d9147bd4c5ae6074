# SPDX-License-Identifier: MIT
"""What the families of kernels share: a case, and the kernel that it makes."""
import math
import re

MARK = "/*@*/"
FREE = "/*#*/"  # accesses that must have no conflicts
APART = 262144  # bytes between the arrays that a structure becomes
TYPES = {1: "uint8_t", 2: "uint16_t", 4: "float", 8: "double", 12: "float3", 16: "float4"}


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
        if self.family in ("gather", "row_gather", "lds_gather", "global_table") or (
                self.p.get("how") == "data" and self.family != "guarded"):
            return {"gather"}
        if self.family == "handed":
            return {None, ""}
        arithmetic = {"uniform", "affine", "rows", "computed"}
        return arithmetic | {"wrapped"} if self.family in ("periodic", "runs", "odd_runs", "permuted", "folded", "lds_atomic", "lds_table",
                                                           "contended", "tree",
                                                           "reduction") else arithmetic

    def fixed_shape(self):
        """Does the kernel assume the shape of its workgroups?"""
        return self.family == "tile" and self.p["how"] != "plain"

    def __str__(self):
        return self.name + " " + " ".join(f"{k}={v}" for k, v in self.p.items())


class Kernel:
    """body: lines of C; groups and block: the launch; arguments: one list (n, a, b) for each launch."""

    def __init__(self, body, block, groups, arguments=((4096, 0, 0),), data="random"):
        self.body, self.block, self.groups = body, block, groups
        self.arguments, self.data = arguments, data


def in_two_arrays(kernel, op):
    """The marked side of a copy of float3, which the compiler divides into 8 and 4 bytes, as arrays of these."""
    copy = re.compile(r"\(\(float3 \*\)out\)\[(.*)\] = \(\(float3 \*\)in\)\[(.*)\]; " + re.escape(MARK))

    def divided(match):
        to, of = match.groups()
        if op == "load":
            return (f"{{ float2 v = ((float2 *)in)[{of}]; {MARK} float z = ((float *)(in + {APART}))[{of}]; {MARK} "
                    f"((float3 *)out)[{to}] = make_float3(v.x, v.y, z); }}")
        return (f"{{ float3 v = ((float3 *)in)[{of}]; ((float2 *)out)[{to}] = make_float2(v.x, v.y); {MARK} "
                f"((float *)(out + {APART}))[{to}] = v.z; }} {MARK}")

    body = [copy.sub(divided, line) for line in kernel.body]
    if body == kernel.body:
        raise Inapplicable("soa")
    return Kernel(body, kernel.block, kernel.groups, kernel.arguments, kernel.data)


def lines_of(elements, size):
    """The elements, rounded up to whole cache lines."""
    whole = 128 // math.gcd(128, size)
    return (elements + whole - 1) // whole * whole


def allow(change, *names):
    for name in change:
        if name not in names:
            raise Inapplicable(name)
