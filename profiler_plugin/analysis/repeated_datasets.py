"""Iterators of tf.data number each repetition: `Iterator::Root::Repeat[42]::Batch`, and `[43]` in the next one."""

from __future__ import annotations

import re
from dataclasses import replace

from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.analysis.ops import DATASET

_NUMBER = re.compile(r"\[\d+\]")
ANY = "[*]"


def as_one(db: OpDb) -> OpDb:
    """Repetitions of an iterator as one op, `…::ForeverRepeat[*]::Batch`; one that came once keeps its number."""
    shared = [_NUMBER.sub(ANY, name) if kind == DATASET else name for name, kind in zip(db.name, db.type, strict=True)]
    if len(set(shared)) == len(shared):
        return db
    counts: dict[str, int] = {}
    for name in shared:
        counts[name] = counts.get(name, 0) + 1
    names = [name if counts[name] > 1 else own for name, own in zip(shared, db.name, strict=True)]
    return merge([replace(db, name=names)])
