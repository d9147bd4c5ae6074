# SPDX-License-Identifier: MIT
"""Reads arrows.txt: which folder may use which. Shared by includes.py and objects.py."""
import os
import sys


class Table:
    def __init__(self, path):
        self.rows = {}  # folder: (set of folders, transitive)
        self.allowed = []  # (from file, to file)
        self.circles = []  # sets of files
        self.public = set()  # folders
        self.interposing = set()  # files
        for number, line in enumerate(open(path), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "allow" and len(words) == 4 and words[2] == "->":
                self.allowed.append((words[1], words[3]))
            elif words[0] == "public" and len(words) == 2:
                self.rows[words[1]] = (set(), True)
                self.public.add(words[1])
            elif words[0] == "interposes" and len(words) == 2:
                self.interposing.add(words[1])
            elif words[0] == "circle":
                self.circles.append(set(words[1:]))
            elif len(words) > 1 and words[1] in ("->", "=>"):
                self.rows[words[0]] = (set(words[2:]), words[1] == "->")
            else:
                sys.exit("%s:%d: expected 'FOLDER -> FOLDERS', 'FOLDER => FOLDERS', "
                         "'public FOLDER', 'allow FILE -> FILE', 'circle FILES' or "
                         "'interposes FILE'" % (path, number))
        for folder, (targets, _) in self.rows.items():
            for target in targets - set(self.rows):
                sys.exit("%s: %s may use %s, which has no row" % (path, folder, target))
        self.closed = {folder: self.close(folder) for folder in self.rows}

    def close(self, folder):
        """All folders that `folder` may use; through '->' rows also what those may use."""
        targets, transitive = self.rows[folder]
        found, todo = set(), list(targets)
        while todo:
            target = todo.pop()
            if target in found:
                continue
            found.add(target)
            if transitive:
                todo += self.rows[target][0]
        return found

    def folder(self, path):
        """The longest row that holds a file, or None."""
        folder = os.path.dirname(path)
        while folder and folder not in self.rows:
            folder = os.path.dirname(folder)
        return folder or None

    def may_use(self, source, target):
        a, b = self.folder(source), self.folder(target)
        return (a is None or b is None or a == b or b in self.closed[a] or b in self.public or
                any(source == x and (target == y or os.path.dirname(target) == y)
                    for x, y in self.allowed))
