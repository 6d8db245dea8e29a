"""The optional fields of submissions, as keyword arguments."""

from __future__ import annotations

from typing import Any, TypedDict


class WorkflowOptions(TypedDict, total=False):
    """Of a run of a workflow."""

    id: str
    priority: str
    run: str
    labels: dict[str, str]
    deadline_s: float
    max_attempts: int
    dedup: bool


class Options(WorkflowOptions, total=False):
    """Of an evaluation."""

    entry: str
    name: str
    workload: str
    sizes: dict[str, float | int | bool]
    config: dict[str, Any]
