"""Descriptions of outputs as a hostile candidate writes them: a right one, changed at random, many times over.

Whatever is described, the reference host finds it equal, finds it different, or fails the candidate for it ("shape"): any other exception would end the
host, and the judge would take the candidate's lie for a fault of its own. Seeded, so that what fails once fails again.
"""
from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
import stand_ins
from kgym_runner.tree import encode
from kgym_runner.wire import Failure

SMALL = [0, 1, -1, 2, 7, 8, 63, 64, 65, 512, 1 << 31, 1 << 32, 1 << 61, (1 << 62) - 1, 1 << 62, 1 << 63, 1 << 64, -(1 << 63)]
SCALARS = [*SMALL, 1e308, 1.5, float(1 << 70), True, False, None, "7", "", "0x1p1023", "0x1.fffffffffffffp+1023", "-0x1p1024", "nan", "inf", "-inf", "9" * 4300,
           "9" * 4301, "1_0", " 7 ", "\N{ARABIC-INDIC DIGIT THREE}", "a" * 5000]
KINDS = ["tensor", "list", "tuple", "dict", "int", "float", "complex", "bool", "str", "none", None, 3]
DTYPES = ["float32", "float64", "bool", "complex128", "int64", "uint8", "float8_e4m3fn", "uint64", "float16", "no dtype", "Tensor", 7]
FIELDS = ["t", "v", "k", "off", "shape", "strides", "dtype"]

PROBLEMS = {
    "tensor": ("return torch.relu(x)", {}),
    "nested": ("return {'a': torch.relu(x), 'b': [x.sum(dim=1), 3, (2.5, 'text', None, True)], 'c': complex(1e308, -1e308), 'd': x > 0}", {}),
    "dtypes": ("return [x.to(torch.complex64), (1000 * x).to(torch.int64), x.double(), x.half(), x[:0]]", {}),
    "scalars": ("return [float(x.shape[0]), 7, complex(0, 1e300), 'text', 1e308]", {}),
}


def parts(tree: Any) -> list[Any]:
    """Every list and dict in a tree, itself too."""
    inside = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return ([tree] if isinstance(tree, (dict, list)) else []) + [p for v in inside for p in parts(v)]


def something(tree: Any, rng: random.Random) -> Any:
    """A number or text that means trouble, or a piece of the tree itself."""
    return copy.deepcopy(rng.choice(parts(tree))) if rng.random() < 0.3 else rng.choice(SCALARS)


def change(part: Any, tree: Any, rng: random.Random) -> None:
    if isinstance(part, list):
        at = rng.randrange(len(part) + 1)
        how = rng.random()
        if at < len(part) and how < 0.3:
            del part[at]
        elif at < len(part) and how < 0.6:
            part[at] = something(tree, rng)
        else:
            part.insert(at, something(tree, rng))
        return
    key = rng.choice([*part, *FIELDS])
    if rng.random() < 0.2:
        part.pop(key, None)
    elif key in ("shape", "strides") and rng.random() < 0.7:
        part[key] = [rng.choice(SMALL) for _ in range(rng.choice([0, 1, 2, 3, 5, 64, 65]))]
    elif key == "t":
        part[key] = rng.choice(KINDS)
    elif key == "dtype":
        part[key] = rng.choice(DTYPES)
    else:
        part[key] = something(tree, rng)


def mutated(tree: Any, rng: random.Random) -> Any:
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        change(rng.choice(parts(tree)), tree, rng)
        if len(json.dumps(tree)) > 100_000:
            break
    return tree


class Hostile:
    """A candidate that writes right outputs and describes them as it likes."""

    def __init__(self, forward: str, **message: Any):
        self.exchange = stand_ins.Exchange(stand_ins.problem_source(forward), **message)
        self.exchange.fill(0)
        self.exchange.fill(1, seed=2)
        self.right = [self.described(slot) for slot in (0, 1)]

    def described(self, slot: int) -> Any:
        evaluation = self.exchange.reference.evaluation
        place = evaluation.slots[slot]
        return json.loads(json.dumps(encode(self.exchange.expected(slot), evaluation.arena.writer(place.outputs_at, place.end), exact=True)))

    def says(self, tree: Any) -> str:
        """What comes of a description: the kind of a difference, or of a failure that the candidate gets."""
        try:
            reply = self.exchange.check_tree(tree)
        except Failure as failure:
            return "failed " + failure.kind
        json.dumps(reply, allow_nan=True)
        return reply["difference"]["kind"]


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_description_of_outputs_ends_the_reference_host(name: str) -> None:
    forward, message = PROBLEMS[name]
    hostile, rng = Hostile(forward, **message), random.Random(name)
    outcomes = {hostile.says(mutated(hostile.right[0], rng)) for _ in range(600)}
    assert outcomes <= {"", "shape", "dtype", "numerical", "nan", "failed shape"} and len(outcomes) > 1, outcomes
    assert hostile.says(hostile.right[0]) == "", "it answers as before"


@pytest.mark.parametrize("name", ["tensor", "nested"])
def test_no_description_of_another_call_ends_the_reference_host(name: str) -> None:
    forward, message = PROBLEMS[name]
    hostile, rng = Hostile(forward, **message), random.Random(name)
    for _ in range(200):
        others = [{"slot": 1, "outputs": mutated(hostile.right[1], rng)}]
        reply = hostile.exchange.reference.op_alike({"slot": 0, "outputs": hostile.right[0], "others": others}, [])
        assert reply["alike"] == []


@pytest.mark.parametrize("node", [
    {"shape": [0, (1 << 62) - 1, (1 << 62) - 1]}, {"shape": [(1 << 62) - 1] * 64}, {"shape": [0] * 64}, {"shape": [1] * 64}, {"shape": [1] * 65}, {"off": -64},
    {"off": 1 << 62}, {"off": 1 << 70}, {"off": 1.0}, {"off": True}, {"strides": [1 << 63, -1]}, {"strides": None}, {"dtype": "float8_e5m2"}], ids=str)
def test_a_tensor_in_any_disguise_is_only_a_wrong_answer(node: dict[str, Any]) -> None:
    hostile = Hostile(PROBLEMS["tensor"][0])
    assert hostile.says({**hostile.right[0], **node}) in ("shape", "dtype", "failed shape") or "shape" not in node and "dtype" not in node
    assert hostile.says(hostile.right[0]) == ""


@pytest.mark.parametrize("tree", [{"t": "complex", "v": ["0x1.fffffffffffffp+1023", "-0x1.fffffffffffffp+1023"]}, {"t": "complex", "v": ["0x1.8p+1023", "-0x1.8p+1023"]},
                                  {"t": "complex", "v": ["nan", "inf"]}, {"t": "int", "v": "9" * 4300}, {"t": "str", "v": "\udfff" * 9}, {"t": "float", "v": "inf"}], ids=str)
def test_a_number_at_the_edge_is_only_a_wrong_answer(tree: dict[str, Any]) -> None:
    hostile = Hostile(PROBLEMS["scalars"][0])
    for place in range(5):
        outputs = copy.deepcopy(hostile.right[0])
        outputs["v"][place] = tree
        assert hostile.says(outputs) in ("numerical", "shape", "failed shape")
