"""Refuses imports between this package's own targets that its manifest does not declare.

usage: swift package dump-package | python3 deploy/lib/imports.py ROOT

An incremental build lets such an import through where the module happens to be built already, so the sources are read instead.
Exit 1 with a line for each one: file, line, what is wrong.
"""

import json
import pathlib
import re
import sys

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)"
)


def declared(target):
    """The targets of this package that the target may import."""
    names = {dependency[kind][0] for dependency in target["dependencies"] for kind in ("byName", "target") if kind in dependency}
    return names | {target["name"]}


def sources(target, root):
    """The target's Swift files: those in its folder, without what it excludes."""
    folder = root / target["path"]
    excluded = [folder / name for name in target["exclude"]]
    for file in sorted(folder.rglob("*.swift")):
        if not any(file == path or path in file.parents for path in excluded):
            yield file


def undeclared(package, root):
    own = {target["name"] for target in package["targets"]}
    for target in package["targets"]:
        allowed = declared(target)
        for file in sources(target, root):
            for number, line in enumerate(file.read_text().splitlines(), start=1):
                found = IMPORT.match(line)
                if found and found[1] in own and found[1] not in allowed:
                    yield f"{file.relative_to(root)}:{number}: {target['name']} imports {found[1]}, which the manifest does not allow it"


problems = list(undeclared(json.load(sys.stdin), pathlib.Path(sys.argv[1])))
print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
sys.exit(1 if problems else 0)
