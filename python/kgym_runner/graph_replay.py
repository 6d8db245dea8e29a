"""A call replayed as a CUDA graph: what is left of its time when nothing is launched by the CPU.

Both hosts capture one call on torch's capturing stream, its inputs where they lie in the arena, and time replays in a row on the stream that all else is
timed on. A call that cannot be captured (it waits for the card, asks for a value, launches on CUDA's default stream, allocates by itself) has no such time,
and a sentence says why. The times are facts beside the measurement: nothing is decided by them.

Used by the host's main thread.
"""
from __future__ import annotations

from typing import Any, Callable

import torch

from . import device
from .tree import leaves
from .wire import describe

_POISON = 0x5A
_LONGEST = 240  # Characters of what an exception says.
_ELSEWHERE = "it could not be captured: a replay writes no output, so the call's kernels are launched on another stream than torch's current one"


def _bytes(tensor: torch.Tensor) -> torch.Tensor | None:
    """The tensor's memory, where it is one piece; None where nothing can be told by it."""
    if not tensor.numel() or not tensor.is_contiguous():
        return None
    return tensor.detach().view(-1).view(torch.uint8)


def _writes(replay: Callable[[], None], outputs: Any, inputs: list[Any], kept: list[torch.Tensor]) -> bool:
    """Whether a replay writes any of the outputs."""
    areas = [area for area in map(_bytes, leaves(outputs)) if area is not None]
    for area in areas:
        area.fill_(_POISON)
    for tensor, value in zip(leaves(inputs), kept):  # After the outputs, which may be the inputs.
        tensor.copy_(value)
    replay()
    device.current().synchronize()
    return not areas or any(bool((area != _POISON).any()) for area in areas)


def _root(error: BaseException) -> BaseException:
    """What went wrong first: when capturing ends, torch raises again, about the capture."""
    seen = {id(error)}
    while error.__context__ is not None and id(error.__context__) not in seen:
        error = error.__context__
        seen.add(id(error))
    return error


def times(probe: Any, forward: Callable[..., Any], inputs: list[Any], replays: list[int], delay_ns: int) -> dict[str, Any]:
    """Spans of so many replays in a row, one for each number in `replays`, as run_batch gives them; or {"note": why there are none}."""
    here = device.current()
    try:
        kept = [t.clone() for t in leaves(inputs)]
        forward(*inputs)  # What only a first call does on these inputs does not belong in the graph.
        here.synchronize()
        replay, outputs = here.capture(lambda: forward(*inputs))
        if not _writes(replay, outputs, inputs, kept):
            return {"note": _ELSEWHERE}

        def row(count: int) -> None:
            for _ in range(count):
                replay()
        return dict(here.run_batch(probe, row, [(count,) for count in replays], lambda i, nothing: None, delay_ns))
    except BaseException as error:  # noqa: BLE001  (foreign code runs in it)
        return {"note": "it could not be captured: %s" % describe(_root(error)).splitlines()[0][:_LONGEST]}
