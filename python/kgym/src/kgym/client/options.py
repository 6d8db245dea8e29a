"""The optional fields of a submission, as keyword arguments."""

from __future__ import annotations

from typing import Any, TypedDict


class Options(TypedDict, total=False):
    id: str
    entry: str
    name: str
    workload: str
    sizes: dict[str, float | int | bool]
    config: dict[str, Any]
    priority: str
    run: str
    labels: dict[str, str]
    deadline_s: float
    max_attempts: int
    dedup: bool
