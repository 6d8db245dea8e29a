"""The CUDA toolkit of this machine: where nvcc, its headers and its runtime lie, and what an architecture is called.

No GPU and no driver is needed. Looked for in CUDA_HOME and CUDA_PATH, /usr/local/cuda, beside the nvcc on PATH, and in the folders that pip's CUDA
packages make (`nvidia/cu13`). Headers and libraries that a toolkit lacks (cuBLAS, cuSPARSE, ...) are taken from pip's packages, which torch itself uses.

Any thread. `toolkit` is looked up once in a process; a zygote that does so spares every host it forks a process.
"""
from __future__ import annotations

import functools
import glob
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Iterator

from . import CompileError

_RELEASE = re.compile(r"release (\d+)\.\d+, V([\d.]+)")
_ARCH = re.compile(r"(\d+)\.?(\d)([af]?)(\+PTX)?", re.IGNORECASE)


@dataclass(frozen=True)
class Toolkit:
    """includes, libraries: existing folders, the toolkit's own first. major: of the CUDA release; version: of nvcc, to the build."""
    nvcc: str
    major: int
    version: str
    includes: tuple[str, ...]
    libraries: tuple[str, ...]

    def library(self, name: str) -> str | None:
        """The file that `-lNAME` means: the toolkit's, or a versioned one of pip's packages, which have no other."""
        for pattern in ("lib%s.so", "lib%s.a", "lib%s.so.*"):
            for folder in self.libraries:
                found = sorted(glob.glob(os.path.join(folder, pattern % name)))
                if found:
                    return found[0]
        return None

    def runtime(self) -> list[str]:
        """Linker arguments for the CUDA runtime: the shared one that torch has loaded, where it is of this release."""
        for folder in reversed(self.libraries):
            path = os.path.join(folder, "libcudart.so.%d" % self.major)
            if os.path.exists(path):
                return [path, "-Wl,-rpath," + folder]
        return ["-lcudart_static", "-ldl", "-lrt", "-lpthread"]


def _pip_folders() -> list[str]:
    """The folders of pip's CUDA packages: nvidia/cu13 (all in one), or nvidia/cublas, nvidia/cuda_runtime, ... (CUDA 12)."""
    return [path for folder in sys.path if folder for path in sorted(glob.glob(os.path.join(folder, "nvidia", "*"))) if os.path.isdir(path)]


def _roots() -> Iterator[str]:
    yield from (path for name in ("CUDA_HOME", "CUDA_PATH") if (path := os.environ.get(name)))
    yield "/usr/local/cuda"
    on_path = shutil.which("nvcc")
    if on_path:
        yield os.path.dirname(os.path.dirname(os.path.realpath(on_path)))
    yield from reversed(_pip_folders())


def _existing(folders: list[str]) -> tuple[str, ...]:
    """Those that exist, once each. Not the system's own: named again, it would come before the C++ library's and break its includes."""
    return tuple(dict.fromkeys(path for path in folders if os.path.isdir(path) and path != "/usr/include"))


def _of_release(folders: list[str], major: int) -> list[str]:
    """Pip's folders, without those of another release of CUDA."""
    whole = [path for path in folders if re.fullmatch(r"cu\d+", os.path.basename(path))]
    fitting = [path for path in whole if os.path.basename(path) == "cu%d" % major]
    return fitting or [path for path in folders if path not in whole]


@functools.cache
def toolkit() -> Toolkit:
    """Raises CompileError when there is none."""
    for root in _roots():
        nvcc = os.path.join(root, "bin", "nvcc")
        if not os.access(nvcc, os.X_OK):
            continue
        done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        release = _RELEASE.search(done.stdout)
        if not release:
            continue
        major = int(release[1])
        roots = [root, os.path.join(root, "targets", "x86_64-linux"), *_of_release(_pip_folders(), major)]
        includes = [os.path.join(path, *part) for path in roots for part in (["include"], ["include", "cccl"])]
        libraries = [os.path.join(path, part) for path in roots for part in ("lib64", "lib")]
        return Toolkit(nvcc, major, release[2], _existing(includes), _existing(libraries))
    raise CompileError("this worker has no CUDA compiler (nvcc in CUDA_HOME, in /usr/local/cuda, on PATH, or from pip)")


def lacks() -> list[str]:
    """What stands in the way of building for CUDA, in words."""
    try:
        toolkit()
    except CompileError:
        return ["nvcc"]
    return []


def generate_code(arch: str) -> list[str]:
    """nvcc's flags for "90", "9.0", "9.0a+PTX" or several of them ("8.0;9.0").

    From 9.0 on the architecture's own instructions (wgmma, TMA, tcgen05) are allowed, as by the suffix `a`: a lane's card is of one architecture, and
    code need not run on another. Raises CompileError for anything else.
    """
    flags = []
    for word in re.split(r"[;,\s]+", arch.strip()):
        found = _ARCH.fullmatch(word)
        if not found:
            raise CompileError("'%s' is no CUDA architecture; one like 90 or 9.0 is expected" % word)
        own = found[3].lower() or ("a" if int(found[1]) >= 9 else "")
        name = found[1] + found[2] + own
        flags += ["-gencode", "arch=compute_%s,code=sm_%s" % (name, name)]
        if found[4]:
            flags += ["-gencode", "arch=compute_%s,code=compute_%s" % (name, name)]
    return flags
