"""The profile of one observed call on a GPU: which kernels ran, for how long, and whose they are.

CUPTI gives each kernel's span and the owner that was entered on the thread which launched it: the framework while one of its operators runs
(own_work enters it), the judge while it looks at memory, nobody else. What nobody entered is the submission's. A kernel of a vendor's library is told
by its name, wherever it was launched from: a submission may call cuBLAS itself.

Used by the host's main thread, once per call.
"""
from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from contextlib import contextmanager
from typing import Any, Iterator

FRAMEWORK, JUDGE = 1, 2
_SHOWN = 16  # Kernels in the verdict, those with the most time.
_LONGEST_NAME = 160
# How the kernels of cuBLAS, cuBLASLt, cuDNN, cuSPARSE, cuFFT, CUB in torch, and NCCL are named.
_LIBRARY = re.compile(r"cublas|cudnn|cusparse|cufft|nvjet|xmma|gemmk1|gemvx|gemv2|splitKreduce|^(sm\d+|ampere|volta|turing|maxwell|hopper)_|"
                      r"cutlass_\d+_(tensorop|simt|wmma)|implicit_convolve|winograd|ncclDevKernel")


class Profile:
    """`with Profile(probe) as profile: ...`, then `profile.json()`. `missing` says why there is none."""

    def __init__(self, probe: Any):
        self._probe = probe
        self._rows: list[tuple[str, int, int, int, int]] = []
        self.missing = ""

    def __enter__(self) -> "Profile":
        try:
            self._probe.gpu_profile_start()
        except RuntimeError as error:
            self.missing = str(error)
        return self

    def __exit__(self, *_: Any) -> None:
        if not self.missing:
            self._rows = self._probe.gpu_profile_stop()

    @contextmanager
    def owner(self, number: int) -> Iterator[None]:
        """Launches of this thread in it belong to FRAMEWORK or JUDGE."""
        if self.missing:
            yield
            return
        self._probe.gpu_profile_enter(number)
        try:
            yield
        finally:
            self._probe.gpu_profile_leave()

    def json(self) -> dict[str, Any] | None:
        """{kernels: [{name, owner, launches, us}], us: {own, library, framework}, span_us, streams}, or None. Times are those of the card."""
        rows = [row for row in self._rows if row[1] != JUDGE]
        if self.missing:
            return None
        table: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0])
        for name, owner, _, start, end in rows:
            entry = table[name, whose(name, owner)]
            entry[0] += 1
            entry[1] += (end - start) / 1e3
        total = {word: sum(us for (_, who), (_, us) in table.items() if who == word) for word in ("own", "library", "framework")}
        kernels = [{"name": readable(name), "owner": who, "launches": int(count), "us": round(us, 3)}
                   for (name, who), (count, us) in sorted(table.items(), key=lambda item: -item[1][1])]
        span = (max(r[4] for r in rows) - min(r[3] for r in rows)) / 1e3 if rows else 0.0
        return {"kernels": kernels[:_SHOWN], "more": max(0, len(kernels) - _SHOWN), "launches": len(rows),
                "us": {word: round(us, 3) for word, us in total.items()}, "span_us": round(span, 3), "streams": len({r[2] for r in rows})}


def whose(name: str, owner: int) -> str:
    """own, library or framework."""
    if _LIBRARY.search(name):
        return "library"
    return "framework" if owner == FRAMEWORK else "own"


def readable(name: str) -> str:
    """A mangled name as it stands in the source, shortened."""
    if name.startswith("_Z"):
        try:
            demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
            demangle.restype = ctypes.c_void_p
            demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
            status = ctypes.c_int()
            text = demangle(name.encode(), None, None, ctypes.byref(status))
            if text:
                name = ctypes.string_at(text).decode("utf-8", "replace")
                ctypes.CDLL(None).free(ctypes.c_void_p(text))
        except (OSError, AttributeError):
            pass  # Mangled is better than nothing.
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME - 3] + "..."
