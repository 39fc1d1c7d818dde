"""Rates of ops, and the resource they use most."""

from dataclasses import replace

import numpy as np
import pytest

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import MEMORIES, OpDb, blank
from profiler_plugin.analysis.rates import rates

DEVICE = Device(0, "/device:TPU:0", "TPU", "TPU", 1000e9, {"HBM": 100e9, "VMEM read": 1000e9})
SECOND = 10**12


def op(time_ps: int, flops: float, **traffic: float) -> OpDb:
    names = {"hbm": "HBM", "vmem_read": "VMEM read"}
    by_memory = {names[key]: value for key, value in traffic.items()}
    return replace(
        blank(1),
        total_ps=np.array([time_ps]),
        flops=np.array([flops]),
        model_flops=np.array([flops / 2]),
        bytes=np.array([float(sum(traffic.values()))]),
        traffic=np.array([[by_memory.get(memory, 0.0) for memory in MEMORIES]]),
    )


def test_rates_are_sums_over_total_time():
    found = rates(op(2 * SECOND, 500e9, hbm=50e9), DEVICE)
    assert (found.flops[0], found.model_flops[0]) == (250e9, 125e9)
    assert (found.bandwidth[0], found.intensity[0]) == (25e9, 10)


@pytest.mark.parametrize(
    ("flops", "traffic", "bound_by"),
    [
        (900e9, {"hbm": 10e9}, "Compute"),
        (100e9, {"hbm": 50e9}, "HBM"),
        (100e9, {"hbm": 10e9, "vmem_read": 400e9}, "VMEM read"),
        (0.0, {"hbm": 0.0}, None),
    ],
)
def test_an_op_is_bound_by_what_it_uses_to_the_largest_share_of_its_peak(
    flops: float, traffic: dict[str, float], bound_by: str | None
):
    assert rates(op(SECOND, flops, **traffic), DEVICE).bound_by == [bound_by]


def test_without_costs_time_or_device_nothing_is_known():
    unknown = rates(blank(1), DEVICE)
    assert np.isnan([unknown.flops[0], unknown.bandwidth[0], unknown.intensity[0]]).all()
    assert unknown.bound_by == [None]
    assert np.isnan(rates(op(0, 1e9, hbm=1e9), DEVICE).flops[0])
    assert rates(op(SECOND, 1e9, hbm=1e9), None).bound_by == [None]


@pytest.mark.parametrize(("normalized_ps", "rate"), [(SECOND, 100e9), (4 * SECOND, 25e9), (0, 50e9), (np.nan, 50e9)])
def test_rates_at_the_nominal_clock_are_over_normalized_time(normalized_ps: float, rate: float):
    ran = replace(op(2 * SECOND, 100e9, hbm=1e9), normalized_ps=np.array([normalized_ps], np.float64))
    found = rates(ran, DEVICE)
    assert (found.flops[0], found.normalized_flops[0]) == (50e9, rate)
