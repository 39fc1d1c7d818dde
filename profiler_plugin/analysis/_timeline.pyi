from typing import Any

from profiler_plugin.decode.tables import Int16, Int32, Int64, UInt8, UInt32

MAX_LANES: int
RUN: int

def pack(line_begin: Int64, start: Int64, duration: Int64) -> tuple[Int16, Int32, Int64, Int64, Int64]: ...
def place(
    line_begin: Int64, line_lane: Int64, lane: Int16, start: Int64, duration: Int64
) -> tuple[Int32, Int64, Int64, UInt32, UInt32]: ...
def runs(row: Int32, length: UInt32, duration: Int64) -> tuple[Int64, Int32, Int64, Int64]: ...
def window(
    packed: Any,
    start: Int64,
    duration: Int64,
    begin: Int64,
    until: Int64,
    overlapping: UInt8,
    first: int,
    bin_ps: int,
    columns: int,
) -> tuple[Int64, Int64, Int32, Int32, Int64, Int64, Int32]: ...
