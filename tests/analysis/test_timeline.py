"""The timeline of a host, computed and read again."""

import dataclasses
import threading

import numpy as np

from profiler_plugin.analysis.host_timeline import timeline
from profiler_plugin.decode.cache import Cache, Source, SourceShelf
from tests.builders import trace

HOST = """
/host:CPU
  main | train 0+100 {step_num=1, _r=1, step_name="train 1"} | train 100+100 {step_num=2, _r=1} | work 10+5 | work 12+9
  pool | ThreadpoolListener::StartRegion 10+0 | inner 20+10 | ThreadpoolListener::StopRegion 50+0
"""


def plain(value):
    """Nested plain values of a timeline, without the trace it came from."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if dataclasses.is_dataclass(value):
        fields = {
            f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in ("trace", "strings")
        }
        return {name: plain(item) for name, item in fields.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def test_it_is_read_again_as_it_was(tmp_path):
    source, cache = Source("/logs/vm.xplane.pb", 1000, 5), Cache(tmp_path)
    host = trace(HOST)
    found = plain(timeline(host))
    first = dataclasses.replace(host, shelf=SourceShelf(cache, source), derived={})
    cache.put(source, host)
    assert plain(timeline(first)) == found
    for thread in threading.enumerate():
        if thread.name == "cache":
            thread.join()
    again = cache.get(source, "host")
    assert again
    assert plain(timeline(again)) == found
    assert [part.names[0] for part in timeline(again).parts] == [part.names[0] for part in timeline(host).parts]
    assert not any(key.__name__ == "groups" for key in again.derived if callable(key))


def test_events_lines_and_names_are_numbered_through_all_parts():
    whole = timeline(trace(HOST))
    rows = np.arange(whole.rows)
    assert whole.line(rows).tolist() == [0] * 4 + [1] * 3 + [2] * 2
    assert [whole.name_text(name) for name in whole.name(rows)[-2:].tolist()] == ["train 1", "train 2"]
    assert whole.duration_ps(np.array([8, 4])).tolist() == [100, 40]
    assert whole.end == 200
