"""Where the content of each storage came from, during one observed call on a CPU.

The dispatcher tells which framework operator wrote a storage; a checksum before each use tells whether something else wrote it since: own native code,
a Triton kernel, numpy. Kinds of content:
  own         written, at least in part, by code that is no framework operator, or computed by an operator from such content
  framework   computed by framework operators from inputs and weights alone
  input       the call's inputs, or moved from them without computing
  held        alive before the call: weights, buffers, caches
  constant    made by operators from no tensor at all
  literal     a few numbers that Python code made; an output that is one counts as own
  unwritten   allocated and never written: the allocation is filled with a random byte, so that every write shows

Used by one thread. Nothing here runs an operator but `digest`.
"""
from __future__ import annotations

import gc
import os
from dataclasses import dataclass
from typing import Any, Iterable

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from . import device

# Operators that allocate: their content is whatever was there.
ALLOCATIONS = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize", "resize_as"}
# Operators that copy elements as they stand, or only change their type: no computing.
MOVES = {"clone", "copy", "_to_copy", "contiguous", "_copy_from", "view_copy", "expand_copy", "permute_copy", "transpose_copy", "t_copy",
         "slice_copy", "select_copy", "detach_copy", "alias_copy", "as_strided_copy", "squeeze_copy", "unsqueeze_copy", "lift_fresh_copy",
         "_pin_memory", "copy_sparse_to_sparse", "_reshape_copy"}
# Operators that fill from nothing but numbers.
CONSTANTS = {"zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "new_zeros", "new_ones", "new_full", "zero", "fill", "arange", "eye",
             "linspace", "logspace", "scalar_tensor", "tril_indices", "triu_indices", "_efficientzerotensor", "range"}
# Operators by which data that Python or numpy made enters (torch.tensor, torch.from_numpy).
LIFTS = {"lift", "lift_fresh"}
_LITERAL = 4096  # Bytes up to which such data counts as numbers in the source: what is computed from it is not own work for that.
# Operators that read or re-shape a tensor and write no content.
READS = {"_local_scalar_dense", "item", "is_nonzero", "equal", "set", "detach", "alias", "is_same_size", "sym_size", "sym_stride", "sym_numel",
         "sym_storage_offset", "_has_same_storage_numel"}


def role(name: str, is_view: bool) -> str:
    """allocate, move, constant, lift, read or compute: what an operator of this name (no namespace, no overload, no trailing _) does."""
    if name in ALLOCATIONS:
        return "allocate"
    if name in MOVES:
        return "move"
    if name in CONSTANTS:
        return "constant"
    if name in LIFTS:
        return "lift"
    return "read" if name in READS or is_view else "compute"


def is_view(schema: Any) -> bool:
    """Whether every result of an operator aliases an argument that it does not write."""
    infos = [r.alias_info for r in schema.returns]
    return bool(infos) and all(info is not None and not info.is_write for info in infos)


@dataclass
class Content:
    """One storage. direct: own code wrote it itself. passed: it was an argument of an own call."""
    alive: StorageWeakRef
    kinds: set[str]
    checksum: int
    direct: bool = False
    passed: bool = False

    @property
    def kind(self) -> str:
        found = next((k for k in ("own", "framework", "input", "held", "literal", "constant") if k in self.kinds), "unwritten")
        return "own" if found == "literal" else found


def storage_of(tensor: torch.Tensor) -> Any | None:
    """The storage, or None for tensors that have none to look at (sparse, another device, an opaque backend)."""
    try:
        storage = tensor.untyped_storage()
        return storage if storage.device.type in ("cpu", "cuda") else None
    except (NotImplementedError, RuntimeError):
        return None


def checksum(storage: Any) -> int:
    return device.checksum(storage.device.type, storage.data_ptr(), storage.nbytes())


def digest(tensor: torch.Tensor) -> tuple[int, int, str] | None:
    """Elements in logical order, or None where equal content would mean little: integers, very few elements."""
    if storage_of(tensor) is None or not tensor.is_floating_point() or tensor.numel() < 4:
        return None
    tensor = tensor.detach().contiguous()
    return device.checksum(tensor.device.type, tensor.data_ptr(), tensor.numel() * tensor.element_size()), tensor.numel(), str(tensor.dtype)


def uniform(tensor: torch.Tensor) -> bool:
    """Whether all elements are the same. On a GPU by checksums where that can be: the first use of an operator there loads its module, for 15 ms."""
    tensor = tensor.detach()
    size, address = tensor.element_size(), tensor.data_ptr()
    total = tensor.numel() * size
    if tensor.device.type == "cpu" or not tensor.is_contiguous() or 8 % size or address % 8 or total < 16:
        return bool((tensor == tensor.reshape(-1)[0]).all())
    first = tensor.reshape(-1)[:8 // size].cpu()
    if not bool((first == first[0]).all()):
        return False
    # What is the same as itself moved by eight bytes repeats those.
    return device.checksum("cuda", address, total - 8) == device.checksum("cuda", address + 8, total - 8)


def covers(tensor: torch.Tensor, storage: Any) -> bool:
    return tensor.numel() * tensor.element_size() == storage.nbytes()


def live_tensors() -> list[torch.Tensor]:
    """All that Python holds. A tensor that was alive when the zygote froze its objects (gc.freeze) is not among them."""
    kinds: set[type] = set()
    waiting: list[type] = [torch.Tensor]
    while waiting:
        kind = waiting.pop()
        kinds.add(kind)
        waiting += type.__subclasses__(kind)
    return [o for o in gc.get_objects() if type(o) in kinds]


class Storages:
    """Every storage met in the call."""

    def __init__(self, inputs: Iterable[torch.Tensor]):
        self._contents: dict[int, Content] = {}
        self._fill = os.urandom(1)[0] | 1
        for tensor in inputs:
            self._enter(tensor, {"input"})
        for tensor in live_tensors():
            self._enter(tensor, {"held"})

    def _enter(self, tensor: torch.Tensor, kinds: set[str]) -> None:
        storage = storage_of(tensor)
        if storage is not None and storage._cdata not in self._contents:
            self._contents[storage._cdata] = self._new(storage, kinds)

    def _new(self, storage: Any, kinds: set[str]) -> Content:
        return Content(StorageWeakRef(storage), set(kinds), checksum(storage))

    def look(self, tensor: torch.Tensor, argument: bool = False) -> Content | None:
        """The content of a tensor's storage as it is now. A storage that no operator made, or content that none wrote, is own.

        argument: it is an operator's argument, where an unknown storage of one number is a number that torch boxed itself.
        """
        storage = storage_of(tensor)
        if storage is None:
            return None
        content = self._contents.get(storage._cdata)
        if content is None or content.alive.expired():
            boxed = argument and tensor.dim() == 0 and storage.nbytes() <= 16
            content = self._contents[storage._cdata] = self._new(storage, {"constant"} if boxed else {"own"})
            content.direct = not boxed
            return content
        now = checksum(storage)
        if now != content.checksum:
            content.checksum, content.direct = now, True
            content.kinds.add("own")
        return content

    def lifted(self, tensor: torch.Tensor, read: set[str]) -> None:
        """Data from outside the dispatcher became a tensor. read: kinds of content that operators have handed to Python as numbers before."""
        storage = storage_of(tensor)
        if storage is None or (known := self._contents.get(storage._cdata)) and not known.alive.expired():
            return
        kinds = read & {"own", "framework"} or {"literal"} if storage.nbytes() <= _LITERAL else {"own"}
        self._contents[storage._cdata] = self._new(storage, kinds)

    def wrote(self, tensor: torch.Tensor, kinds: set[str]) -> None:
        """An operator left content of these kinds in a tensor; the rest of a larger storage stays what it was."""
        storage = storage_of(tensor)
        if storage is None:
            return
        content = self._contents.get(storage._cdata)
        if content is None or content.alive.expired():
            self._contents[storage._cdata] = self._new(storage, kinds)
            return
        if covers(tensor, storage):
            content.kinds, content.direct = set(kinds), False
        else:
            content.kinds |= kinds
        content.checksum = checksum(storage)

    def allocated(self, tensor: torch.Tensor) -> None:
        """An operator allocated a tensor: fill it, so that a write shows. The content of a fresh allocation is nobody's to rely on."""
        storage = storage_of(tensor)
        if storage is None:
            return
        if storage.nbytes():
            device.fill(storage.device.type, storage.data_ptr(), storage.nbytes(), self._fill)
        self._contents[storage._cdata] = self._new(storage, set())
