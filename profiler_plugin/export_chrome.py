"""Events as Chrome trace events: one JSON object that most viewers read, and `decode/chrome.py` reads back the same.

Planes are processes, lines are threads, and causes and effects on other lines are flows. Times keep their picoseconds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from profiler_plugin import __version__
from profiler_plugin.decode.chrome import OUR_FLOWS, OUR_STATS, OURS
from profiler_plugin.export_events import Host, titled
from profiler_plugin.units import PS_PER_US

_PLANES = 1000  # processes of one host
_LARGEST_EXACT = 1 << 53  # of a viewer written in JavaScript
_PIECE = 1 << 16  # characters


def chrome_json(hosts: Sequence[Host]) -> Iterator[bytes]:
    """The text, in pieces."""
    yield f'{{"otherData":{{"{OURS}":"{__version__}"}},"displayTimeUnit":"ns","traceEvents":[\n'.encode()
    text, size = list[str](), 0
    separator = ""
    for event in _events(hosts):
        text.append(separator + event)
        separator = ",\n"
        size += len(event)
        if size > _PIECE:
            yield "".join(text).encode()
            text, size = [], 0
    yield ("".join(text) + "\n]}\n").encode()


def _events(hosts: Sequence[Host]) -> Iterator[str]:
    arrows = 0
    for number, host in enumerate(hosts):
        threads: dict[int, str] = {}  # "pid":…,"tid":… of each line
        for plane in range(len(host.trace.planes)):
            pid = number * _PLANES + plane + 1
            title = titled(hosts, host, plane)
            yield _meta("process_name", f'"pid":{pid}', {"name": title})
            yield _meta("process_sort_index", f'"pid":{pid}', {"sort_index": pid})
            if stats := host.plane_stats(plane):
                yield _meta(OUR_STATS, f'"pid":{pid}', {key: _finite(value) for key, value in stats.items()})
            yield from _lines(host, plane, pid, threads)
        for cause, effect in zip(*(side.tolist() for side in host.arrows()), strict=True):
            arrows += 1
            yield from _arrow(host, threads, arrows, cause, effect)


def _lines(host: Host, plane: int, pid: int, threads: dict[int, str]) -> Iterator[str]:
    lines = host.trace.lines
    used: set[int] = set()
    for place, line in enumerate(host.lines(plane)):
        tid = int(lines.id[line])
        if tid in used or abs(tid) > _LARGEST_EXACT:
            tid = next(free for free in range(1 << 40, 1 << 41) if free not in used)
        used.add(tid)
        threads[line] = thread = f'"pid":{pid},"tid":{tid}'
        name = host.text(int(lines.display_name[line])) or host.text(int(lines.name[line]))
        if name:
            yield _meta("thread_name", thread, {"name": name})
        yield _meta("thread_sort_index", thread, {"sort_index": place})
        for _, title, start, duration, stats in host.spans(line):
            yield _span(thread, title, start, duration, stats)


def _meta(kind: str, ids: str, args: dict[str, Any]) -> str:
    return f'{{"ph":"M","name":"{kind}",{ids},"args":{_json(args)}}}'


def _span(thread: str, name: str, start: int, duration: int, stats: dict[str, Any]) -> str:
    category = stats.get("cat")
    cat = f'"cat":{_json(stats.pop("cat"))},' if isinstance(category, str) and category else ""
    if any(isinstance(value, float) for value in stats.values()):
        stats = {key: _finite(value) for key, value in stats.items()}
    args = f',"args":{_json(stats)}' if stats else ""
    return f'{{"ph":"X",{cat}"name":{_json(name)},{thread},"ts":{_us(start)},"dur":{_us(duration)}{args}}}'


def _arrow(host: Host, threads: dict[int, str], number: int, cause: int, effect: int) -> Iterable[str]:
    events = host.trace.events
    for phase, row, more in (("s", cause, ""), ("f", effect, ',"bp":"e"')):
        thread = threads[int(events.line[row])]
        at = _us(int(events.start_ps[row]) + host.shift_ps)
        yield f'{{"ph":"{phase}","cat":"{OUR_FLOWS}","name":"flow","id":{number},{thread},"ts":{at}{more}}}'


def _us(ps: int) -> str:
    """Microseconds with all picoseconds, and no zeros at the end: 1500000 are 1.5."""
    sign, (whole, rest) = "-" if ps < 0 else "", divmod(abs(ps), PS_PER_US)
    return f"{sign}{whole}.{rest:06d}".rstrip("0").rstrip(".") if rest else f"{sign}{whole}"


def _finite(value: Any) -> Any:
    """JSON knows no infinity and no NaN."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
