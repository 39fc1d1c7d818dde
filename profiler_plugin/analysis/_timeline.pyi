from profiler_plugin.decode.trace import Int16, Int32, Int64, UInt8

MAX_LANES: int
RUN: int

def pack(line_begin: Int64, start: Int64, duration: Int64) -> tuple[Int16, Int32, Int64, Int64]: ...
def place(line_begin: Int64, line_lane: Int64, lane: Int16) -> tuple[Int32, Int64]: ...
def runs(row: Int32, duration: Int64) -> tuple[Int64, Int32]: ...
def window(
    row: Int32,
    start: Int64,
    duration: Int64,
    run_start: Int64,
    run_covered: Int64,
    run_longest: Int32,
    run_longest_ps: Int64,
    level_begin: Int64,
    begin: Int64,
    until: Int64,
    overlapping: UInt8,
    first: int,
    bin_ps: int,
    columns: int,
) -> tuple[Int64, Int64, Int32, Int32, Int64, Int64, Int32]: ...
