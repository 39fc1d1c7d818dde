"""Parts of a result, as tests compare them."""

from __future__ import annotations

from typing import Any

from profiler_plugin.tools.base import Result, to_json


def rows(result: Result, table: str, *names: str) -> list[tuple[Any, ...]]:
    """Rows of a table with these of its columns, as JSON has them."""
    columns = {column["name"]: column["values"] for column in to_json(result)["tables"][table]["columns"]}
    return list(zip(*(columns[name] for name in names), strict=True))


def metrics(result: Result) -> dict[str, Any]:
    return {metric.name: metric.value for metric in result.metrics}
