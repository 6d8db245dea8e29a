"""Calls into a submission's own code: which functions and kernels it defined, when they are entered and left, and whether they raised.

A backend calls `defined` and `wrap`; own_work sets `observer` for the one call that it watches. While no observer is set, a wrapped function costs one
attribute test more than the raw one (about 0.1 us), and `unwrap` takes even that away where the submission looks functions up in their module.

Threads: any thread may make own calls. `observer` is set and cleared by the host's main thread.
"""
from __future__ import annotations

import functools
from collections import Counter
from typing import Any, Callable, Protocol


class Observer(Protocol):
    def enter(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None: ...
    def leave(self, name: str, result: Any, error: BaseException | None) -> None: ...


class Calls:
    """One per host. `kernels` maps the name of each own function or kernel to what it is: "extension" or "triton"."""

    def __init__(self) -> None:
        self.observer: Observer | None = None
        self.kernels: dict[str, str] = {}
        self.launches: Counter[str] = Counter()  # Counted only while observed.
        self._replaced: list[tuple[Any, str, Any]] = []

    def defined(self, name: str, kind: str) -> None:
        self.kernels.setdefault(name, kind)

    def observed(self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call `function` between the observer's enter and leave."""
        observer = self.observer
        if observer is None:
            return function(*args, **kwargs)
        self.launches[name] += 1
        observer.enter(name, args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            observer.leave(name, None, error)
            raise
        observer.leave(name, result, None)
        return result

    def wrap(self, name: str, function: Callable[..., Any], kind: str) -> Callable[..., Any]:
        """A function that behaves as `function` and tells the observer, when there is one."""
        self.defined(name, kind)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.observer is None:
                return function(*args, **kwargs)
            return self.observed(name, function, args, kwargs)
        return call

    def wrap_attribute(self, owner: Any, attribute: str, name: str, kind: str) -> None:
        """Replace owner.attribute by its wrapped form, until `unwrap`."""
        raw = getattr(owner, attribute)
        setattr(owner, attribute, self.wrap(name, raw, kind))
        self._replaced.append((owner, attribute, raw))

    def unwrap(self) -> None:
        """Put the raw functions back into their modules: called once profiling is over, before timing."""
        for owner, attribute, raw in reversed(self._replaced):
            setattr(owner, attribute, raw)
        self._replaced.clear()
