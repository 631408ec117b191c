"""Reads a log in a folder by tlog-scales, which shares no code with us: its checkpoint by all keys, its root, all entries and proofs.

Then it cosigns the checkpoint by ML-DSA-44, and prints key and signature line.
"""
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from tlog_scales import tiles, tlog
from tlog_scales.backend import LocalBackend
from tlog_scales.reader import TilesReader
from tlog_scales.signing import MLDSA44CosignatureSigner, Vkey


def attempt(check):
    try:
        check()
        return True
    except Exception:
        return False


folder, *keys = sys.argv[1:]
reader = TilesReader(LocalBackend(Path(folder)))
checkpoint = reader.get_checkpoint()
print("checkpoint", checkpoint.origin, checkpoint.size)
for key in keys:
    vkey = Vkey.from_string(key)
    print("signed", vkey.sig_type, attempt(lambda: checkpoint.verify(vkey)))
print("root", reader.calculate_root_hash() == checkpoint.root_hash)
print("entries", sum(reader.mth(n, n + 1) == tiles.leaf_hash(reader.get_entry(n)) for n in range(checkpoint.size)))
for line in sys.stdin:
    kind, *values = line.split()
    first, second = [int(value) for value in values[:2]]
    known, *proof = [bytes.fromhex(value) for value in values[2:]]
    if kind == "inclusion":
        own = reader.get_inclusion_proof(first, second).node_hashes
        holds = attempt(lambda: tlog.InclusionProof(first, second, proof).check(known, checkpoint.root_hash))
    else:
        own = reader.get_consistency_proof(first, second).node_hashes
        holds = attempt(lambda: tlog.ConsistencyProof(first, second, proof).check(known, checkpoint.root_hash))
    print(kind, holds and own == proof)
signer = MLDSA44CosignatureSigner("pq.example/w1", MLDSA44PrivateKey.generate())
print(signer.vkey.serialize())
print(signer.sign(checkpoint).serialize())
