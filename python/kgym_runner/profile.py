"""The profile of one observed call on a GPU: which kernels ran, for how long, and whose they are.

CUPTI gives each kernel's span and the owner that was entered on the thread which launched it: the framework while one of its operators runs
(own_work enters it), the judge while it looks at memory, nobody else. What nobody entered is the submission's. A kernel of a vendor's library, or of torch, is told
by its name, wherever it was launched from: a submission may call cuBLAS itself, or torch's functions below the dispatcher.

Used by the host's main thread, once per call.
"""
from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from contextlib import contextmanager
from typing import Any, Callable, Iterator

SUBMISSION, FRAMEWORK, JUDGE = 0, 1, 2  # Who launches; what nobody entered is the submission's.
_SHOWN = 16  # Kernels in the verdict, those with the most time.
_LONGEST_NAME = 160
# How the kernels of vendors' libraries are named, the first that fits: cuBLAS has those that say no more than what they multiply.
_LIBRARIES = (
    ("cuDNN", re.compile(r"cudnn|implicit_convolve|winograd|xmma_(fprop|dgrad|wgrad)|^cutlass_\d+_\w*(fprop|dgrad|wgrad)")),
    ("cuSPARSE", re.compile(r"cusparse")),
    ("cuFFT", re.compile(r"cufft|^(_Z\d+(vector|regular)_fft|void (vector|regular)_fft[<(])")),
    ("NCCL", re.compile(r"ncclDevKernel")),
    ("cuBLAS", re.compile(r"cublas|nvjet|xmma|gemmk1|gemvx|gemv2|splitKreduce|^(sm\d+|ampere|volta|turing|maxwell|hopper)_|cutlass_\d+_(tensorop|simt|wmma)")),
)
# How torch's own kernels are named, mangled or not: also where they are called below the dispatcher, so that no operator is seen.
_FRAMEWORKS = re.compile(r"N2at6native|N2at4cuda|at_cuda_detail|(^|[ <])at::(native|cuda)::")
# What cuDNN has beside convolutions and the changes of layout that these need.
_NO_PRODUCT = re.compile(r"bn_fw|bn_bw|batchnorm|batch_norm|softmax|pooling|activation|dropout|lrn|generic_tensor|RNN_|lstm|gru_|attention|sdpa", re.IGNORECASE)


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

    def json(self, brought: Callable[[str], bool] = lambda name: False) -> dict[str, Any] | None:
        """{kernels: [{name, owner, launches, us}], us: {own, library, framework}, libraries, called, called_beyond_products, span_us, streams}, or None.

        Times are those of the card. The last three give a library's by its name: all; what no framework operator launched; and of that what is neither
        a matrix product nor a convolution. `brought`: whether the submission has a kernel of this name; then it is none of a library's, whatever it is called.
        """
        rows = [row for row in self._rows if row[1] != JUDGE]
        if self.missing:
            return None
        table: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0])
        for name, owner, _, start, end in rows:
            entry = table[name, whose(name, owner, brought)]
            entry[0] += 1
            entry[1] += (end - start) / 1e3
        total = {word: sum(us for (_, who), (_, us) in table.items() if who == word) for word in ("own", "library", "framework")}
        kernels = [{"name": readable(name), "owner": who, "launches": int(count), "us": round(us, 3)}
                   for (name, who), (count, us) in sorted(table.items(), key=lambda item: -item[1][1])]
        libraries, called, beyond = (defaultdict(float) for _ in range(3))
        for name, owner, _, start, end in rows:
            if whose(name, owner, brought) != "library":
                continue
            library = library_of(name)
            for table_of, counts in ((libraries, True), (called, owner != FRAMEWORK), (beyond, owner != FRAMEWORK and not is_product(name))):
                if counts:
                    table_of[library] += (end - start) / 1e3
        span = (max(r[4] for r in rows) - min(r[3] for r in rows)) / 1e3 if rows else 0.0
        return {"kernels": kernels[:_SHOWN], "more": max(0, len(kernels) - _SHOWN), "launches": len(rows),
                "us": _rounded(total), "libraries": _rounded(libraries), "called": _rounded(called), "called_beyond_products": _rounded(beyond), "span_us": round(span, 3), "streams": len({r[2] for r in rows})}


def _rounded(table: dict[str, float]) -> dict[str, float]:
    return {name: round(us, 3) for name, us in table.items()}


def library_of(name: str) -> str:
    """The vendor's library that a kernel of this name is part of; empty for none."""
    return next((library for library, names in _LIBRARIES if names.search(name)), "")


def is_product(name: str) -> bool:
    """Whether a library's kernel is a matrix product, a convolution, or what belongs to one."""
    library = library_of(name)
    return library == "cuBLAS" or library == "cuDNN" and not _NO_PRODUCT.search(name)


def whose(name: str, owner: int, brought: Callable[[str], bool] = lambda name: False) -> str:
    """own, library or framework. A submission's own kernel made from torch's templates has a name that it brought."""
    named = "library" if library_of(name) else "framework" if _FRAMEWORKS.search(name) else "own"
    if owner == FRAMEWORK:
        return "library" if named == "library" else "framework"
    return "own" if named != "own" and brought(name) else named


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
