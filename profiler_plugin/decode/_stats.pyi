from profiler_plugin.decode._stats_py import Int16, Int32, Int64, UInt8

def columns(
    place: Int16, wanted: int, owner: Int32, key: Int32, kind: UInt8, value: Int64
) -> list[tuple[Int32, UInt8, Int64]]: ...
