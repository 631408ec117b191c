"""Refuses imports between this package's own targets that its manifest does not declare, and dependencies that nothing imports.

usage: swift package dump-package | python3 deploy/lib/imports.py ROOT

An incremental build lets such an import through where the module happens to be built already, so the sources are read instead.
A dependency that nobody imports is built all the same, and its program waits for it.
Exit 1 with a line for each one: where, what is wrong.
"""

import json
import pathlib
import re
import sys

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)"
)


INCLUDE = re.compile(r"^\s*#\s*include\s*<(\w+)\.h>")


def declared(target):
    """The targets of this package that the target may import."""
    names = {dependency[kind][0] for dependency in target["dependencies"] for kind in ("byName", "target") if kind in dependency}
    return names | {target["name"]}


def sources(target, root):
    """The target's files in Swift and C: those in its folder, without what it excludes."""
    folder = root / target["path"]
    excluded = [folder / name for name in target["exclude"]]
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".swift", ".c", ".h") and not any(file == path or path in file.parents for path in excluded):
            yield file


def imports(target, root):
    """The modules that the target's files import: file, line, name."""
    for file in sources(target, root):
        pattern = IMPORT if file.suffix == ".swift" else INCLUDE
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            found = pattern.match(line)
            if found:
                yield file, number, found[1]


def undeclared(package, root):
    own = {target["name"] for target in package["targets"]}
    for target in package["targets"]:
        allowed = declared(target)
        for file, number, name in imports(target, root):
            if name in own and name not in allowed:
                yield f"{file.relative_to(root)}:{number}: {target['name']} imports {name}, which the manifest does not allow it"


def unused(package, root):
    # A program is depended on to be built, not to be imported.
    programs = {target["name"] for target in package["targets"] if target["type"] == "executable"}
    for target in package["targets"]:
        imported = {name for _, _, name in imports(target, root)}
        for dependency in target["dependencies"]:
            name = next(iter(dependency.values()))[0]
            # Every product used here has the name of its module.
            if name not in imported | programs:
                yield f"Package.swift: {target['name']} depends on {name} and does not import it"


package, root = json.load(sys.stdin), pathlib.Path(sys.argv[1])
problems = [*undeclared(package, root), *unused(package, root)]
print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
sys.exit(1 if problems else 0)
