"""Efficiency under a roof, and the corners of roofs."""

from dataclasses import replace

import numpy as np
import pytest

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import MEMORIES, OpDb, blank
from profiler_plugin.analysis.roofline import roofline, roofs

GIGA = 10**9
DEVICE = Device(0, "/device:TPU:0", "TPU", "TPU", 1000 * GIGA, {"HBM": 100 * GIGA, "VMEM read": 1000 * GIGA})


def op(flops: float, hbm: float, vmem: float = 0.0) -> OpDb:
    """An op of one second."""
    traffic = {"HBM": hbm * GIGA, "VMEM read": vmem * GIGA}
    return replace(
        blank(1),
        total_ps=np.array([10**12]),
        flops=np.array([flops * GIGA]),
        traffic=np.array([[traffic.get(memory, 0.0) for memory in MEMORIES]]),
    )


@pytest.mark.parametrize(
    ("ran", "compute", "memory", "efficiency", "attainable", "intensity"),
    [
        (op(500, hbm=10), 0.5, 0.1, 0.5, 1000, 50),  # under the flat part
        (op(20, hbm=50), 0.02, 0.5, 0.5, 40, 0.4),  # under the slope
        (op(100, hbm=10, vmem=500), 0.1, 0.5, 0.5, 200, 0.2),  # under the slope of another memory
        (op(0, hbm=25), 0, 0.25, 0.25, 0, 0),  # a copy
    ],
)
def test_efficiency_is_the_share_of_what_the_intensity_allows(
    ran: OpDb, compute: float, memory: float, efficiency: float, attainable: float, intensity: float
):
    found = roofline(ran, DEVICE)
    assert (found.compute[0], found.memory[0], found.efficiency[0]) == pytest.approx((compute, memory, efficiency))
    assert (found.attainable[0] / GIGA, found.intensity[0]) == pytest.approx((attainable, intensity))


def test_what_is_unknown_stays_unknown():
    for found in (roofline(blank(1), DEVICE), roofline(op(1, 1), None)):
        assert np.isnan([found.compute[0], found.memory[0], found.efficiency[0], found.attainable[0]]).all()


def test_roofs_have_corners_at_their_ridges_and_span_powers_of_ten():
    at, lines = roofs(DEVICE, ["HBM", "VMEM read"], np.array([0.5, np.nan, 0.0, 30.0]))
    assert at.tolist() == [0.1, 1, 10, 100]
    assert (lines["HBM"] / GIGA).tolist() == pytest.approx([10, 100, 1000, 1000])
    assert (lines["VMEM read"] / GIGA).tolist() == pytest.approx([100, 1000, 1000, 1000])


def test_a_device_without_peaks_has_no_roof():
    at, lines = roofs(replace(DEVICE, peak_flops=None), ["HBM"], np.array([1.0]))
    assert (len(at), lines) == (0, {})
