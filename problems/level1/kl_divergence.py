"""Kullback-Leibler divergence, for each row, of the distribution of one matrix of logits from that of another."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 128, "cols": 1024}}
META = {"reduces": "cols", "tags": ["loss", "reduction", "fusion"]}


class Model(nn.Module):
    def forward(self, p_logits: torch.Tensor, q_logits: torch.Tensor) -> torch.Tensor:
        log_p = torch.log_softmax(p_logits, dim=1)
        log_q = torch.log_softmax(q_logits, dim=1)
        return (log_p.exp() * (log_p - log_q)).sum(dim=1)


def get_inputs():
    # Rows differ in spread: of plain randn all rows would have nearly the same answer.
    spread = 0.5 + 2 * torch.rand(rows, 1)
    return [spread * torch.randn(rows, cols), spread * torch.randn(rows, cols)]


def get_init_inputs():
    return []
