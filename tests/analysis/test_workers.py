"""Times in picoseconds, as pictures draw them."""

from profiler_plugin.analysis.breakdown import CLASSES, breakdown
from profiler_plugin.analysis.steps import steps
from profiler_plugin.analysis.workers import workers
from tests.builders import trace


def spent(picture):
    """Per step and worker, the classes that took any time."""
    host = trace(picture)
    found = steps(host)
    each = workers(host, found, breakdown(host, found))
    return [
        {
            name: {kind: int(time) for kind, time in zip(CLASSES, row, strict=True) if time}
            for name, row in zip(each.name, step, strict=True)
        }
        for step in each.classes_ps
    ]


def test_without_several_devices_the_host_is_the_worker():
    assert spent("/host:CPU\n  main | train 0+100 {_r=1 step_num=0} | work 10+30") == [
        {"": {"host_compute": 30, "all_others": 70}}
    ]


def test_every_core_of_a_tpu_is_a_worker():
    assert spent("""
/device:TPU:0
  meta in {hlo_category=infeed}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | op 0+90 {group_id=1}
/device:TPU:1
  meta in {hlo_category=infeed}
  Steps   | 1 0+120 {group_id=1}
  XLA Ops | in 0+40 {group_id=1} | op 40+50 {group_id=1}
""") == [{"TPU 0": {"device_compute": 90, "all_others": 10},
          "TPU 1": {"device_compute": 50, "input": 40, "all_others": 30}}]  # fmt: skip


def test_sparse_cores_are_workers_where_there_is_no_tensor_core():
    assert spent("""
/device:TPU:0 SparseCore 0
  Sparse Core Steps | 1 100+1000 {group_id=1}
  Sparse Core Ops   | op 100+800 {group_id=1}
""") == [{"SparseCore 0": {"device_compute": 800, "all_others": 200}}]


def test_each_of_several_gpus_is_a_worker_beside_the_host():
    kernel = "{correlation_id=%d}"
    assert spent(f"""
/host:CPU
  main | train 0+100 {{_r=1 step_num=0}} | launch 0+10 {kernel % 1} | launch 10+10 {kernel % 2}
/device:GPU:0
  Stream 7 | matmul 20+60 {kernel % 1}
/device:GPU:1
  Stream 7 | matmul 20+30 {kernel % 2}
/device:GPU:2
""") == [
        {
            "GPU 0": {"device_compute": 60, "kernel_launch": 20, "all_others": 20},
            "GPU 1": {"device_compute": 30, "kernel_launch": 20, "all_others": 50},
        }
    ]
