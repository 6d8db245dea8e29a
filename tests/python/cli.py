"""The binary as the tests run it, and submissions that several of them use."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("KGYM", "")
LIMIT_S = 120

needs_binary = pytest.mark.skipif(not Path(BINARY).is_file(), reason="KGYM does not name the kgym binary")

# One argument in, one out: `{body}` sets y[0] to y[n - 1] from x.
TEMPLATE = '''\
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = 'extern "C" void kernel(const float* x, float* y, long n) {{ for (long i = 0; i < n; ++i) {{ {body} }} }}'
LIBRARY = ctypes.CDLL(load_inline("kernel", SOURCE, is_python_module=False, no_implicit_headers=True))
LIBRARY.kernel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.kernel(x.data_ptr(), y.data_ptr(), x.numel())
        return y
'''
RELU = TEMPLATE.format(body="y[i] = x[i] > 0 ? x[i] : 0;")
WRONG_RELU = TEMPLATE.format(body="y[i] = x[i] > 0 ? x[i] : 0.1f;")
TORCH_RELU = "from torch import nn\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        return x.relu()\n"
PROBLEM = (
    "import torch\nfrom torch import nn\n\nrows = 64\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
    "        return x.relu()\n\n\ndef get_inputs():\n    return [torch.randn(rows, 256)]\n\n\ndef get_init_inputs():\n    return []\n"
)


@dataclass
class Ended:
    """What one run of kgym said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON object on standard output."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def kgym(*arguments: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> Ended:
    """Runs kgym in the project's folder, without a terminal."""
    ended = subprocess.run(
        [Path(BINARY).resolve(), *map(str, arguments)],
        cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False,
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
