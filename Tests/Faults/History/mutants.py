"""`faults mutants`: breaks Racha in ten ways, one at a time, and expects that a history finds each.

The sources are copied into a scratch folder, a patch from `mutants/` is applied there, the six are built (debug), and histories run with the
seeds of `SEEDS` first and then with others, for ten minutes at most. What was found, by which seed and after how long, is printed.
"""

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]

NAMES = ["gateway", "identity", "activity", "social", "rewards", "notifications", "racha-admin"]

# The seed that has found each, with so many seconds of faults. Timing is not a seed's: where it finds nothing, those after it are tried.
SEEDS = {
    "answer-before-commit": (2, 25),
    "copy-without-ancestors": (7, 20),
    "cursor-outside": (4, 40),
    "key-not-looked-at": (1, 20),
    "outbox-after-commit": (2, 30),
    "published-twice": (1, 25),
    "rank-ignores-correction": (1, 20),
    "refund-without-coins": (1, 20),
    "snapshot-without-last-page": (5, 25),
    "synchronous-off": (2, 25),
}
LIMIT = 600


def say(text):
    print(text, flush=True)


def refresh(copy):
    """Makes the copy what the tree is, and touches nothing that is so already, so that little is compiled."""
    there = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".build") and name not in (".git", ".venv", "__pycache__")]
        for name in files:
            source = pathlib.Path(folder) / name
            target = copy / source.relative_to(ROOT)
            there.add(target)
            if not target.exists() or not filecmp.cmp(source, target, shallow=False):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)
    for folder, folders, files in os.walk(copy):
        folders[:] = [name for name in folders if not name.startswith(".build")]
        for name in files:
            if pathlib.Path(folder) / name not in there:
                (pathlib.Path(folder) / name).unlink()


def apply(patch, copy):
    # The copy may lie within a repository, whose paths the patch's are not.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(copy.parent)}
    subprocess.run(["git", "apply", str(patch)], cwd=copy, check=True, env=environment)


def build(copy):
    # As the launcher builds what a cluster runs, and no test: one program, which does what the name says that it is started by.
    subprocess.run(
        ["swift", "build", "--product", "racha-programs", "--disable-automatic-resolution", "-debug-info-format", "none", "-Xswiftc",
         "-use-ld=lld"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    found = subprocess.run(["swift", "build", "--show-bin-path"], cwd=copy, check=True, capture_output=True, text=True)
    program = pathlib.Path(found.stdout.strip()) / "racha-programs"
    names = copy / ".build-names"
    names.mkdir(exist_ok=True)
    for name in NAMES:
        (names / name).unlink(missing_ok=True)
        (names / name).symlink_to(program)
    return str(names)


def hunt(name, programs):
    """Runs histories until one fails; returns its seed and the seconds it took, or None."""
    seed, seconds = SEEDS[name]
    begun = time.monotonic()
    while time.monotonic() - begun < LIMIT:
        result = subprocess.run(
            [sys.executable, str(HERE), "--seed", str(seed), "--seconds", str(seconds), "--programs", programs, "--proves-nothing",
             "--forget"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
        faults = [line for line in result.stdout.splitlines() if line.startswith("  ✘")]
        # A run that broke down found nothing by its check.
        if result.returncode == 1 and faults:
            return seed, time.monotonic() - begun, faults
        if result.returncode not in (0, 1):
            say(result.stdout[-2000:])
        seed += 1
    return None


def main():
    parser = argparse.ArgumentParser(prog="faults mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="which; all of mutants/ if absent")
    parser.add_argument("--scratch", default=os.environ.get("RACHA_MUTANTS_SCRATCH", str(ROOT / ".build" / "mutants")))
    arguments = parser.parse_args()
    patches = sorted(HERE.glob("mutants/*.patch"))
    if arguments.names:
        patches = [HERE / "mutants" / f"{name}.patch" for name in arguments.names]
    copy = pathlib.Path(arguments.scratch)
    copy.mkdir(parents=True, exist_ok=True)
    lost = []
    for patch in patches:
        say(f"mutants: {patch.stem}: building in {copy}")
        refresh(copy)
        apply(patch, copy)
        found = hunt(patch.stem, build(copy))
        if found is None:
            say(f"mutants: {patch.stem}: NOT FOUND within {LIMIT} s")
            lost.append(patch.stem)
        else:
            seed, seconds, faults = found
            say(f"mutants: {patch.stem}: found by seed {seed} after {seconds:.0f} s, {len(faults)} faults, such as\n{faults[0]}")
    if lost:
        say(f"mutants: the check is not good enough: {', '.join(lost)}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
