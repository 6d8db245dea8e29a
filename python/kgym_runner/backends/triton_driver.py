"""A stand-in for Triton's GPU driver, so that code which asks for a device (autotune, triton.testing, tutorials' `is_cuda()`) runs on a CPU.

It says what code written for an H100 expects to hear. Nothing is launched through it: kernels run in Triton's interpreter.
"""
from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, Callable

import torch
from triton.backends.compiler import GPUTarget

_PROPERTIES = {"max_shared_mem": 232448, "multiprocessor_count": 132, "max_num_regs": 65536, "warpSize": 32, "sm_clock_rate": 1_980_000,
               "mem_clock_rate": 2_619_000, "mem_bus_width": 5120}


class Event:
    """Wall time in place of a CUDA event. elapsed_time is in milliseconds."""

    def __init__(self, enable_timing: bool = False, **_: Any):
        self._at = 0

    def record(self, *_: Any) -> None:
        self._at = time.perf_counter_ns()

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end: "Event") -> float:
        return max(end._at - self._at, 1) / 1e6


class CpuDriver:
    """The parts of triton.backends.driver.DriverBase that host code uses. autotune takes the first configuration: times mean nothing here."""

    utils = SimpleNamespace(get_device_properties=lambda device: dict(_PROPERTIES))

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        return (9, 0)

    def get_device_interface(self) -> Any:
        return SimpleNamespace(Event=Event, synchronize=lambda *_: None, current_device=lambda: 0, device=lambda index: index)

    def get_benchmarker(self) -> Callable[..., list[float]]:
        return lambda kernel_call, *, quantiles=(0.5,), **_: [1.0] * len(quantiles or (0.5,))

    def get_empty_cache_for_benchmark(self) -> Any:
        return None

    def clear_cache(self, cache: Any) -> None:
        pass

    def map_python_to_cpp_type(self, ty: str) -> str:
        return "void*" if ty.startswith("*") else ty
