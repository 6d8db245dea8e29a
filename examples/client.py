#!/usr/bin/env python3
"""Judges one kernel in several variants on a kgym server, and prints how they rank.

    kgym serve                                    # Prints a URL and a token.
    pip install ./python/kgym                     # From a checkout; or set PYTHONPATH where it is installed.
    KGYM_TOKEN=... python examples/client.py --url http://127.0.0.1:8700
"""

from __future__ import annotations

import argparse
import asyncio

from kgym.client import AsyncClient, Client, Evaluation, Submission, TokenBucket

# One argument in, one out, on a CPU lane; {body} sets y[0] to y[n - 1] from x.
TEMPLATE = '''\
import ctypes

import torch
from torch.utils.cpp_extension import load_inline

source = 'extern "C" void relu(const float* x, float* y, long n) {{ {body} }}'
library = ctypes.CDLL(load_inline("relu", source, is_python_module=False, no_implicit_headers=True, extra_cflags=["{flags}"]))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x, y = x.contiguous(), torch.empty_like(x)
        library.relu(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
        return y
'''
LOOP = "for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;"
VARIANTS = {
    "plain": TEMPLATE.format(body=LOOP, flags="-O1"),
    "vectorised": TEMPLATE.format(body=LOOP, flags="-O3"),
    "wrong": TEMPLATE.format(body=LOOP.replace(": 0;", ": 0.1f;"), flags="-O3"),
}
PROBLEM = '''\
"""ReLU of every element."""
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(512, 2048)]


def get_init_inputs():
    return []
'''


def submissions() -> list[Submission]:
    return [{"problem": {"name": "relu", "source": PROBLEM}, "source": source, "backend": "cpp", "name": name, "run": "example"} for name, source in VARIANTS.items()]


def report(evaluations: list[Evaluation]) -> None:
    ranked = sorted(zip(VARIANTS, evaluations, strict=True), key=lambda pair: -(pair[1].speedup or 0.0))
    for name, evaluation in ranked:
        speedup = f"{evaluation.speedup:.2f}x" if evaluation.speedup else "-"
        print(f"{name:12} {evaluation.outcome or evaluation.state:16} {speedup:>7}  {evaluation.reason or ''}")


def judge(url: str | None, token: str | None) -> list[Evaluation]:
    with Client(url, token) as client:
        return client.evaluate_many(submissions(), progress=None)


async def judge_async(url: str | None, token: str | None) -> list[Evaluation]:
    """The same for a trainer that runs on asyncio and may submit fifty a second."""
    async with AsyncClient(url, token, bucket=TokenBucket(rate=50, burst=100)) as client:
        return await client.evaluate_many(submissions(), progress=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--url", help="of the server; KGYM_URL, or http://127.0.0.1:8700")
    parser.add_argument("--token", help="KGYM_TOKEN where it is not given")
    parser.add_argument("--async", action="store_true", dest="asynchronous", help="use the client for coroutines")
    options = parser.parse_args()
    report(asyncio.run(judge_async(options.url, options.token)) if options.asynchronous else judge(options.url, options.token))


if __name__ == "__main__":
    main()
