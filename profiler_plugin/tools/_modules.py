"""Which compiled program a tool is about, and what it says where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_runs import instruction_runs
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note

NO_HLO = Note(
    "warning",
    "The profile holds no compiled program.",
    "Record while the program compiles or runs XLA programs, with their HLO included (enable_hlo_proto).",
)


def chosen(titles: Sequence[str], wanted: str) -> int:
    """Place of the program `wanted`: `jit_step(46)`, `jit_step` or `46`; the first if empty. Raises BadRequest."""
    for place, title in enumerate(titles):
        name, _, number = title.rpartition("(")
        if wanted in ("", title, name, number.rstrip(")")):
            return place
    raise BadRequest(f"No module is called {wanted!r}.", f"Modules are: {', '.join(titles[:10])}.")


def by_time(trace: HostTrace) -> list[tuple[str, int, int]]:
    """Title, self time and size of each program, the longest first."""
    protos, runs = hlo.hlo_protos(trace), instruction_runs(trace)
    found = [
        (title, sum(ran.self_ps for ran in runs.get(number, {}).values()), len(trace.strings.raw(protos[number])))
        for title, number in hlo.programs_by_title(trace).items()
    ]
    return sorted(found, key=lambda module: (-module[1], -module[2], module[0]))
