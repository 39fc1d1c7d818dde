"""What devices are, and their peaks. Expected rates are those of the data sheets."""

import pytest

from profiler_plugin.analysis.devices import Device, devices, hardware_type, run_environment
from tests.builders import trace


def device(stats: str, name: str = "/device:GPU:0") -> Device:
    return devices(trace(f"{name} {{{stats}}}\n  Stream | kernel 0+1"))[0]


@pytest.mark.parametrize(
    ("stats", "teraflops"),
    [
        ("device_vendor=Nvidia, clock_rate=1830000, core_count=148, compute_cap_major=10, compute_cap_minor=0", 2218),
        ("device_vendor=Nvidia, clock_rate=1830000, core_count=148, compute_cap_major=10, compute_cap_minor=9", 2218),
        ("device_vendor=Nvidia, clock_rate=1620000, core_count=114, compute_cap_major=9, compute_cap_minor=0", 756),
        ("device_vendor=Nvidia, clock_rate=1410000, core_count=108, compute_cap_major=8, compute_cap_minor=0", 312),
        ("device_vendor=Nvidia, clock_rate=1530000, core_count=80, compute_cap_major=7, compute_cap_minor=0", 125.34),
        ("device_vendor=AMD, clock_rate=2100000, core_count=304, gpu_device_name=gfx942", 1307.4),
        ("device_vendor=AMD, clock_rate=2100000, core_count=304, compute_cap_major=9, compute_cap_minor=4", 1307.4),
        ("device_vendor=AMD, clock_rate=1502000, core_count=120, gpu_device_name=gfx908", 184.6),
        ("device_vendor=AMD, clock_rate=1700000, core_count=104, gpu_device_name=gfx90a", 181.0),
        ("device_vendor=AMD, clock_rate=2400000, core_count=256, gpu_device_name=gfx950", 2516.6),
        ("device_vendor=AMD, clock_rate=2100000, core_count=304, compute_cap_major=9, compute_cap_minor=0", None),
        ("clock_rate=1530000", None),
    ],
)
def test_the_peak_rate_of_a_gpu_follows_from_its_chip_clock_and_cores(stats: str, teraflops: float | None):
    peak = device(stats).peak_flops
    assert peak == (None if teraflops is None else pytest.approx(teraflops * 1e12, rel=1e-3))


@pytest.mark.parametrize(
    ("stats", "gigabytes"),
    [
        ("device_vendor=AMD, clock_rate=2100000, core_count=304, gpu_device_name=gfx942", 81715.2),
        ("device_vendor=AMD, clock_rate=2100000, core_count=304, compute_cap_major=9, compute_cap_minor=4", 81715.2),
        ("device_vendor=AMD, clock_rate=2400000, core_count=256, gpu_device_name=gfx950", 157286.4),
        (
            "device_vendor=Nvidia, clock_rate=1410000, core_count=108, compute_cap_major=8, compute_cap_minor=0",
            38983.68,
        ),
        ("device_vendor=AMD, clock_rate=2100000, core_count=304, compute_cap_major=9, compute_cap_minor=0", None),
    ],
)
def test_shared_memory_bandwidth_follows_from_the_chip_too(stats: str, gigabytes: float | None):
    bandwidth = device(stats).peak_bandwidth
    for memory in ("SRAM read", "SRAM write"):
        assert bandwidth.get(memory) == (None if gigabytes is None else pytest.approx(gigabytes * 1e9))


def test_hbm_and_ridge_point_of_a_volta():
    volta = device(
        "device_vendor=Nvidia, clock_rate=1530000, core_count=80, compute_cap_major=7, compute_cap_minor=0,"
        " memory_bandwidth=900000000000"
    )
    assert volta.peak_bandwidth["HBM"] == 900e9
    assert volta.ridge() == pytest.approx(139.26, abs=0.01)


AMD = "device_vendor=AMD, gpu_device_name=gfx942, clock_rate=2100000, core_count=304, memory_bandwidth=5300000000000"


def test_peaks_that_the_recorder_wrote_down_win():
    gpu = device(
        f"{AMD}, peak_teraflops_per_second=1250.0, peak_sram_rd_bw_gigabytes_per_second=65000.0,"
        " peak_sram_wr_bw_gigabytes_per_second=48000.0"
    )
    assert gpu.peak_flops == 1250e12
    assert gpu.peak_bandwidth == {"HBM": 5300e9, "SRAM read": 65000e9, "SRAM write": 48000e9}


def test_peaks_written_down_as_zero_are_unknown():
    gpu = device(
        f"{AMD}, peak_teraflops_per_second=0.0, peak_sram_rd_bw_gigabytes_per_second=0.0,"
        " peak_sram_wr_bw_gigabytes_per_second=0.0"
    )
    assert gpu.peak_flops == pytest.approx(1307.44e12, rel=1e-5)
    assert gpu.peak_bandwidth["SRAM read"] == pytest.approx(81715.2e9)


def test_a_tpu_states_its_own_peaks():
    tpu = device(
        'device_type_string="TPU V4", peak_teraflops_per_second=141.0, peak_hbm_bw_gigabytes_per_second=900.0,'
        " peak_sram_rd_bw_gigabytes_per_second=101.0, peak_sram_wr_bw_gigabytes_per_second=102.0,"
        " peak_cmem_rd_bw_gigabytes_per_second=101.0, peak_cmem_wr_bw_gigabytes_per_second=102.0,"
        " peak_vmem_rd_bw_gigabytes_per_second=201.0, peak_vmem_wr_bw_gigabytes_per_second=202.0",
        "/device:TPU:0",
    )
    assert (tpu.kind, tpu.model, tpu.peak_flops) == ("TPU", "TPU V4", 141e12)
    assert tpu.peak_bandwidth == {
        "HBM": 900e9,
        "SRAM read": 101e9,
        "SRAM write": 102e9,
        "CMEM read": 101e9,
        "CMEM write": 102e9,
        "VMEM read": 201e9,
        "VMEM write": 202e9,
    }
    assert tpu.ridge() == pytest.approx(156.67, abs=0.01)
    assert device('device_type_string="TPU V4"', "/device:TPU:0").ridge() is None


@pytest.mark.parametrize(
    ("stats", "model"),
    [
        (
            'device_vendor=Nvidia, compute_cap_major=9, compute_cap_minor=0, gpu_device_name="NVIDIA H100 80GB HBM3"',
            "Nvidia GPU (Hopper)",
        ),
        ("device_vendor=Nvidia, compute_cap_major=8, compute_cap_minor=9", "Nvidia GPU (Ada Lovelace)"),
        ("device_vendor=Nvidia, compute_cap_major=7, compute_cap_minor=2", "Nvidia GPU (Volta)"),
        ("compute_cap_major=7, compute_cap_minor=0", "Nvidia GPU (Volta)"),  # no vendor: recorded before there were two
        ("device_vendor=AMD, gpu_device_name=gfx950", "AMD GPU - gfx950"),
        ('device_vendor=AMD, gpu_device_name="gfx942:sramecc+:xnack-"', "AMD GPU - gfx942"),
        ("device_vendor=AMD, compute_cap_major=9, compute_cap_minor=4", "AMD GPU - gfx942"),
        ("device_vendor=AMD, compute_cap_major=9, compute_cap_minor=0", "AMD GPU - gfx-9XX series"),
        ("core_count=3", "GPU"),
    ],
)
def test_gpus_are_named_by_vendor_and_architecture(stats: str, model: str):
    assert device(stats).model == model
    assert hardware_type(model) == "GPU"


GPUS = """
/device:GPU:0 {device_vendor=Nvidia, compute_cap_major=8, compute_cap_minor=0}
/device:GPU:1 {device_vendor=Nvidia, compute_cap_major=8, compute_cap_minor=0}
/host:CPU
  thread | a 0+1
"""


def test_the_environment_of_one_host_with_two_gpus():
    found = run_environment([trace(GPUS)])
    assert (found.hosts, found.tasks, found.device_type) == (("host",), 1, "Nvidia GPU (Ampere)")
    assert (found.hardware, found.cores) == ("GPU", 2)


def test_two_processes_of_one_machine_are_one_host_and_two_tasks():
    processes = [trace(GPUS, host, hostnames=["machine"]) for host in ("machine_1", "machine_2")]
    found = run_environment(processes)
    assert (found.hosts, found.tasks, found.cores) == (("machine",), 2, 4)


def test_cores_are_counted_without_their_sparse_cores():
    picture = "".join(f'/device:TPU:{i} {{device_type_string="TPU V4"}}\n' for i in range(4))
    found = run_environment([trace(picture + "/device:TPU:0 SparseCore 0\n")])
    assert (found.device_type, found.hardware, found.cores) == ("TPU V4", "TPU", 4)


def test_without_a_device_the_cpu_did_the_work_and_versions_are_those_recorded():
    found = run_environment([trace("/host:metadata {jax_version=0.10.2, jaxlib_version=0.10.2, cpu_version=cpu}")])
    assert (found.device_type, found.hardware, found.cores) == ("CPU", "CPU_ONLY", 0)
    assert found.software == {"jax": "0.10.2", "jaxlib": "0.10.2"}
