"""verl's own functions of advantages and losses, without what verl needs beside them.

`pip install --no-deps verl==0.9.1` is enough: its packages pull in Ray, Transformers and more as soon as they are imported, and the functions that are compared
with here need torch alone. So packages are entered without running their `__init__`, and stand-ins take the place of names that are types in annotations.
What is compared is verl's code as it is installed; nothing of it is changed. verl is no requirement of the project.
"""
from __future__ import annotations

import importlib
import importlib.machinery
import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

BARE = ("verl", "verl.utils", "verl.trainer", "verl.trainer.ppo")
ONLY_IN_ANNOTATIONS = ("omegaconf", "tensordict", "transformers", "verl.protocol", "verl.workers", "verl.workers.config.actor")


class Config(SimpleNamespace):
    """What verl's functions ask of a configuration: attributes, and get()."""

    def get(self, name: str, default: Any) -> Any:
        return getattr(self, name, default)


def load(name: str = "core_algos") -> ModuleType:
    """verl.trainer.ppo.<name>. An ImportError where verl is not installed."""
    spec = importlib.machinery.PathFinder.find_spec("verl")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("verl is not installed: pip install --no-deps verl==0.9.1")
    for package in BARE:
        module = sys.modules.setdefault(package, ModuleType(package))
        module.__path__ = [str(spec.submodule_search_locations[0]) + package.removeprefix("verl").replace(".", "/")]
    absent = [each for each in ONLY_IN_ANNOTATIONS if each not in sys.modules]
    sys.modules.update({each: MagicMock(name=each) for each in absent})
    config = ModuleType("verl.workers.config")
    config.ActorConfig = Config  # type: ignore[attr-defined]  # Which some losses insist on.
    sys.modules["verl.workers.config"] = config
    try:
        groupwise, utils = importlib.import_module("verl.utils.groupwise"), sys.modules["verl.utils"]
        utils.as_torch_index, utils.group_mean_std = groupwise.as_torch_index, groupwise.group_mean_std  # type: ignore[attr-defined]
        return importlib.import_module(f"verl.trainer.ppo.{name}")
    finally:  # Others in this process are to find what is really installed.
        for each in absent:
            del sys.modules[each]
