"""Odd profiles, which the tools about HLO ops survive without a warning."""

import pytest

from profiler_plugin.tools import tool
from profiler_plugin.tools.base import to_json
from tests.builders import trace

META = "  meta a {program_id=1, symbol_id=1, flops=5, bytes_accessed=3}\n"
PROFILES = {
    "events of no duration": f"/device:TPU:0\n{META}  XLA Ops | a 0+0 | a 5+0",
    "one event without costs": "/device:TPU:0\n  meta a {program_id=1, symbol_id=1}\n  XLA Ops | a 0+7",
    "events that overlap on one line": f"/device:TPU:0\n{META}  XLA Ops | a 0+10 | a 5+10",
    "times beyond 2^53": f"/device:TPU:0\n{META}  XLA Ops | a 9007199254740993000+10",
    "a category of 100 kB": f"/device:TPU:0\n  meta a {{program_id=1, symbol_id=1, hlo_category={'x' * 100_000}}}\n"
    "  XLA Ops | a 0+10",
    "a kernel of no duration": "/device:GPU:0\n  Stream | k 0+0 {tf_op=a:B}",
    "devices without events": "/device:TPU:0\n/device:GPU:0",
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["hlo_stats", "roofline_model", "op_profile"])
@pytest.mark.parametrize("profile", PROFILES)
def test_odd_profiles_show_their_op_or_say_why_there_is_none(profile: str, name: str):
    asked = tool(name)
    params = asked.params()
    said = to_json(asked.combine([asked.per_host(trace(PROFILES[profile]), params)], params))
    assert said["tables"] or said["notes"]
    assert bool(said["tables"]) == (profile != "devices without events")
