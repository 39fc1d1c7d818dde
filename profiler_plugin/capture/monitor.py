"""What a process is doing now, without recording it: utilisation, and how long its steps take."""

from __future__ import annotations

import threading
import time
from typing import Any

from profiler_plugin.capture.annotations import forget, listen_with
from profiler_plugin.capture.collectors.host import Meter
from profiler_plugin.protos import message


def monitor(duration_ms: int, level: int, timestamp: bool, end: threading.Event) -> Any:
    """A MonitorResponse for the next `duration_ms`. From level 2 on it lists every counter.

    Steps are the spans that the program marks with `_r=1` or `step_num`.
    """
    steps: list[float] = []

    def hear(name: str, begin: int, stop: int, stats: dict[str, Any]) -> None:
        if stats.get("_r") or "step_num" in stats:
            steps.append((stop - begin) / 1e6)

    meter = Meter()
    listen_with(hear)
    try:
        end.wait(duration_ms / 1000)
    finally:
        forget(hear)
    sample = meter.read()
    lines = [time.strftime("Timestamp: %H:%M:%S")] if timestamp else []
    shown = sample if level >= 2 else {key: value for key, value in sample.items() if "bytes" not in key}
    lines += [f"{key}: {value:.4g}" for key, value in shown.items()]
    result = message("ProfilerServiceMonitorResult")(response_type="UTIL_ONLY" if shown else "EMPTY_RESULT")
    gpus = [value for key, value in sample.items() if key.startswith("GPU") and "%" in key]
    if gpus:
        result.response_type = 2
        result.device_idle_time_percent = 100 - sum(gpus) / len(gpus)
    if steps:
        result.response_type = 3
        result.step_time_ms_avg = sum(steps) / len(steps)
        result.step_time_ms_min, result.step_time_ms_max = min(steps), max(steps)
        lines.append(
            f"Steps: {len(steps)}, time avg {result.step_time_ms_avg:.3g} ms, "
            f"min {result.step_time_ms_min:.3g} ms, max {result.step_time_ms_max:.3g} ms"
        )
    else:
        lines.append("Steps: none seen; mark them with Trace(name, step_num=…, _r=1)")
    return message("MonitorResponse")(data="\n".join(lines) + "\n", monitor_result=result)
