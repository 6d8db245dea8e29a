"""Triton's compiler, made warm in a zygote: what a process pays at its first compile is paid once, before the fork.

The first kernel of a process costs several times the next one: MLIR's dialects are registered, LLVM's targets set up, libdevice read, triton's own library
(tl.sum, ...) parsed. A dummy kernel that uses the common parts does all of that. No driver is asked for anything, nothing is launched, and no thread is
left behind: MLIR's are joined with its context, which is collected here.

The zygote's main thread only, before it forks.
"""
from __future__ import annotations

import gc
import re
import tempfile

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def _dummy(x, w, o, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.arange(0, BLOCK)
    at = rows[:, None] * BLOCK + columns[None, :]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for step in range(0, n, BLOCK):
        inside = (columns[None, :] + step < n) & (rows[:, None] < n)
        total = tl.dot(tl.load(x + at + step, mask=inside, other=0.0), tl.load(w + at + step, mask=inside, other=0.0), total)
    total = total - tl.max(total, axis=1)[:, None]
    total = tl.exp(total) / tl.sum(tl.exp(total), axis=1)[:, None]
    tl.store(o + at, tl.sigmoid(total).to(tl.float16), mask=rows[:, None] < n)


def compile_dummy(arch: str) -> None:
    """arch: as Context.arch, 90 where it is empty."""
    capability = int(re.sub(r"\D", "", arch) or 90)
    source = ASTSource(_dummy, {"x": "*fp16", "w": "*fp16", "o": "*fp16", "n": "i32", "BLOCK": "constexpr"}, {(4,): 64})
    with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
        knobs.cache.dir = folder
        triton.compile(source, target=GPUTarget("cuda", capability, 32))
    gc.collect()
