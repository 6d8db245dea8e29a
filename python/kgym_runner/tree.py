"""Values on the wire: nested outputs and inputs as a *tree* of JSON, tensors as places in an arena.

An arena is a shared, sealed mapping. `Arena.store` copies a tensor's elements into it, row-major and contiguous, whatever the tensor's strides were;
`Arena.view` gives a tensor over the same bytes. Offsets and sizes are bytes; every tensor starts at a multiple of 64.
Both ends use this file, but the reference host believes nothing that a candidate says: it lays out what it expects itself (`plan`).
"""
from __future__ import annotations

import mmap
from typing import Any, Callable, Iterator

import torch

ALIGN = 64
_DTYPES = {str(d).removeprefix("torch."): d for d in (
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool)}
_DTYPES.update({name: getattr(torch, name) for name in ("float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64") if hasattr(torch, name)})
_NAMES = {d: n for n, d in _DTYPES.items()}


class Unsupported(Exception):
    """A value that cannot travel: its type, and where in the nesting it stands."""

    def __init__(self, where: str, what: str, lazy: bool = False):
        super().__init__("%s is %s; a tensor, number, string, None or a list, tuple or dict of these is expected" % (where, what))
        self.lazy = lazy


def align(offset: int) -> int:
    return -(-offset // ALIGN) * ALIGN


def nbytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def leaves(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a nested value, in the order in which they are laid out."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from leaves(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from leaves(v)


def size(value: Any) -> int:
    """Bytes that a nested value takes in an arena."""
    return sum(align(nbytes(t)) for t in leaves(value))


def rebuild(value: Any, tensor: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same nesting with each tensor replaced."""
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, (list, tuple)):
        return type(value)(rebuild(v, tensor) for v in value) if type(value) in (list, tuple) else [rebuild(v, tensor) for v in value]
    if isinstance(value, dict):
        return {k: rebuild(v, tensor) for k, v in value.items()}
    return value


def encode(value: Any, place: Callable[[torch.Tensor], int], where: str = "the output", exact: bool = False) -> dict[str, Any]:
    """The tree of a value; `place` stores a tensor and tells its offset.

    exact: refuse subclasses of tensors and containers, and tensors that carry attributes of their own: they can compute later what they did not
    compute in time. Raises Unsupported.
    """
    kind = type(value)
    if kind is torch.Tensor or kind is torch.nn.Parameter or (isinstance(value, torch.Tensor) and not exact):
        if exact and value.__dict__:
            raise Unsupported(where, "a tensor with attributes of its own (%s)" % ", ".join(sorted(value.__dict__))[:80], lazy=True)
        if value.layout is not torch.strided or value.device.type == "meta" or value.is_quantized:
            raise Unsupported(where, "a %s tensor on %s" % (value.layout, value.device))
        if value.dtype not in _NAMES:
            raise Unsupported(where, "a tensor of %s" % value.dtype)
        return {"t": "tensor", "dtype": _NAMES[value.dtype], "shape": list(value.shape), "strides": list(value.stride()), "off": place(value)}
    if kind in (list, tuple) or (isinstance(value, (list, tuple)) and not exact):
        return {"t": "tuple" if isinstance(value, tuple) else "list", "v": [encode(v, place, "%s[%d]" % (where, i), exact) for i, v in enumerate(value)]}
    if kind is dict or (isinstance(value, dict) and not exact):
        return {"t": "dict", "k": [str(k) for k in value], "v": [encode(v, place, "%s[%r]" % (where, k), exact) for k, v in value.items()]}
    if kind is bool:
        return {"t": "bool", "v": value}
    if kind is int:
        return {"t": "int", "v": str(value)}
    if kind is float:
        return {"t": "float", "v": value.hex()}
    if kind is complex:
        return {"t": "complex", "v": [value.real.hex(), value.imag.hex()]}
    if kind is str:
        return {"t": "str", "v": value[:4096]}
    if value is None:
        return {"t": "none"}
    raise Unsupported(where, "a %s" % kind.__name__, lazy=isinstance(value, (torch.Tensor, list, tuple, dict)))


def decode(tree: dict[str, Any], tensor: Callable[[dict[str, Any]], torch.Tensor]) -> Any:
    """The value of a tree; `tensor` makes a tensor of its node. Raises ValueError for a node that is no tree."""
    kind, v = tree.get("t"), tree.get("v")
    if kind == "tensor":
        return tensor(tree)
    if kind == "list":
        return [decode(x, tensor) for x in v]
    if kind == "tuple":
        return tuple(decode(x, tensor) for x in v)
    if kind == "dict":
        return dict(zip(tree["k"], (decode(x, tensor) for x in v)))
    if kind == "complex":
        return complex(float.fromhex(v[0]), float.fromhex(v[1]))
    plain = {"bool": bool, "int": int, "float": lambda s: float.fromhex(s), "str": str, "none": lambda _: None}
    if kind not in plain:
        raise ValueError("unknown kind of value %r" % (kind,))
    return plain[kind](v)


class Arena:
    """A shared mapping of `length` bytes over a memfd. The mapping lives as long as any tensor over it."""

    def __init__(self, fd: int, length: int):
        self.length = length
        self._map = mmap.mmap(fd, length, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        self.bytes = torch.frombuffer(self._map, dtype=torch.uint8)

    @classmethod
    def over(cls, area: torch.Tensor) -> "Arena":
        """An arena over private bytes (uint8, one-dimensional)."""
        arena = cls.__new__(cls)
        arena.bytes, arena.length = area, area.numel()
        return arena

    def view(self, node: dict[str, Any]) -> torch.Tensor:
        """A tensor over the bytes of a tensor node, contiguous. Raises ValueError when the node does not fit the arena."""
        dtype = _DTYPES[node["dtype"]]
        shape, offset = node["shape"], node["off"]
        count = 1
        for n in shape:
            count *= n
        length = count * dtype.itemsize
        if offset < 0 or offset % ALIGN or offset + length > self.length:
            raise ValueError("a tensor of %d bytes at %d does not fit an arena of %d" % (length, offset, self.length))
        return self.bytes[offset:offset + length].view(dtype).view(shape)

    def read(self, tree: dict[str, Any]) -> Any:
        return decode(tree, self.view)

    def store(self, tensor: torch.Tensor, offset: int) -> None:
        """Copy the elements of a tensor into the arena. Conjugate and negative views are resolved by the copy."""
        node = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape), "off": offset}
        self.view(node).copy_(tensor)

    def writer(self, offset: int, limit: int) -> Callable[[torch.Tensor], int]:
        """Places tensors one behind the other in [offset, limit). Raises OverflowError when they do not fit."""
        def place(tensor: torch.Tensor) -> int:
            nonlocal offset
            here, end = offset, offset + nbytes(tensor)
            if end > limit:
                raise OverflowError("%d bytes of output where %d were expected at most" % (end, limit))
            self.store(tensor, here)
            offset = align(end)
            return here
        return place


def plan(value: Any, offset: int) -> dict[str, Any]:
    """The tree of a value as it would be laid out from `offset` on, storing nothing."""
    def place(tensor: torch.Tensor) -> int:
        nonlocal offset
        here = offset
        offset = align(here + nbytes(tensor))
        return here
    return encode(value, place)
