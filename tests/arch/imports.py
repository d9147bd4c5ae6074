#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Checks what libprobe-hsa.so, which runs in the application's process, may call: the libraries and
functions that it imports, and those that a dispatch reaches.

usage: imports.py LIBPROBE_HSA
"""
import re
import subprocess
import sys

LIBRARIES = {"libc.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2"}
# Output, process exit, signal handlers, and libraries that only probe-run may use.
NEVER = re.compile(r"""(v?d?printf|v?fprintf|__\w*printf_chk|f?puts|f?putc|putchar|perror|psignal
    |fwrite|write|writev|pwrite|syslog|vsyslog|error|warnx?|errx?
    |_?exit|_Exit|quick_exit|abort|__assert_fail|raise|kill|pthread_exit|pthread_kill
    |signal|sigaction|sigaltstack|fork|vfork|system|popen|exec\w+
    |sqlite3_\w+|dwarf_\w+|elf_\w+|LLVM\w+)$""", re.X)
SAFE = {"__snprintf_chk", "__vsnprintf_chk", "__vasprintf_chk"}  # into memory

# A dispatch is relayed with the queue's lock held. It must allocate nothing and wait for nothing.
DISPATCH = ("probe_relay",)
NOT_ON_DISPATCH = re.compile(r"""(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup
    |v?asprintf|mmap|munmap|f?open|openat|read|fread|pread|recvmsg|send
    |nanosleep|usleep|sleep|poll|pthread_cond_\w+|pthread_create|pthread_join|sched_yield)$""", re.X)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def imports(path):
    for line in run("nm", "-D", "--undefined-only", path).splitlines():
        yield line.split()[-1].partition("@")[0]


def calls(path):
    """
    {function: functions that it calls or jumps to}, of the whole library. A function is its address
    and name: static functions of several files may have one name.
    """
    graph, function = {}, None
    for line in run("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        match = re.match(r"([0-9a-f]+) <([^>]+)>:$", line)
        if match:
            function = (int(match.group(1), 16), match.group(2))
            graph.setdefault(function, set())
            continue
        match = re.search(r"\t(?:call|jmp|j\w+)\s+([0-9a-f]+) <([^>+]+)(?:\+0x([0-9a-f]+))?>", line)
        if match and function:
            start = int(match.group(1), 16) - int(match.group(3) or "0", 16)
            graph[function].add((start, match.group(2)))
    return graph


def reached(graph, root):
    """{function: by which one it is reached first}"""
    by, todo = {root: None}, [root]
    while todo:
        function = todo.pop(0)
        for target in sorted(graph.get(function, ())):
            if target not in by:
                by[target] = function
                todo.append(target)
    return by


def path_to(by, function):
    names = []
    while function:
        names.append(function[1])
        function = by[function]
    return " <- ".join(names)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library, wrong = sys.argv[1], []
    needed = set(re.findall(r"\(NEEDED\).*\[([^\]]+)\]", run("readelf", "-d", library)))
    wrong += ["needs the library %s" % name for name in sorted(needed - LIBRARIES)]
    imported = set(imports(library))
    wrong += ["imports %s" % name for name in sorted(imported - SAFE) if NEVER.match(name)]
    graph = calls(library)
    for name in DISPATCH:
        root = next((function for function in graph if function[1] == name), None)
        if not root:
            wrong.append("there is no function %s (has the library been stripped?)" % name)
            continue
        by = reached(graph, root)
        wrong += ["a dispatch reaches " + path_to(by, function) for function in sorted(by)
                  if NOT_ON_DISPATCH.match(function[1].partition("@")[0])]
        print("%s reaches %d functions" % (name, len(by)))
    print("\n".join(wrong + ["%d imports, %d problems" % (len(imported), len(wrong))]))
    return bool(wrong) or not imported


if __name__ == "__main__":
    sys.exit(main())
