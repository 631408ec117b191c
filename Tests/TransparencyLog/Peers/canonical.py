"""Writes each line's JSON as the package rfc8785 does."""
import json
import sys

import rfc8785

for line in sys.stdin:
    print(rfc8785.dumps(json.loads(line)).decode())
