from profiler_plugin.decode.trace import Int32, Int64, UInt8

MAX_LANES: int
RUN: int

def pack(line_begin: Int64, start: Int64, end: Int64) -> tuple[Int32, Int32, Int64, Int64]: ...
def place(line_begin: Int64, line_lane: Int64, lane: Int32) -> tuple[Int32, Int64]: ...
def runs(start: Int64, end: Int64) -> tuple[Int64, Int64]: ...
def window(
    start: Int64,
    end: Int64,
    run_covered: Int64,
    run_longest: Int64,
    begin: Int64,
    until: Int64,
    overlapping: UInt8,
    first: int,
    bin_ps: int,
    columns: int,
) -> tuple[Int64, Int64, Int64, Int32, Int64, Int64, Int64]: ...
