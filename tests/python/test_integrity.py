"""The tripwire tells what was patched, by group, and nothing when nothing was."""
from __future__ import annotations

import builtins
import time
from typing import Any

import pytest
import torch

import stand_ins  # noqa: F401
from kgym_runner import integrity

ROWS = [("clock", o, n) for o, n in integrity._CLOCKS] + [("harness", o, n) for o, n in integrity._HARNESS]


def test_quiet_when_nothing_was_patched() -> None:
    before = integrity.snapshot()
    torch.nn.Linear(2, 2)(torch.ones(2))
    assert integrity.changed(before) == {"clock": [], "harness": []} == integrity.changed(integrity.snapshot())


@pytest.mark.parametrize("group, owner, name", ROWS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_each_patch_is_named(group: str, owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = integrity.snapshot()
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, type("Event", (), {}) if isinstance(real, type) else lambda *a, **k: real(*a, **k))
    found = integrity.changed(before)
    monkeypatch.undo()
    assert any(x.endswith("." + name) for x in found[group]) and integrity.changed(before) == {"clock": [], "harness": []}


def test_what_is_watched_exists() -> None:
    assert all(hasattr(o, n) for _, o, n in ROWS) and (time, "perf_counter") in integrity._CLOCKS and (builtins, "open") in integrity._HARNESS
