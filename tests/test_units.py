"""Numbers as text for people."""

from profiler_plugin.units import format_bytes, format_count, format_share, format_time


def test_numbers_have_three_figures_and_the_unit_that_fits():
    assert [format_time(ps) for ps in (0, 999, 1_500_000, 999_700_000_000, 12_345 * 10**12)] == [
        "0 ps",
        "999 ps",
        "1.5 µs",
        "1 s",
        "12,345 s",
    ]
    assert [format_bytes(size) for size in (2048, 1_040_000)] == ["2 KiB", "1,016 KiB"]
    assert [format_share(share) for share in (0.955, 0.00012, 12.5)] == ["95.5 %", "0.012 %", "1,250 %"]


def test_things_are_counted_by_their_name():
    assert [format_count(count, "op") for count in (0, 1, 1234)] == ["0 ops", "1 op", "1,234 ops"]
