"""The golden vectors: the files are what their generator says, and the gradients in them are those that torch finds."""
from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any, Iterator

import pytest
import torch

FOLDER = Path(__file__).parents[1] / "golden"


def load_generator() -> Any:
    spec = importlib.util.spec_from_file_location("make_golden", FOLDER / "make_golden.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_golden = load_generator()
LOW, HIGH, DUAL, BETA, CAP = 0.2, 0.28, 3.0, 0.05, 2.0


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"]


def differences(got: Any, expected: Any) -> float:
    """The largest difference of numbers; infinite where the structures differ."""
    if isinstance(expected, dict):
        return max((differences(got[key], expected[key]) for key in expected), default=0.0) if got.keys() == expected.keys() else float("inf")
    if isinstance(expected, list):
        return max((differences(a, b) for a, b in zip(got, expected)), default=0.0) if len(got) == len(expected) else float("inf")
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        return abs(got - expected)
    return 0.0 if got == expected else float("inf")


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.json")))
def test_files_are_what_their_generator_says(name: str) -> None:
    written = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    assert differences(make_golden.documents()[name], written) < 1e-12, "run tests/golden/make_golden.py"


def token_losses(objective: str, log_probs: torch.Tensor, old: torch.Tensor, advantages: torch.Tensor, rows: list[list[int]]) -> torch.Tensor:
    """The losses of all tokens as torch would be told them, with detach() for what is held fixed."""
    difference = log_probs - old
    if objective == "gspo":
        shared = difference.clone()
        for row in rows:
            if row:
                shared[row] = difference[row].mean()
        difference = shared
    ratio = difference.exp()
    if objective in ("ppo-clip", "gspo"):
        loss = torch.maximum(-advantages * ratio, -advantages * ratio.clamp(1 - LOW, 1 + HIGH))
        return torch.where(advantages < 0, torch.minimum(loss, -advantages * DUAL), loss)
    if objective == "cispo":
        return -ratio.clamp(1 - LOW, 1 + HIGH).detach() * advantages * log_probs
    if objective == "importance-sampling":
        return -ratio * advantages
    if objective == "dro":
        return -(advantages * log_probs - BETA / 2 * difference**2)
    if objective == "cross-entropy":
        return -advantages * log_probs
    weight = ratio.clamp(max=CAP)
    return -(weight if objective.endswith("through-weight") else weight.detach()) * advantages * log_probs


@pytest.fixture
def gradients() -> Iterator[None]:
    """Other tests of the process switch them off, as a host does."""
    with torch.enable_grad():
        yield


@pytest.mark.parametrize("case", cases("losses.json"), ids=lambda case: case["name"])
@pytest.mark.usefixtures("gradients")
def test_policy_gradients_are_those_of_autograd(case: dict[str, Any]) -> None:
    inputs, options = case["inputs"], case["options"]
    log_probs, old, advantages, weights = (
        torch.tensor(inputs[name], dtype=torch.float64) for name in ("log_probs", "old_log_probs", "advantages", "weights"))
    log_probs.requires_grad_()
    offsets, mask = inputs["offsets"], inputs["mask"]
    rows = [[i for i in range(begin, end) if mask[i]] for begin, end in zip(offsets, offsets[1:])]
    losses = weights * token_losses(options["objective"], log_probs, old, advantages, rows)
    row_weights = make_golden.row_weights(inputs, options["mode"], options["scale"], options["max_length"])
    loss = torch.stack([weight * losses[row].sum() for weight, row in zip(row_weights, rows)]).sum()
    loss.backward()
    assert abs(loss.item() - case["output"]["loss"]) < 1e-10
    assert log_probs.grad is not None
    assert (log_probs.grad - torch.tensor(case["output"]["gradient"], dtype=torch.float64)).abs().max().item() < 1e-10
