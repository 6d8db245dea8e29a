import threading

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        lock = threading.Lock()
        lock.acquire()
        with lock:
            return x.clamp(min=0)
