"""Is the answer the submission's own work? Facts about one call on a CPU; the judge decides from them (docs/backends.md has the table).

`observe` runs the call once under a TorchDispatchMode, follows where the content of every output came from (provenance.py), and counts own calls and
framework operators inside and outside them. `reference_ops` counts the operators of the problem's own model in the same way. Give `observe` inputs with
values that the submission has not seen: content that it held before the call is then no answer.

The facts are made inside the candidate's process. Code written to fool the judge can forge them; they are for what models do, not for what an
attacker could. Main thread of a host only, once per call; up to a few times slower than the call, and memory is checksummed, not kept.
"""
from __future__ import annotations

import ctypes
import mmap
import sys
import threading
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, ContextManager

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import device
from .backends.calls import Calls
from .profile import FRAMEWORK, Profile
from .provenance import Content, Storages, covers, digest, is_view, role, storage_of, uniform
from .tree import leaves, rebuild
from .unseen_operators import Trace


_BUILT = "/tmp/artefacts/"  # Where the candidate puts the libraries that a builder made.


@dataclass(frozen=True)
class Baseline:
    """What the process had before the submission was loaded: operator namespaces and executable files mapped."""
    namespaces: frozenset[str]
    mappings: frozenset[str]


@dataclass
class Output:
    """One output tensor.

    kind: own, framework, input, held, constant, unwritten (provenance.py says what they mean), unseen: not by an operator that was seen, while
    others ran unseen, or python: written while no kernel ran, by a submission whose kernels Python calls, so that NumPy is left to have done it. direct: own code wrote the storage itself, not only an ancestor's. passed: the storage was an argument of an own call. equals:
    "framework" or "input" when the elements are bit for bit those of a tensor that framework operators computed from inputs alone, or of an input;
    in the first case `kind` is framework, whoever copied them.
    """
    kind: str
    direct: bool = False
    passed: bool = False
    equals: str | None = None


@dataclass
class Facts:
    """kernels: own functions and kernels defined -> extension, triton or operator. foreign: executable files that came with the submission. launches:
    own calls made. raised: own calls that raised -> the last error. operators: computing framework operators outside own calls; inside: those
    within; plumbing: operators that allocate, move, fill or read, anywhere; unseen: computing operators in other threads or behind a guard, None
    when not watched. profile: what the card did (profile.py), peak_bytes: its memory that the call took at most; None on a CPU. *_ns: time in framework operators outside, in those inside, in own code itself,
    and in framework operators anywhere that touch elements: they compute, move or fill."""
    kernels: dict[str, str] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)
    launches: dict[str, int] = field(default_factory=dict)
    raised: dict[str, str] = field(default_factory=dict)
    operators: dict[str, int] = field(default_factory=dict)
    inside: dict[str, int] = field(default_factory=dict)
    plumbing: dict[str, int] = field(default_factory=dict)
    unseen: dict[str, int] | None = None
    outputs: list[Output] = field(default_factory=list)
    profile: dict[str, Any] | None = None
    peak_bytes: int | None = None
    framework_ns: int = 0
    inside_ns: int = 0
    own_ns: int = 0
    elements_ns: int = 0

    def json(self) -> dict[str, Any]:
        return asdict(self)


def _mappings() -> frozenset[str]:
    """Files mapped executable. Code made in memory is left out: torch's own libraries generate some."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        rows = [line.split(maxsplit=5) for line in maps]
    return frozenset(row[5].strip() for row in rows if len(row) > 5 and "x" in row[1] and row[5].startswith("/"))


def baseline() -> Baseline:
    """Call in a candidate host right before the submission is loaded."""
    return Baseline(frozenset(n.partition("::")[0] for n in torch._C._dispatch_get_all_op_names()), _mappings())


def _foreign(before: Baseline | None) -> list[str]:
    """Executable files that neither the system, nor an installed package, nor torch's own compiler brought."""
    if before is None:
        return []
    ours = ("/usr/", "/lib", "/memfd:", "/dev/", sys.prefix + "/", sys.base_prefix + "/")
    return sorted(path for path in _mappings() - before.mappings if not path.startswith(ours) and "torchinductor" not in path)


class _Brought:
    """Whether the submission has a GPU kernel of a name: launched by a backend that names its kernels, or in a library that was built for it."""

    def __init__(self, calls: Calls, foreign: list[str]):
        self._calls, self._built = calls, [path for path in foreign if path.startswith(_BUILT)]

    def __call__(self, name: str) -> bool:
        return name in self._calls.launches or any(self._holds(path, name.encode()) for path in self._built)

    @staticmethod
    def _holds(path: str, name: bytes) -> bool:
        """A library names each of its kernels to the runtime that loads it."""
        try:
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(b"\0" + name + b"\0") >= 0
        except (OSError, ValueError):
            return False


def brought(calls: Calls, before: Baseline | None) -> Callable[[str], bool]:
    """Tells whether a GPU kernel of a name came with the submission."""
    return _Brought(calls, _foreign(before))


def _is_composite(func: Any) -> bool:
    """Whether an operator is made of others: under inference_mode such operators reach a mode whole."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


def _written(schema: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The arguments that the schema says an operator writes."""
    named = [(a, args[i] if i < len(args) else kwargs.get(a.name)) for i, a in enumerate(schema.arguments)]
    return [t for a, value in named if a.alias_info is not None and a.alias_info.is_write for t in leaves(value)]


class _Mode(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Otherwise torch imports its compiler (1.5 s) at the first operator, to keep it from compiling the handler."""
        return False


class _Followed(Storages):
    """Storages that also tell what was written while no own call was under way (`inside`), by no operator either."""

    def __init__(self, inputs: list[torch.Tensor]):
        self.inside = False
        self.outside: dict[int, Content] = {}
        super().__init__(inputs)

    def look(self, tensor: torch.Tensor, argument: bool = False) -> Content | None:
        storage = storage_of(tensor)
        known = None if storage is None else self._contents.get(storage._cdata)
        before = known.checksum if known and not known.alive.expired() else None
        content = super().look(tensor, argument)
        if content is not None and content.direct and content.checksum != before:
            self._note(storage, content)
        return content

    def lifted(self, tensor: torch.Tensor, read: set[str]) -> None:
        super().lifted(tensor, read)
        storage = storage_of(tensor)
        if storage is not None and (content := self._contents.get(storage._cdata)) and content.kinds == {"own"}:
            self._note(storage, content)

    def _note(self, storage: Any, content: Content) -> None:
        if not self.inside and storage.device.type == "cpu" and not _cleared(storage):
            self.outside[id(content)] = content


def _cleared(storage: Any) -> bool:
    """Whether the same eight bytes are there throughout. By no operator: those would be counted."""
    start, size = storage.data_ptr(), storage.nbytes()
    return size > 8 and ctypes.CDLL(None).memcmp(ctypes.c_void_p(start), ctypes.c_void_p(start + 8), ctypes.c_size_t(size - 8)) == 0


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors among a call's arguments, those in descriptors and reinterpretations too."""
    wrapped = (getattr(value, "base", None) for value in [*args, *kwargs.values()] if not isinstance(value, torch.Tensor))
    return [*leaves((args, kwargs)), *(base for base in wrapped if isinstance(base, torch.Tensor))]


class _Watch(_Mode):
    """The mode. Also the observer of own calls: both run on the thread that makes the call."""

    def __init__(self, inputs: list[torch.Tensor], namespaces: frozenset[str] | None, profile: Profile | None):
        super().__init__()
        self.facts = Facts()
        self._profile = profile
        self.operators: Counter[str] = Counter()
        self.inside: Counter[str] = Counter()
        self.plumbing: Counter[str] = Counter()
        self.computed: set[tuple[int, int, str]] = set()
        self._namespaces = namespaces
        self._thread = threading.get_ident()
        self._own: list[tuple[int, int, list[torch.Tensor]]] = []  # Of each own call under way: its start, handled_ns then, what it was given.
        self._handled_ns = 0                    # All time spent on framework operators, with what watching them costs.
        self._read: set[str] = set()            # Kinds of content that became Python numbers.
        self.storages = _Followed(inputs)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _is_composite(func):
            with self:
                return func.decompose(*args, **kwargs)
        if self.is_own(func.name()):
            return self._own_operator(func, args, kwargs)
        start = time.perf_counter_ns()
        try:
            return self._framework_operator(func, args, kwargs)
        finally:
            self._handled_ns += time.perf_counter_ns() - start

    def is_own(self, name: str) -> bool:
        """Whether an operator of this qualified name came with the submission."""
        return self._namespaces is not None and name.partition("::")[0] not in self._namespaces

    def own_call(self, name: str, function: Callable[[], Any], args: Any, kwargs: Any) -> Any:
        """A custom operator: an own call, whose own operators are watched too."""
        self.facts.kernels.setdefault(name, "operator")
        self.facts.launches[name] = self.facts.launches.get(name, 0) + 1
        self.enter(name, args, kwargs)
        try:
            result = function()
        except BaseException as error:
            self.leave(name, None, error)
            raise
        self.leave(name, result, None)
        return result

    def _own_operator(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A custom operator as the dispatcher meets it: from C++, or below _CustomOperators, which has counted it then."""
        def call() -> Any:
            with self:
                return func._op_dk(torch._C.DispatchKey.CPU, *args, **kwargs)
        return call() if self._own else self.own_call(func.name().partition(".")[0], call, args, kwargs)

    def _framework_operator(self, func: Any, args: Any, kwargs: Any) -> Any:
        name = func._schema.name
        what = role(name.partition("::")[2].rstrip("_"), is_view(func._schema))
        if what == "lift":
            self.storages.lifted(args[0], self._read)
        sources = [content for t in leaves((args, kwargs)) if (content := self.storages.look(t, True)) is not None]
        kinds = set().union(*(c.kinds for c in sources))
        began = time.perf_counter_ns()
        with self._profile.owner(FRAMEWORK) if self._profile else nullcontext():
            result = func(*args, **kwargs)
        spent = time.perf_counter_ns() - began
        self._count(name.rstrip("_"), what, spent)
        self._follow(func._schema, what, kinds, args, kwargs, result)
        return result

    def _count(self, name: str, what: str, spent: int) -> None:
        if what != "compute":
            self.plumbing[name] += 1
        elif self._own:
            self.inside[name] += 1
        else:
            self.operators[name] += 1
        if what in ("compute", "move", "constant"):
            self.facts.elements_ns += spent
        if self._own:
            self.facts.inside_ns += spent
        else:
            self.facts.framework_ns += spent

    def _follow(self, schema: Any, what: str, kinds: set[str], args: Any, kwargs: Any, result: Any) -> None:
        """Give each tensor that the operator wrote its provenance."""
        if what == "read" or what == "lift":
            self._read |= kinds if what == "read" and not isinstance(result, torch.Tensor) else set()
            return
        written = _written(schema, args, kwargs)
        mutated = {id(t) for t in written}
        fresh = [t for t in leaves(result) if id(t) not in mutated]
        if what == "allocate":
            for tensor in fresh:
                self.storages.allocated(tensor)
            for tensor in written:
                self.storages.wrote(tensor, kinds)
            return
        if what == "move":  # copy_(destination, source): what the destination held counts only where the source leaves it.
            kinds = set().union(*(c.kinds for t in leaves(args[1:] if written else args) if (c := self.storages.look(t, True)) is not None))
        elif what == "constant":
            kinds = {"constant"}
        else:
            kinds = {"own"} if "own" in kinds else {"framework"} if kinds & {"framework", "input", "held"} else {"constant"}
        for tensor in [*written, *fresh]:
            self.storages.wrote(tensor, kinds)
            if kinds == {"framework"} and (found := digest(tensor)):
                self.computed.add(found)

    def enter(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if threading.get_ident() != self._thread:
            return
        given = _given(args, kwargs)
        for tensor in given:
            if (content := self.storages.look(tensor)) is not None:
                content.passed = True
                if id(content) in self.storages.outside and (found := digest(tensor)):
                    self.computed.add(found)
        self.storages.inside = True
        self._own.append((time.perf_counter_ns(), self._handled_ns, given))

    def leave(self, name: str, result: Any, error: BaseException | None) -> None:
        if error is not None:
            self.facts.raised[name] = ("%s: %s" % (type(error).__name__, error))[:300]
        if threading.get_ident() != self._thread or not self._own:
            return
        start, handled, given = self._own.pop()
        if not self._own:
            self.facts.own_ns += max(0, time.perf_counter_ns() - start - (self._handled_ns - handled))
        for tensor in [*given, *leaves(result)]:
            self.storages.look(tensor)
        self.storages.inside = bool(self._own)

    def output(self, tensor: torch.Tensor, inputs: set[tuple[int, int, str]]) -> Output:
        content = self.storages.look(tensor)
        if content is None:
            return Output("framework" if storage_of(tensor) is None else "own")
        found = Output(content.kind, content.direct, content.passed)
        if found.kind == "own" and id(content) in self.storages.outside and self._called_by_python():
            found.kind = "python"
        if found.kind in ("constant", "held") and content.passed:
            found.kind = "own"  # Own code was given this buffer and may have written the values that it already had.
        same = digest(tensor)
        if same is not None and not uniform(tensor):  # One value throughout says nothing.
            found.equals = "framework" if same in self.computed else "input" if same in inputs else None
            if found.equals == "framework":
                found.kind = "framework"
        return found


    def _called_by_python(self) -> bool:
        """Whether the submission's code runs in calls that are seen, and only there: interpreted kernels, which write before their launch returns."""
        kinds = set(self.facts.kernels.values())
        return device.current().name == "cpu" and bool(kinds) and kinds <= {"triton", "operator"} and not self.facts.foreign


class _CustomOperators(TorchFunctionMode):
    """Sees torch.ops.<own>.<operator> as it is called: one that is made of other operators never reaches a dispatch mode."""

    def __init__(self, watch: _Watch):
        super().__init__()
        self._watch = watch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "_qualified_op_name", "") or (func.name() if isinstance(func, torch._ops.OpOverload) else "")
        if not name or not self._watch.is_own(name):
            return func(*args, **kwargs)
        return self._watch.own_call(name.partition(".")[0], lambda: func(*args, **kwargs), args, kwargs)


def _private(inputs: list[Any]) -> tuple[list[Any], list[tuple[torch.Tensor, torch.Tensor]]]:
    """The inputs with a storage for each: those that share one (an arena) are copied. Returns also (input, its copy)."""
    copies: list[tuple[torch.Tensor, torch.Tensor]] = []

    def alone(tensor: torch.Tensor) -> torch.Tensor:
        storage = storage_of(tensor)
        if storage is None or covers(tensor, storage):
            return tensor
        copies.append((tensor, tensor.clone()))
        return copies[-1][1]
    return rebuild(list(inputs), alone), copies


def _uncompiled() -> ContextManager[Any]:
    """torch.compile'd code runs as it was written, so that its operators are seen and the compiler does not trace the mode."""
    loaded = "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance")
    return torch.compiler.set_stance("force_eager") if loaded else nullcontext()


def observe(forward: Callable[..., Any], inputs: list[Any], calls: Calls | None = None, before: Baseline | None = None) -> tuple[Any, Facts]:
    """Call forward(*inputs) once, watched. Returns its result and the facts; what forward raises passes through."""
    calls = calls or Calls()
    inputs, copies = _private(inputs)
    tensors = list(leaves(inputs))
    given = {d for t in tensors if (d := digest(t))}
    calls.launches.clear()
    with device.current().profile() as profile:
        watch = _Watch(tensors, before.namespaces if before else None, profile)
        calls.observer = watch
        try:
            with _uncompiled(), Trace() as trace, watch, _CustomOperators(watch), device.current().peak() as peak:
                outputs = forward(*inputs)
        finally:
            calls.observer = None
    with torch.no_grad():
        for original, copy in copies:
            original.copy_(copy)
    facts = watch.facts
    facts.kernels.update(calls.kernels)
    facts.foreign = _foreign(before)
    facts.profile, facts.peak_bytes = profile.json(_Brought(calls, facts.foreign)) if profile else None, peak.bytes
    facts.unseen = trace.unseen(bool(watch.operators or watch.inside or watch.plumbing))
    facts.outputs = [watch.output(t, given) for t in leaves(outputs)]
    for output in facts.outputs:
        if facts.unseen and output.kind == "own":
            output.kind = "unseen"
    facts.launches.update(calls.launches)
    facts.operators, facts.inside, facts.plumbing = dict(watch.operators), dict(watch.inside), dict(watch.plumbing)
    return outputs, facts


def reference_ops(forward: Callable[..., Any], inputs: list[Any]) -> dict[str, int]:
    """The computing operators of one call, by name, as `Facts.operators` has them. For the reference host."""
    watch = _Counter()
    with _uncompiled(), watch:
        forward(*inputs)
    return dict(watch.operators)


class _Counter(_Mode):
    """Counts computing operators and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _is_composite(func):
            with self:
                return func.decompose(*args, **(kwargs or {}))
        name = func._schema.name
        if role(name.partition("::")[2].rstrip("_"), is_view(func._schema)) == "compute":
            self.operators[name.rstrip("_")] += 1
        return func(*args, **(kwargs or {}))
