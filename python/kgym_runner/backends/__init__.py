"""Backends: what a submission may be written in, and what a host must prepare before it imports one.

A backend is a `Backend` declaration and an `install` hook, in a file of its own whose name is in `_MODULES`, or one that an operator declares (declared.py).
The hook runs once in a builder or a candidate host, after the fork and before the submission's module is imported; it may replace library entry points in that process. It must not run a
framework operator. See docs/backends.md.
"""
from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass, field
from typing import Callable

from .calls import Calls

_MODULES = ("cpp", "triton", "cuda", "cupy", "tilelang", "cutlass")

_PIP = {"cupy": "cupy-cuda13x", "cutlass": "nvidia-cutlass-dsl"}  # Packages whose name says little about where they come from.


class CompileError(RuntimeError):
    """The submission's sources do not build. str() is the compiler's own text, at most 4 KiB, with the submission's line numbers."""


@dataclass(frozen=True)
class Artefact:
    """A file that a build left behind. `key` is a digest of everything that went into it; the file name is `<key>.so`."""
    key: str
    path: str


@dataclass
class Context:
    """What a host tells a backend, and what the backend tells the host.

    mode: "build" in a builder host, "run" in a candidate host. private_dir: a writable folder that no other host sees. artefacts: key -> path of what
    the builder host made. jobs: how many compilers may run at once. arch: the compute capability that kernels are built for ("90", "10.0"); empty: the
    environment says (backend `cuda`).
    """
    mode: str
    private_dir: str
    device: str = "cpu"
    artefacts: dict[str, str] = field(default_factory=dict)
    jobs: int = 1
    arch: str = ""
    calls: Calls = field(default_factory=Calls)
    built: list[Artefact] = field(default_factory=list)              # Made in this process, in order.
    compile_errors: list[str] = field(default_factory=list)          # Also those that the submission caught itself.
    launchers: dict[str, None] = field(default_factory=dict)         # Signatures of Triton kernels launched here (triton_seed), in order.
    _notes: dict[str, None] = field(default_factory=dict)

    def note(self, word: str) -> None:
        """Record something that the verdict must say, once."""
        self._notes.setdefault(word)

    def notes(self) -> list[str]:
        return list(self._notes)


@dataclass(frozen=True)
class Backend:
    """A way to write a kernel.

    needs_build: a builder host imports the submission first and hands its artefacts over. packages: what must be importable. devices: where it runs.
    speed_on: the devices on which a time means something. time_scale: by how much a time limit grows, by device (1 where absent).
    lacks: what this machine lacks besides packages, a few words each. warm: what a zygote may do once before it forks, so that hosts need not: it
    initialises no device and leaves no thread behind. translate: the Python module that stands for a submission in another language; ValueError where the
    submission is none.
    """
    name: str
    needs_build: bool
    packages: tuple[str, ...]
    devices: tuple[str, ...]
    speed_on: tuple[str, ...]
    install: Callable[[Context], None]
    time_scale: dict[str, float] = field(default_factory=dict)
    lacks: Callable[[], list[str]] = list
    warm: Callable[[Context], None] | None = None
    translate: Callable[[str], str] | None = None
    description: str = ""

    def missing(self) -> list[str]:
        """What must be installed before this backend works here, empty where all is there. Packages are looked for, not imported."""
        packages = [name for name in self.packages if name not in sys.modules and importlib.util.find_spec(name) is None]
        return ["%s (pip: %s)" % (name, _PIP[name]) if name in _PIP else name for name in packages] + self.lacks()

    def measures_speed(self, device: str) -> bool:
        return device in self.speed_on

    def limit_scale(self, device: str) -> float:
        return self.time_scale.get(device, 1.0)


_DECLARED: dict[str, Backend] = {}  # Set in a zygote before it forks, constant afterwards.


def builtin_names() -> tuple[str, ...]:
    return _MODULES


def names() -> tuple[str, ...]:
    return (*_MODULES, *_DECLARED)


def register(declared: Backend) -> None:
    """A backend beside the built-in ones, whose name is none of theirs."""
    _DECLARED[declared.name] = declared


def backend(name: str) -> Backend:
    """The declaration of a backend. Raises ValueError that names the known ones."""
    if name in _DECLARED:
        return _DECLARED[name]
    if name not in _MODULES:
        raise ValueError("unknown backend '%s'; known: %s" % (name, ", ".join(names())))
    return importlib.import_module("." + name, __name__).BACKEND
