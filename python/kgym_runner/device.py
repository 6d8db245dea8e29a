"""The device that a host computes on: where its tensors live, how it waits, how a batch is timed.

One per host, made after the fork and before the sandbox closes (`become`), constant afterwards. `current()` is the CPU where nothing was said, so
that every module works in a test without a host. A CUDA device is one card: `CUDA_VISIBLE_DEVICES` names it before CUDA is first used.

Threads: the host's main thread.
"""
from __future__ import annotations

import ctypes
import fcntl
import os
import time
import warnings
import zlib
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import torch

from .profile import JUDGE, Profile
from .tree import Arena, rebuild

Spans = dict[str, list[int]]  # calls_ns and emits_ns, one a call, and span_ns, when all began and ended; on a GPU also ahead_ns, host_ns, enqueue_ns, and one drain_ns (see the probe's gpu_run_batch).


@dataclass
class Peak:
    """bytes: of the card's memory that torch's allocator held beyond what it held before; None where nobody counts."""
    bytes: int | None = None


class _Heap(ctypes.Structure):
    """glibc's struct mallinfo2."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "blocks", "fast_blocks", "mapped_blocks", "mapped", "most", "fast", "used", "free", "top")]


_MUCH = 256 << 20  # Bytes of a heap.


class Cpu:
    """Host memory, shared as a sealed memfd."""
    name = "cpu"
    arch = ""
    keeps_arena = 1 << 40  # Bytes of an arena that is kept for the next evaluation of its problem.
    keeps_bytes = 1 << 40  # Bytes of torch's allocator that are kept.

    def make_arena(self, length: int) -> tuple[Arena, int]:
        """A new arena of at least `length` bytes, zeroed, and the descriptor by which another host attaches it."""
        fd = os.memfd_create("kgym-arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, length)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        return Arena(fd, length), fd

    def attach(self, fd: int, length: int) -> Arena:
        return Arena(fd, length)

    def free(self, arena: Arena) -> None:
        """Nothing: the mapping goes with its last tensor."""

    def synchronize(self) -> None:
        """Nothing runs behind a call's back."""

    def give_back(self, most: int = 0) -> None:
        """What was freed goes back to the kernel, if it is much: the heaps of hosts keep it else (zygote.cc), for the sake of their times."""
        libc = ctypes.CDLL(None)
        if not hasattr(libc, "mallinfo2"):
            return
        libc.mallinfo2.restype = _Heap
        if libc.mallinfo2().free > max(most, _MUCH):
            libc.malloc_trim(0)

    def held_bytes(self) -> int:
        """Bytes of the card that torch's allocator holds."""
        return 0

    def memory(self) -> dict[str, int]:
        """Bytes of the card: resident_bytes, what tensors hold now; open_bytes, the most that was held. Nothing where nobody counts."""
        return {}

    def limit(self, most: int) -> None:
        """Torch's allocator may take so many bytes of the card; 0: all there is."""

    def precise(self) -> AbstractContextManager[Any]:
        """In it, float32 products are float32 throughout."""
        return nullcontext()

    def place(self, value: Any) -> Any:
        return value

    def scope(self) -> AbstractContextManager[Any]:
        """In it, tensors that are made without a device are made here."""
        return nullcontext()

    def reseed(self, seed: int) -> None:
        """Nothing beyond torch's default generator."""

    def run_batch(self, probe: Any, forward: Callable[..., Any], calls: list[tuple[Any, ...]], emit: Callable[[int, Any], None], delay_ns: int) -> Spans:
        start = time.monotonic_ns()
        spans = probe.run_batch(forward, calls, emit)
        return {"calls_ns": [s[0] for s in spans], "emits_ns": [s[1] for s in spans], "span_ns": [start, time.monotonic_ns()]}

    def run_one_by_one(self, probe: Any, forward: Callable[..., Any], calls: list[tuple[Any, ...]]) -> Spans:
        """calls_ns: how long each call takes a caller who waits for it."""
        return {"calls_ns": self.run_batch(probe, forward, calls, lambda i, outputs: None, 0)["calls_ns"]}

    def capture(self, call: Callable[[], Any]) -> tuple[Callable[[], None], Any]:
        """The call as a CUDA graph: what replays it, and its outputs, which each replay writes again. Raises what torch raises where it cannot be captured."""
        raise RuntimeError("a CPU has no CUDA graphs")

    def profile(self) -> AbstractContextManager[Profile | None]:
        """Records what the card does; on a CPU there is none."""
        return nullcontext()

    def warm_profile(self) -> None:
        """Nothing to make ready."""

    def peak(self) -> AbstractContextManager[Peak]:
        """Counts the card's memory."""
        return nullcontext(Peak())

    def perturb(self, pattern: int, sizes: list[int]) -> None:
        """Fresh memory of these sizes is to hold `pattern`: the C library's allocator, told once, sees to it."""


class _Raw:
    """GPU memory at an address, in the form from which torch makes a tensor without copying."""

    def __init__(self, address: int, size: int):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "strides": None, "version": 3}


class Cuda:
    """One card. Needs a driver and the probe; making it creates the process's CUDA context (0.2 s)."""
    name = "cuda"
    # Of a host that rests, so that many may. The judge counts what is kept, and ends the oldest where room is short.
    keeps_arena = 704 << 20  # One of the usual size (limits.arena): making a new one takes 50 to 130 ms.
    keeps_bytes = 256 << 20

    def __init__(self, probe: Any, arch: str):
        self._probe, self.arch = probe, arch
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # That NVML, which nobody needs here, is out of reach.
            torch.cuda.init()
        self._generator = torch.cuda.default_generators[0]
        torch.empty(1, device="cuda")
        probe.gpu_card()  # Loads the kernel that fills the card, while nobody waits.
        self._addresses: dict[int, tuple[int, int]] = {}
        self._profile: Profile | None = None

    def _arena(self, address: int, size: int) -> Arena:
        arena = Arena.over(torch.as_tensor(_Raw(address, size), device="cuda"))
        self._addresses[id(arena)] = (address, size)
        return arena

    def make_arena(self, length: int) -> tuple[Arena, int]:
        address, size, fd = self._probe.gpu_memory_create(length)
        arena = self._arena(address, size)
        arena.bytes.zero_()
        return arena, fd

    def attach(self, fd: int, length: int) -> Arena:
        return self._arena(self._probe.gpu_memory_open(fd, length), length)

    def free(self, arena: Arena) -> None:
        """Unmap it. No tensor over it may be used afterwards."""
        address, size = self._addresses.pop(id(arena))
        self.synchronize()
        self._probe.gpu_memory_close(address, size)

    def synchronize(self) -> None:
        """Wait for every stream, through the driver: what Python finds under torch.cuda.synchronize may be anybody's."""
        self._probe.gpu_synchronize()

    @contextmanager
    def precise(self) -> Iterator[None]:
        """In it, float32 products are float32 throughout: torch lets convolutions round to TF32 where nothing else is said."""
        flags = ((torch.backends.cudnn, "allow_tf32"), (torch.backends.cuda.matmul, "allow_tf32"))
        before = [getattr(owner, name) for owner, name in flags]
        try:
            for owner, name in flags:
                setattr(owner, name, False)
            yield
        finally:
            for (owner, name), value in zip(flags, before):
                setattr(owner, name, value)

    def give_back(self, most: int = 0) -> None:
        """What torch's allocator holds for later goes back to the card, where others need it, if it holds more than `most` bytes."""
        if self.held_bytes() > most:
            torch.cuda.empty_cache()

    def _bytes(self, what: str, when: str = "current") -> int:
        """Of torch's allocator: allocated or reserved, current or peak. As torch.cuda.memory_reserved() and its like have it, which sort all there is to know first (0.3 ms)."""
        return torch.cuda.memory_stats_as_nested_dict()[what + "_bytes"]["all"][when]

    def held_bytes(self) -> int:
        return self._bytes("reserved")

    def memory(self) -> dict[str, int]:
        return {"resident_bytes": self._bytes("allocated"), "open_bytes": self._bytes("reserved", "peak")}

    def limit(self, most: int) -> None:
        if most:
            torch.cuda.set_per_process_memory_fraction(min(1.0, most / torch.cuda.get_device_properties(0).total_memory))

    def place(self, value: Any) -> Any:
        return rebuild(value, lambda t: t.to("cuda"))

    def scope(self) -> AbstractContextManager[Any]:
        return torch.device("cuda")

    def reseed(self, seed: int) -> None:
        self._generator.manual_seed(seed)

    def run_batch(self, probe: Any, forward: Callable[..., Any], calls: list[tuple[Any, ...]], emit: Callable[[int, Any], None], delay_ns: int) -> Spans:
        start = time.monotonic_ns()
        spans, drain_ns = probe.gpu_run_batch(forward, calls, emit, delay_ns)
        end = time.monotonic_ns()
        names = ("calls_ns", "emits_ns", "ahead_ns", "host_ns", "enqueue_ns")
        return {**{name: [s[i] for s in spans] for i, name in enumerate(names)}, "drain_ns": [drain_ns], "span_ns": [start, end]}

    def run_one_by_one(self, probe: Any, forward: Callable[..., Any], calls: list[tuple[Any, ...]]) -> Spans:
        return {"calls_ns": probe.gpu_run_one_by_one(forward, calls)}

    def capture(self, call: Callable[[], Any]) -> tuple[Callable[[], None], Any]:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            outputs = call()
        return graph.replay, outputs

    @contextmanager
    def profile(self) -> Iterator[Profile | None]:
        with Profile(self._probe) as profile:
            self._profile = profile
            try:
                yield profile
            finally:
                self._profile = None

    def warm_profile(self) -> None:
        """A first profile of the judge's own kernels, while nobody waits: CUPTI takes 60 ms to get ready, on a busy card many times that."""
        with Profile(self._probe):
            tensor = torch.empty(16, dtype=torch.uint8, device="cuda").fill_(1)
            self.checksum(tensor.data_ptr(), 16)
            tensor.clone().cpu()

    @contextmanager
    def peak(self) -> Iterator[Peak]:
        before, peak = self._bytes("allocated"), Peak()
        torch.cuda.reset_peak_memory_stats()
        yield peak
        peak.bytes = self._bytes("allocated", "peak") - before

    def _unprofiled(self) -> AbstractContextManager[Any]:
        return self._profile.owner(JUDGE) if self._profile else nullcontext()

    def checksum(self, address: int, size: int) -> int:
        with self._unprofiled():
            return self._probe.gpu_checksum(address, size)

    def fill(self, address: int, size: int, byte: int) -> None:
        with self._unprofiled():
            self._probe.gpu_fill(address, size, byte)

    def perturb(self, pattern: int, sizes: list[int]) -> None:
        """Fresh memory of these sizes is to hold `pattern`: torch's allocator hands out first what was given back last."""
        held = [torch.empty(size, dtype=torch.uint8, device="cuda").fill_(pattern) for size in sizes for _ in range(2) if size]
        del held


_current: Cpu | Cuda = Cpu()


def current() -> Cpu | Cuda:
    return _current


def become(name: str, card: str, arch: str, probe: Any) -> None:
    """Make this process a host of a device: "cpu", or "cuda" with the card's UUID or index and its architecture ("90"). Raises RuntimeError where the card does not answer."""
    global _current
    if name == "cuda":
        os.environ["CUDA_VISIBLE_DEVICES"] = card
        os.environ.pop("PYTORCH_NVML_BASED_CUDA_CHECK", None)  # The zygote's.
        _current = Cuda(probe, arch)
    else:
        _current = Cpu()


def checksum(where: str, address: int, size: int) -> int:
    """A number for the bytes there; `where` is the type of the device that they are on."""
    if not size or not address:
        return 0
    return _current.checksum(address, size) if where == "cuda" else zlib.crc32((ctypes.c_char * size).from_address(address))


def fill(where: str, address: int, size: int, byte: int) -> None:
    if where == "cuda":
        _current.fill(address, size, byte)
    else:
        ctypes.memset(address, byte, size)

