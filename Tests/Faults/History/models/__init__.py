"""The models: each of one thread, slow and obvious. Each has `check(history, reads)`, which yields what is not as it should be."""

from . import entries, inbox, ledger, people, register, tasks, views

ALL = (ledger, entries, people, tasks, register, inbox, views)
