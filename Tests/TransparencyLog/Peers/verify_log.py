"""Checks a log in a folder by aics-tlog, which shares no code with us: its checkpoint, all tiles, all entries and proofs."""
import sys

import aics_tlog

folder, key, origin, *pairs = sys.argv[1:]
vkey = aics_tlog.parse_vkey(key)
with open(folder + "/checkpoint", "rb") as file:
    note = aics_tlog.parse_note(file.read())
result = aics_tlog.verify_checkpoint(note, vkey, expected_origin=origin)
print("checkpoint", result.ok)
checkpoint = aics_tlog.parse_checkpoint(note.text)
reader = aics_tlog.FileSystemTileReader(folder)
try:
    report = aics_tlog.audit_tiles(reader, checkpoint.size, checkpoint.root)
    print("tiles", report.size, report.tiles, report.bundles)
except Exception as fault:
    print("tiles", type(fault).__name__)
for line in sys.stdin:
    kind, *values = line.split()
    numbers, hashes = [int(value) for value in values[:2]], [bytes.fromhex(value) for value in values[2:]]
    if kind == "inclusion":
        leaf, *proof = hashes
        print(kind, aics_tlog.verify_inclusion(leaf, numbers[0], numbers[1], proof, checkpoint.root))
    else:
        root, *proof = hashes
        print(kind, aics_tlog.verify_consistency(numbers[0], numbers[1], root, checkpoint.root, proof))
