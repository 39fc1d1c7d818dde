"""Regular expressions of users: a few of them take for ever, and Python does nothing else while it looks for one.

So a process of their own looks, which is ended when its time is up.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from subprocess import PIPE, Popen
from threading import Timer

import numpy as np

from profiler_plugin.decode.tables import Bool
from profiler_plugin.errors import BadRequest

Matches = Callable[[Sequence[str]], Bool]  # which of some texts match

LIMIT_S = 5.0  # for all texts together
_PROGRAM = """
import json, re, sys
found = re.compile(json.loads(sys.stdin.buffer.readline()), re.IGNORECASE).search
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(bytes(found(text) is not None for text in json.loads(line)))
    sys.stdout.buffer.flush()
"""


@contextmanager
def pattern(text: str) -> Iterator[Matches]:
    """What matches `text` as a regular expression anywhere; case is ignored.

    Raises BadRequest for what is none, and for one that takes longer than `LIMIT_S`.
    """
    try:
        re.compile(text, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadRequest(f"{text!r} is no regular expression: {error}.") from error
    child = Popen([sys.executable, "-ISWignore", "-c", _PROGRAM], stdin=PIPE, stdout=PIPE)
    timer = Timer(LIMIT_S, child.kill)
    timer.start()

    def matches(texts: Sequence[str]) -> Bool:
        assert child.stdin
        assert child.stdout
        child.stdin.write(json.dumps(texts).encode() + b"\n")
        child.stdin.flush()
        answer = child.stdout.read(len(texts))
        if len(answer) < len(texts):
            raise BrokenPipeError
        return np.frombuffer(answer, np.bool_)

    try:
        assert child.stdin
        child.stdin.write(json.dumps(text).encode() + b"\n")
        yield matches
    except BrokenPipeError as error:
        raise BadRequest(
            f"Looking for {text!r} takes too long.", "Give a pattern without repetitions inside of others."
        ) from error
    finally:
        timer.cancel()
        child.kill()
        child.communicate()
