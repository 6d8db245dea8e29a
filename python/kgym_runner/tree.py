"""Values on the wire: nested outputs and inputs as a *tree* of JSON, tensors as places in an arena.

An arena is a shared, sealed mapping. `Arena.store` copies a tensor's elements into it, row-major and contiguous, whatever the tensor's strides were;
`Arena.view` gives a tensor over the same bytes. Offsets and sizes are bytes; every tensor starts at a multiple of 64.
Both ends use this file, but the reference host believes nothing that a candidate says: it lays out what it expects itself (`plan`).
"""
from __future__ import annotations

import math
import mmap
from typing import Any, Callable, Iterator

import torch

from .wire import clip

ALIGN = 64
_DTYPES = {str(d).removeprefix("torch."): d for d in (
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool)}
_DTYPES.update({name: getattr(torch, name) for name in ("float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64") if hasattr(torch, name)})
_NAMES = {d: n for n, d in _DTYPES.items()}
_TENSOR, _PARAMETER = torch.Tensor, torch.nn.Parameter  # As they were before a submission could put others in their places.
_WIDEST = 1024  # Bits of an int.
_MOST_DIMENSIONS = 64
_DEEPEST = 32  # Levels of nesting; a value that holds itself ends here too.


class Unsupported(Exception):
    """A value that cannot travel: its type, and where in the nesting it stands."""

    def __init__(self, where: str, what: str, lazy: bool = False):
        super().__init__("%s is %s; a tensor, number, string, None or a list, tuple or dict of these is expected" % (clip(where, 300), clip(what, 300)))
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
        values = [rebuild(v, tensor) for v in value]
        return tuple(values) if type(value) is tuple else values  # A named tuple's class may take its elements in another way.
    if isinstance(value, dict):
        return {k: rebuild(v, tensor) for k, v in value.items()}
    return value


def encode(value: Any, place: Callable[[torch.Tensor], int], where: str = "the output", exact: bool = False, depth: int = 0) -> dict[str, Any]:
    """The tree of a value; `place` stores a tensor and tells its offset.

    exact: refuse subclasses of tensors and containers, and tensors that carry attributes of their own: they can compute later what they did not
    compute in time. Raises Unsupported.
    """
    kind = type(value)
    if depth > _DEEPEST:
        raise Unsupported(where, "nested more than %d deep" % _DEEPEST)
    if kind is _TENSOR or kind is _PARAMETER or (isinstance(value, _TENSOR) and not exact):
        if exact and value.__dict__:
            raise Unsupported(where, "a tensor with attributes of its own (%s)" % ", ".join(sorted(value.__dict__))[:80], lazy=True)
        if value.layout is not torch.strided or value.device.type == "meta" or value.is_quantized:
            raise Unsupported(where, "a %s tensor on %s" % (value.layout, value.device))
        if value.dtype not in _NAMES:
            raise Unsupported(where, "a tensor of %s" % value.dtype)
        return {"t": "tensor", "dtype": _NAMES[value.dtype], "shape": list(value.shape), "strides": list(value.stride()), "off": place(value)}
    if kind is list or kind is tuple or (isinstance(value, (list, tuple)) and not exact):
        return {"t": "tuple" if isinstance(value, tuple) else "list", "v": [encode(v, place, "%s[%d]" % (where, i), exact, depth + 1) for i, v in enumerate(value)]}
    if kind is dict or (isinstance(value, dict) and not exact):
        if odd := [type(k).__name__ for k in value if type(k) is not str]:
            raise Unsupported(where, "a dict with a key that is a %s and not a string" % odd[0])
        return {"t": "dict", "k": list(map(_utf8, value)), "v": [encode(v, place, "%s[%r]" % (where, k), exact, depth + 1) for k, v in value.items()]}
    if kind is bool:
        return {"t": "bool", "v": value}
    if kind is int:
        if value.bit_length() > _WIDEST:
            raise Unsupported(where, "an int of %d bits" % value.bit_length())
        return {"t": "int", "v": str(value)}
    if kind is float:
        return {"t": "float", "v": value.hex()}
    if kind is complex:
        return {"t": "complex", "v": [value.real.hex(), value.imag.hex()]}
    if kind is str:
        return {"t": "str", "v": _utf8(value[:4096])}
    if value is None:
        return {"t": "none"}
    raise Unsupported(where, "a %s" % kind.__name__, lazy=isinstance(value, (_TENSOR, list, tuple, dict)))


def _utf8(text: str) -> str:
    """The text without what UTF-8 does not have (lone surrogates)."""
    return text.encode("utf-8", "backslashreplace").decode()


def decode(tree: Any, tensor: Callable[[dict[str, Any]], torch.Tensor]) -> Any:
    """The value of a tree; `tensor` makes a tensor of its node. Raises ValueError for what is no tree, whatever JSON it is."""
    kind, v = (tree.get("t"), tree.get("v")) if isinstance(tree, dict) else (None, None)
    if kind == "tensor":
        return tensor(tree)
    if kind in ("list", "tuple") and isinstance(v, list):
        values = [decode(x, tensor) for x in v]
        return values if kind == "list" else tuple(values)
    if kind == "dict" and isinstance(v, list):
        keys = tree.get("k")
        if not isinstance(keys, list) or not all(isinstance(k, str) for k in keys) or not len(set(keys)) == len(keys) == len(v):
            raise ValueError("a dict needs as many different keys as it has values")
        return dict(zip(keys, [decode(x, tensor) for x in v]))
    if kind == "complex" and isinstance(v, list) and len(v) == 2:
        return complex(_float(v[0]), _float(v[1]))
    if kind == "float":
        return _float(v)
    if kind == "int" and isinstance(v, str):
        return int(v)
    if (kind == "bool" and isinstance(v, bool)) or (kind == "str" and isinstance(v, str)) or (kind == "none" and v is None):
        return v
    raise ValueError("not the description of a value: %s" % clip(repr(tree), 200))


def _float(text: Any) -> float:
    try:
        return float.fromhex(text)
    except (TypeError, OverflowError):
        raise ValueError("not a float: %s" % clip(repr(text), 200)) from None


class Arena:
    """A shared mapping of `length` bytes over a memfd, its pages present from the start, so that no timed call pays for them. It lives as long as any
    tensor over it."""

    def __init__(self, fd: int, length: int):
        self.length = length
        self._map = mmap.mmap(fd, length, mmap.MAP_SHARED | mmap.MAP_POPULATE, mmap.PROT_READ | mmap.PROT_WRITE)
        self.bytes = torch.frombuffer(self._map, dtype=torch.uint8)

    @classmethod
    def over(cls, area: torch.Tensor) -> "Arena":
        """An arena over private bytes (uint8, one-dimensional)."""
        arena = cls.__new__(cls)
        arena.bytes, arena.length = area, area.numel()
        return arena

    def view(self, node: dict[str, Any]) -> torch.Tensor:
        """A tensor over the bytes of a tensor node, contiguous. Raises ValueError for a node that is none or does not fit the arena."""
        name, shape, offset = node.get("dtype"), node.get("shape"), node.get("off")
        if not isinstance(name, str) or name not in _DTYPES:
            raise ValueError("unknown dtype %s" % clip(repr(name), 200))
        if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS or not all(type(n) is int and 0 <= n < 1 << 62 for n in [*shape, offset]):
            raise ValueError("no shape and offset: %s, %s" % (clip(repr(shape), 200), clip(repr(offset), 200)))
        dtype = _DTYPES[name]
        length = math.prod(shape) * dtype.itemsize
        if offset % ALIGN or offset + length > self.length:
            raise ValueError("a tensor of %d bytes at %d does not fit an arena of %d" % (length, offset, self.length))
        if not length:
            return torch.empty(shape, dtype=dtype, device=self.bytes.device)
        return self.bytes[offset:offset + length].view(dtype).view(shape)

    def read(self, tree: dict[str, Any]) -> Any:
        return decode(tree, self.view)

    def store(self, tensor: torch.Tensor, offset: int) -> None:
        """Copy the elements of a tensor into the arena. Conjugate and negative views are resolved by the copy.

        Raises Unsupported for a tensor on another device: a copy across would hide that an answer was made elsewhere.
        """
        if tensor.device.type != self.bytes.device.type:
            raise Unsupported("the output", "a tensor on %s" % tensor.device.type)
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
