"""Triton's helper libraries, built before any submission, so that a candidate host starts no C compiler.

On its first launch in a process Triton's NVIDIA driver compiles `cuda_utils`; Triton up to 3.6 then compiles a launcher for each signature (how many
pointers, integers, floats, constexprs, in which order; the type behind a pointer does not count). From 3.7 on one launcher, inside `cuda_utils`, serves all.
`seed` builds both in a fresh, trusted process into a folder of the layout of TRITON_CACHE_DIR, by Triton's own functions, so that names and keys are
Triton's. No GPU and no driver is needed: where libcuda is absent the libraries are linked against a stand-in of its name.
`populate` copies the folder into the private cache of a new host. What a candidate's own process compiles never comes back: it may only name a signature
(`letters`), and whoever judges may have that one built for later hosts.

A signature is a word over P pointer, i int32, l int64, f float, b bool, C constexpr (also a scalar that is 1): "PPPiC" takes x, y, out, n, BLOCK.

This file is also the program that `seed` runs; it must not import its package, whose `triton` would hide the real one.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterable

_TYPES = {"P": "*fp32", "i": "i32", "l": "i64", "f": "fp32", "b": "u1", "C": "constexpr"}
_LETTERS = {name: letter for letter, name in _TYPES.items()} | {"i1": "b"}
_MAX_ARGUMENTS = 40


def common() -> list[str]:
    """Signatures that most kernels have: pointers, sizes, perhaps a factor or an epsilon, block sizes; matrix products with and without strides."""
    found = ["P" * pointers + "i" * sizes + "C" * blocks for pointers in range(1, 7) for sizes in range(4) for blocks in (1, 2)]
    found += ["P" * pointers + "i" * sizes + "f" + "C" * blocks for pointers in range(2, 6) for sizes in (1, 2) for blocks in (1, 2)]
    found += ["P" * pointers + "iii" + strides + "C" * blocks for pointers in (3, 4) for strides in ("", "iCiCiC") for blocks in (3, 4, 5)]
    return list(dict.fromkeys(found))


def is_signature(word: object) -> bool:
    """Whether a word, which may come from a candidate, is a signature at all."""
    return isinstance(word, str) and re.fullmatch("[%s]{1,%d}" % ("".join(_TYPES), _MAX_ARGUMENTS), word) is not None


def letters(signature: Iterable[Any]) -> str | None:
    """The word for the types of a kernel's arguments, or None where it has one that no word has (a tuple, a tensor descriptor)."""
    words = ["P" if isinstance(t, str) and t.startswith("*") else _LETTERS.get(t) if isinstance(t, str) else None for t in signature]
    return None if None in words else "".join(words)


def seed(folder: str, signatures: Iterable[str] | None = None, jobs: int = 1) -> dict[str, Any]:
    """Build into `folder` what is not there yet. Returns {triton, launchers, seconds}; launchers is 0 where Triton needs none.

    Raises RuntimeError with the program's last words when it fails; ValueError for a word that is no signature.
    """
    words = common() if signatures is None else list(signatures)
    for word in words:
        if not is_signature(word):
            raise ValueError("'%s' is no signature of a kernel; a word over %s is expected" % (str(word)[:60], "".join(_TYPES)))
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as private:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "TRITON_CACHE_DIR": os.path.abspath(folder), "HOME": private, "TMPDIR": private,
                       "CCACHE_DISABLE": "1", "LC_ALL": "C", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
        done = subprocess.run([sys.executable, "-I", os.path.abspath(__file__), str(jobs)], input=json.dumps(words), capture_output=True, text=True,
                              env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError("Triton's helper libraries could not be built: %s" % (done.stderr.strip().splitlines() or ["no word"])[-1])
    return json.loads(done.stdout)


def populate(seeded: str, cache: str) -> None:
    """Copy a seeded folder into a host's own cache, before the host launches anything. Nothing to do where there is none."""
    if os.path.isdir(seeded):
        shutil.copytree(seeded, cache, dirs_exist_ok=True)


class _Unloaded:
    """In place of a module that has been built and is not to be loaded."""

    def __getattr__(self, name: str) -> None:
        return None


def _stand_in(sources: Iterable[str], folder: str) -> str:
    """A folder with a library of libcuda's name, whose functions do nothing. The linker needs no more."""
    functions = sorted({name for path in sources for name in re.findall(r"\bcu[A-Z]\w+", open(path, encoding="utf-8").read())})
    text = os.path.join(folder, "driver.c")
    with open(text, "w", encoding="utf-8") as file:
        file.writelines("void %s(void) {}\n" % name for name in functions)
    command = [os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-w", "-fno-builtin", "-Wl,-soname,libcuda.so.1", text]
    subprocess.run([*command, "-o", os.path.join(folder, "libcuda.so.1")], check=True)
    return folder


def _build(words: list[str], jobs: int) -> dict[str, Any]:
    import triton
    from triton.backends.nvidia import driver
    from triton.runtime import build
    began = time.monotonic()
    build._load_module_from_path = lambda name, path: _Unloaded()
    with tempfile.TemporaryDirectory() as folder:
        try:
            driver.libcuda_dirs()
        except (AssertionError, OSError, subprocess.CalledProcessError):
            native = [os.path.join(driver.dirname, name) for name in ("driver.c", "driver.py")]
            stand_in = _stand_in(native, folder)
            driver.libcuda_dirs = lambda: [stand_in]
        driver.CudaUtils()
        make = getattr(driver, "make_launcher", None)

        def launcher(word: str) -> None:
            driver.compile_module_from_src(src=make({}, {i: _TYPES[letter] for i, letter in enumerate(word)}, None), name="__triton_launcher",
                                           library_dirs=driver.library_dirs(), include_dirs=driver.include_dirs, libraries=driver.libraries)
        if make is not None:
            with ThreadPoolExecutor(max(1, jobs)) as pool:
                list(pool.map(launcher, words))
    return {"triton": triton.__version__, "launchers": len(words) if make is not None else 0, "seconds": round(time.monotonic() - began, 3)}


if __name__ == "__main__":
    print(json.dumps(_build(json.loads(sys.stdin.read()), int(sys.argv[1]))))
