"""Values on the wire: every dtype, layout and shape class through encode, store and read; what must be refused; JSON that is no tree."""
from __future__ import annotations

import collections
import json
import math
import os
import random
from typing import Any

import pytest
import torch

import stand_ins
from kgym_runner.compare import equal_bits
from kgym_runner.tree import _DTYPES, ALIGN, Arena, Unsupported, decode, encode, leaves, plan, rebuild, size

DTYPES = list(_DTYPES.values())


def through(value: Any, exact: bool = True) -> Any:
    arena = stand_ins.arena()
    tree = json.loads(json.dumps(encode(value, arena.writer(0, arena.length), exact=exact), allow_nan=False))
    return arena.read(tree)


def some(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    count = math.prod(shape)
    if dtype.is_complex:
        return torch.complex(torch.arange(count, dtype=torch.float64), -torch.arange(count, dtype=torch.float64)).to(dtype).reshape(shape)
    return (torch.arange(count) % (2 if dtype is torch.bool else 7)).to(torch.float32).to(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (5,), (2, 3, 4), (1, 1, 1, 1, 1, 7)], ids=str)
def test_every_dtype_and_shape(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = some(dtype, *shape)
    back = through(tensor)
    assert back.dtype == dtype and back.shape == tensor.shape and equal_bits(back, tensor)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_layout(dtype: torch.dtype) -> None:
    base = some(dtype, 4, 6)
    for view in (base.t(), base[:, ::2], base[1:, 1:3], base[:1].expand(5, 6), base[0, 0].expand(3), base.reshape(-1).as_strided((3, 3), (1, 1))):
        back = through(view)
        assert back.is_contiguous() and equal_bits(back, view.contiguous())


def test_conjugate_and_negative_views_arrive_resolved() -> None:
    z = some(torch.complex64, 3, 4) + 1j
    for view in (z.conj(), z.conj().t(), z.conj().imag, z.imag, z.mH):
        assert torch.equal(through(view), view.clone())
    assert equal_bits(z.conj(), z.conj().resolve_conj())


@pytest.mark.parametrize("value", [0, -7, 2**80, True, False, None, "", "text \N{SNOWMAN}", 0.1, -0.0, 5e-324, math.inf, -math.inf, 1 + 2j, complex(0.0, math.inf)], ids=repr)
def test_plain_values(value: Any) -> None:
    back = through(value)
    assert type(back) is type(value) and repr(back) == repr(value)


def test_nan_and_surrogates() -> None:
    assert math.isnan(through(math.nan)) and math.isnan(through(complex(math.nan, 0)).real)
    assert through("\ud800") == "\\ud800" and list(through({"\ud800": 1})) == ["\\ud800"]


def test_nesting_and_dict_order() -> None:
    value = {"b": [torch.ones(2), (1, None, [])], "a": {"x": torch.zeros(()), "": ()}}
    back = through(value)
    assert list(back) == ["b", "a"] and type(back["b"][1]) is tuple and back["b"][1] == (1, None, [])
    assert torch.equal(back["b"][0], torch.ones(2)) and back["a"][""] == ()


def test_plan_is_what_a_writer_does() -> None:
    value = [torch.ones(3), {"k": torch.ones(5, dtype=torch.float64)}, (torch.empty(0), torch.ones(()))]
    arena = stand_ins.arena()
    assert plan(value, 128) == encode(value, arena.writer(128, arena.length))
    assert size(value) % ALIGN == 0 and size(value) >= sum(t.numel() * t.element_size() for t in leaves(value))
    assert all(node["off"] % ALIGN == 0 for node in (plan(value, 0)["v"][0], plan(value, 0)["v"][2]["v"][1]))


@pytest.mark.parametrize("limit", range(0, 200, 37))
def test_a_writer_never_leaves_its_area(limit: int) -> None:
    arena = stand_ins.arena(512)
    arena.bytes.fill_(9)
    with pytest.raises(OverflowError):
        encode([torch.zeros(10), torch.zeros(40)], arena.writer(64, 64 + limit))
    assert bool((arena.bytes[:64] == 9).all()) and bool((arena.bytes[64 + limit:] == 9).all())


def test_a_shared_arena_is_one_memory() -> None:
    fd = os.memfd_create("arena")
    os.ftruncate(fd, 4096)
    one, other = Arena(fd, 4096), Arena(fd, 4096)
    os.close(fd)
    one.store(torch.arange(5), 64)
    assert other.view({"dtype": "int64", "shape": [5], "off": 64}).tolist() == [0, 1, 2, 3, 4]


class Sub(torch.Tensor):
    pass


class MyList(list):
    pass


class EqualToAll(type):
    """Of classes that say that they are any other."""
    def __eq__(cls, other: object) -> bool:
        return True
    __hash__ = type.__hash__


class AnyList(list, metaclass=EqualToAll):
    pass


Pair = collections.namedtuple("Pair", "x y")


def _lazy_values() -> list[Any]:
    tagged = torch.zeros(2)
    tagged.later = lambda: 1
    return [torch.zeros(2).as_subclass(Sub), tagged, MyList([1]), AnyList([1]), Pair(1, 2), collections.OrderedDict(a=1), [torch.zeros(1), MyList()], {"a": Pair(1, 2)}]


@pytest.mark.parametrize("value", _lazy_values(), ids=lambda v: type(v).__name__)
def test_values_that_could_compute_later_are_lazy(value: Any) -> None:
    with pytest.raises(Unsupported) as error:
        through(value)
    assert error.value.lazy


def test_a_class_put_in_the_place_of_a_known_one_is_lazy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.nn, "Parameter", Sub)
    with pytest.raises(Unsupported) as error:
        through(torch.zeros(2).as_subclass(Sub))
    assert error.value.lazy


def test_a_parameter_is_a_tensor_and_the_reference_may_return_subclasses() -> None:
    assert torch.equal(through(torch.nn.Parameter(torch.ones(2))), torch.ones(2))
    assert through([Pair(1, torch.ones(2).as_subclass(Sub))], exact=False)[0][0] == 1
    assert rebuild(Pair(torch.ones(1), 2), lambda t: t + 1)[1] == 2


@pytest.mark.parametrize("value", [object(), {1}, lambda: 0, torch.float32, {1: 2}, {None: 1}, [{("a",): 1}], 1 << 5000, b"x", range(3), torch.zeros(2).to_sparse(),
                                   torch.empty(2, device="meta")], ids=lambda v: type(v).__name__)
def test_unsupported(value: Any) -> None:
    with pytest.raises(Unsupported) as error:
        through([value])
    assert not error.value.lazy and str(error.value).startswith("the output[0]") and len(str(error.value)) < 1000


def test_a_value_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(Unsupported, match="deep"):
        through(loop)
    deep: Any = torch.ones(1)
    for _ in range(32):
        deep = [deep]
    assert next(leaves(through(deep))) == 1


def garbage(rng: random.Random, depth: int = 3) -> Any:
    """JSON in which every part of a tree occurs, mostly in the wrong place."""
    plain = [None, True, 0, -1, 1.5, 1 << 70, "", "7", "0x1p9999", "nan", "float32", "float64", "no dtype", [], {}, [0, 1 << 40], [-1], [2, "2"], [True], [[1]], [1] * 80, 64, 1e300]
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(plain)
    if rng.random() < 0.2:
        return [garbage(rng, depth - 1) for _ in range(rng.randrange(3))]
    kind = rng.choice(["tensor", "list", "tuple", "dict", "int", "float", "complex", "bool", "str", "none", "else", None, 3, []])
    node = {"t": kind, "v": rng.choice([garbage(rng, depth - 1), [garbage(rng, depth - 1)], [garbage(rng, 0), garbage(rng, 0)]])}
    for key in ("dtype", "shape", "strides", "off", "k"):
        if rng.random() < 0.7:
            node[key] = rng.choice(plain + [["a"], ["a", "a"], [0], [3]])
    if rng.random() < 0.5:
        node.update(dtype="float32", off=0)
    return node


def test_any_json_decodes_or_is_a_value_error() -> None:
    rng, arena, decoded = random.Random(1), stand_ins.arena(256), 0
    for _ in range(20_000):
        tree = garbage(rng)
        try:
            arena.read(tree)
            decoded += 1
        except ValueError:
            pass
    assert 100 < decoded < 19_900


@pytest.mark.parametrize("node", [
    {"dtype": "float32", "shape": [65], "off": 0}, {"dtype": "float32", "shape": [1], "off": 256}, {"dtype": "float32", "shape": [1], "off": -64},
    {"dtype": "float32", "shape": [1], "off": 4}, {"dtype": "float32", "shape": [-1], "off": 0}, {"dtype": "float32", "shape": [-2, -3], "off": 0},
    {"dtype": "float32", "shape": [1 << 61, 8], "off": 0}, {"dtype": "float32", "shape": [True], "off": 0}, {"dtype": "float31", "shape": [], "off": 0}, {}], ids=str)
def test_a_tensor_outside_the_arena_is_refused(node: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        stand_ins.arena(256).view(node)


def test_decode_is_strict_about_kinds() -> None:
    for bad in ({"t": "int", "v": 7}, {"t": "bool", "v": 1}, {"t": "str", "v": 1}, {"t": "none", "v": 0}, {"t": "dict", "k": ["a", "a"], "v": [{"t": "none"}] * 2},
                {"t": "dict", "k": [1], "v": [{"t": "none"}]}, {"t": "dict", "k": [], "v": [{"t": "none"}]}, {"t": "float", "v": "0x1p99999"}, None, 3, []):
        with pytest.raises(ValueError):
            decode(bad, lambda node: torch.zeros(1))
