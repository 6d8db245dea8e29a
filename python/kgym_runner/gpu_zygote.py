"""What a zygote for GPUs prepares once, so that its hosts need not: kernels compiled, Triton's helpers built, the compiler warm.

Nothing here touches CUDA: what was initialised before a fork is of no use after it. Errors are not fatal: a host then does for itself what was not
prepared, more slowly; `prepare` returns what it could not do.
"""
from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from .backends import Context, backend, names

SEEDED = [""]  # Where Triton's helpers for these versions lie; set by `prepare`, inherited by every host.


def device_files() -> list[str]:
    """The files through which a process reaches the cards of this machine."""
    return sorted(p for p in glob.glob("/dev/nvidia*") if not os.path.isdir(p)) + sorted(glob.glob("/dev/nvidia-caps/*"))


def shown(seeded: str) -> list[str]:
    """What hosts of a GPU must see beside what all do: the driver's libraries, how the cards are connected, a toolkit, Triton's seeded helpers."""
    libraries = [p for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if os.path.isdir(p)]
    return ["/sys", *libraries, *filter(os.path.isdir, [os.environ.get("CUDA_HOME", ""), seeded])]


def _assembler() -> str | None:
    """ptxas, of Triton or of a toolkit."""
    found = [p for root in sys.path for p in glob.glob(os.path.join(root, "triton", "backends", "nvidia", "bin", "ptxas"))]
    home = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "ptxas")
    return next((p for p in [*found, home] if os.access(p, os.X_OK)), shutil.which("ptxas"))


def compile_kernels(probe: Any, arch: str) -> None:
    """The probe's kernels for this architecture ("90"). Raises OSError or CalledProcessError."""
    assembler = _assembler()
    if assembler is None:
        raise OSError("there is no ptxas")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in probe.gpu_kernels().items():
            source, image = os.path.join(folder, name + ".ptx"), os.path.join(folder, name + ".cubin")
            with open(source, "w", encoding="ascii") as out:
                out.write(text)
            subprocess.run([assembler, "-arch=sm_" + arch, source, "-o", image], check=True, capture_output=True, timeout=60)
            with open(image, "rb") as compiled:
                probe.gpu_use_image(name, compiled.read())


def prepare(probe: Any, arch: str, seeded: str) -> list[str]:
    """All of it; a sentence for each thing that could not be had."""
    failed = []

    def attempt(what: str, action: Any) -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001  (a compiler that is missing, a version of Triton that nobody has seen)
            failed.append("%s: %s: %s" % (what, type(error).__name__, str(error)[:300]))
    attempt("compiling the probe's kernels", lambda: compile_kernels(probe, arch))
    attempt("building Triton's helpers", lambda: _seed(seeded))
    for name in names():
        declared = backend(name)
        if declared.warm is not None and not declared.missing():
            attempt("warming backend " + name, lambda: declared.warm(Context(mode="run", private_dir="/tmp", device="cuda", arch=arch)))
    return failed


def _seed(folder: str) -> None:
    """Once for a Triton and a Python. Many zygotes may do it at the same time: they write the same files, each whole or not at all."""
    from .backends.triton_seed import seed
    if backend("triton").missing():
        return
    folder = os.path.join(folder, "%s-%s" % (sys.modules["triton"].__version__, sys.implementation.cache_tag))
    done = os.path.join(folder, "seeded")
    SEEDED[0] = folder
    if os.path.exists(done):
        return
    seed(folder, jobs=max(1, len(os.sched_getaffinity(0)) - 1))
    with open(done, "w", encoding="ascii"):
        pass
