#!/usr/bin/env python3
"""Checks which room of src/ includes which, and how many files a folder holds.

usage: check_includes.py [ROOT]      check the tree at ROOT (default: the tree of this script)
       check_includes.py --self-test check that violations are found

Prints one line per violation, such as
  src/io/x.cc:12: io may not include run/store/history.h
and exits with 1 if there is any.
"""
import pathlib
import re
import sys
import tempfile

LIBRARY = ["core", "tomo", "model", "physics", "solve", "io", "prep", "sim", "align", "federation",
           "report"]

# Room or part of a room -> the rooms, folders and headers it may include besides itself. The longest
# key that matches counts. include/firm/ and src/precompiled/ are free for all.
MAY_INCLUDE = {
    "core": [],
    "tomo": ["core"],
    "model": ["core", "tomo"],
    "physics": ["core", "tomo", "model"],
    "solve": ["core", "tomo", "model"],
    "io": ["core", "tomo", "physics"],
    "prep": ["core", "tomo", "model", "physics", "io"],
    "sim": ["core", "tomo", "model", "physics", "io"],
    "align": ["core", "tomo", "model"],
    "federation": ["core", "tomo", "model", "solve", "io", "prep"],
    "federation/sums": ["core", "model", "solve", "io", "federation"],
    "federation/secure": ["core", "model", "solve", "io", "federation"],
    "federation/pki": ["core", "model", "solve", "io", "federation"],
    "federation/transport": ["core", "model", "solve", "io", "federation"],
    "report": ["core", "tomo", "io"],
    "run": LIBRARY,
    "service": LIBRARY + ["run"],
    "check": LIBRARY + ["run", "service"],
    "live": [r for r in LIBRARY if r != "federation"] + [
        "run", "federation/protocol/peer_bytes.h", "federation/protocol/site_state.h"],
    "paper": [r for r in LIBRARY if r != "federation"] + ["run"],
    "apps": LIBRARY + ["run", "service", "check", "live", "paper"],
}
FREE = ["firm", "precompiled"]
ROOMS = {room.split("/")[0] for room in MAY_INCLUDE}

FOLDERS = ["src", "include", "apps", "tests", "python", "web"]
MOST_FILES = 30
NOT_OURS = {"node_modules", "__pycache__"}

INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def lies_in(path, folder):
    return path == folder or path.startswith(folder + "/")


def room_of(path):
    """The longest key of MAY_INCLUDE that holds a source, whose path is relative to the root."""
    inside = path.removeprefix("src/")
    return max((room for room in MAY_INCLUDE if lies_in(inside, room)), key=len, default=None)


def include_violations(root):
    for top in ("src", "apps"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            path = file.relative_to(root).as_posix()
            room = room_of(path)
            if room is None:
                if not lies_in(path, "src/precompiled"):
                    yield f"{path}: expected a room of MAY_INCLUDE, found none"
                continue
            allowed = FREE + [room, room.split("/")[0]] + MAY_INCLUDE[room]
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                # A name without a room is a header beside the file.
                if not match or match[1].split("/")[0] not in ROOMS:
                    continue
                if not any(lies_in(match[1], folder) for folder in allowed):
                    yield f"{path}:{number}: {room} may not include {match[1]}"


def folder_violations(root):
    for top in FOLDERS:
        folders = [root / top, *(f for f in sorted((root / top).rglob("*")) if f.is_dir())]
        for folder in folders:
            path = folder.relative_to(root).as_posix()
            if not folder.is_dir() or NOT_OURS & set(path.split("/")):
                continue
            count = sum(1 for f in folder.iterdir() if f.is_file() and f.name != "CMakeLists.txt")
            if count > MOST_FILES:
                yield f"{path}: expected at most {MOST_FILES} files, found {count}"


def violations(root):
    return [*include_violations(root), *folder_violations(root)]


def self_test():
    sources = {
        "src/core/a.h": "",
        "src/io/good.cc": '#include "core/a.h"\n#include "firm/error.h"\n#include "beside.h"\n',
        "src/io/bad.cc": '#include <vector>\n\n#include "run/store/history.h"\n',
        "src/live/good.cc": '#include "federation/protocol/site_state.h"\n',
        "src/live/bad.cc": '#include "federation/protocol/coordinator.h"\n',
        "src/federation/pki/bad.cc": ' # include "prep/prepare.h"\n',
        "src/federation/protocol/good.cc": '#include "prep/prepare.h"\n',
        "src/attic/stray.cc": "",
        "apps/firm/good.cc": '#include "live/server.h"\n',
        **{f"tests/full/{i}_test.cc": "" for i in range(MOST_FILES + 1)},
    }
    expected = [
        "src/attic/stray.cc: expected a room of MAY_INCLUDE, found none",
        "src/federation/pki/bad.cc:1: federation/pki may not include prep/prepare.h",
        "src/io/bad.cc:3: io may not include run/store/history.h",
        "src/live/bad.cc:1: live may not include federation/protocol/coordinator.h",
        f"tests/full: expected at most {MOST_FILES} files, found {MOST_FILES + 1}",
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in sources.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = violations(root)
    if found != expected:
        print("self-test: expected", *expected, "found", *found, sep="\n  ")
        return 1
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent.parent
    found = violations(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
